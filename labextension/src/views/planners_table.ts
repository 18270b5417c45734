// The planner's methods side by side: what each reaches on the arena's buffers.
import type { Attempt, Memory } from '../spec';
import { h, uniqueId } from './dom';
import { bytes, seconds } from './format';

/** `show` gets the index of the attempt whose rectangles are wanted; null: the plan's own. */
export function plannersTable(
  memory: Memory,
  show: (index: number | null) => void
): HTMLElement | null {
  const { attempts, arena_bound: bound } = memory;
  if (attempts.length < 2 || bound === 0) {
    return null;
  }
  const group = uniqueId('planners');
  const own = attempts.findIndex(
    ({ method, bytes: size }) => method === memory.method && size === memory.arena_bytes
  );
  const order = attempts.map((_, i) => i).sort((a, b) => attempts[a].bytes - attempts[b].bytes);
  const rows = order.map(i =>
    h(
      i === own ? 'tr.hyb-own' : 'tr',
      {},
      h(
        'td',
        {},
        choice(attempts[i], group, i === own, () => show(i === own ? null : i))
      ),
      h('td', {}, bytes(attempts[i].bytes)),
      h('td', {}, above(attempts[i].bytes, bound)),
      h('td', {}, seconds(attempts[i].s))
    )
  );
  const heads = ['method', 'arena', 'above the bound', 'time'].map(text =>
    h('th', { scope: 'col' }, text)
  );
  return h(
    'details.hyb-figures.hyb-planners',
    {},
    h('summary', {}, 'Planners compared'),
    h(
      'p.hyb-note',
      {},
      `The same buffers, placed by each method alone. No method can need less than ${bytes(bound)}, ` +
        'the most bytes of them alive at one step. Choose one to see where it puts them.'
    ),
    h('table', {}, h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...rows))
  );
}

function choice(attempt: Attempt, group: string, own: boolean, show: () => void): HTMLElement {
  const name = own ? `${attempt.method} (the plan)` : attempt.method;
  if (attempt.offsets.length === 0 && !own) {
    return h('span', {}, name);
  }
  const radio = h('input', { type: 'radio', name: group, checked: own, onchange: show });
  return h('label', {}, radio, name);
}

function above(size: number, bound: number): string {
  const percent = (100 * (size - bound)) / bound;
  return size <= bound
    ? '0 %'
    : `${bytes(size - bound)} (${percent.toFixed(percent < 10 ? 1 : 0)} %)`;
}
