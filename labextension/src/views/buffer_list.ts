// The list beside the plan: which values share which buffer.
import type { Memory, Node } from '../spec';
import { h } from './dom';
import { bytes, plural } from './format';
import { bufferColor } from './palette';

const MANY = 60;

/** Makes one row, which chooses `target`. */
export type ListItem = (
  mark: HTMLElement,
  what: HTMLElement | string,
  why: string,
  target: number | null
) => HTMLElement;

/** Null where nothing has a buffer. `nodes`: of the planned graph; `summary`: of its stage. */
export function bufferList(
  memory: Memory | null,
  nodes: readonly Node[],
  summary: string,
  item: ListItem
): HTMLElement | null {
  const made = memory?.buffers.filter(buffer => buffer.kind !== 'input') ?? [];
  if (made.length === 0 || !nodes.some(node => node.buffer !== null)) {
    return null;
  }
  const known = new Set(nodes.map(node => node.id));
  // A node has one buffer, a kernel of several values more: older files tell those of nodes alone.
  const held = made.map(({ id, values }) =>
    values.length > 0
      ? values.map(value => value.node)
      : nodes.filter(node => node.buffer === id).map(node => node.id)
  );
  const items = made.slice(0, MANY).map((buffer, i) => {
    const chip = h('i', { 'aria-hidden': 'true' });
    chip.style.background = bufferColor(buffer.id);
    const own = buffer.kind === 'output' ? ', an output' : '';
    const label = h('span.hyb-cut', { title: buffer.label }, buffer.label);
    const size = `buffer ${buffer.id}: ${bytes(buffer.bytes)}${own}`;
    return item(chip, label, size, held[i].find(id => known.has(id)) ?? null);
  });
  const count = held.reduce((sum, values) => sum + values.length, 0);
  const rest = made.length - items.length;
  return h(
    'section',
    {},
    h('h4', {}, `${plural(count, 'value')} in ${plural(made.length, 'buffer')}`),
    summary && h('p.hyb-note', {}, summary),
    h('ul.hyb-changes', {}, ...items),
    rest > 0 && h('p.hyb-note', {}, `and ${plural(rest, 'more buffer')}`)
  );
}
