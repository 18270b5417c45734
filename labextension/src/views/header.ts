// The head of a viewer: its title and what folding, fusion and planning saved, in one line; and
// its foot, with what else was measured.
import type { Spec, Totals } from '../spec';
import { h } from './dom';
import { bytes, seconds } from './format';
import { tellStops, type Told } from './stops';

export function header(spec: Spec): HTMLElement {
  const title = spec.title || 'Graph';
  return h(
    'header.hyb-header',
    {},
    h('h3', { title }, title),
    h('p.hyb-totals', {}, ...totals(spec.totals))
  );
}

const WHOLE = 'From the start of the cell to its end: Python, recording, compiling and waits too';

/** Of a cell whose loops ran compiled the kernels' time says little: what all of it took. */
export function timesOf(t: Totals): [string, string, string][] {
  const ran: [string, string, string][] = t.running
    ? [['now', 'All kernels', 'running']]
    : t.run_s === null
      ? []
      : [['run', 'All kernels', seconds(t.run_s)]];
  if (t.took_s === null || t.loops_s === null) {
    return ran;
  }
  const title = `${WHOLE}; ${seconds(t.loops_s)} in compiled loops`;
  const longer = t.running || (t.run_s ?? 0) > t.took_s; // they went on after its end
  return [['took', title, seconds(t.took_s)], ...(longer ? ran : [])];
}

function figure(name: string, title: string, ...parts: (string | HTMLElement)[]): HTMLElement {
  return h('span.hyb-figure', { title }, h('small', {}, name), h('span', {}, ...parts));
}

function totals(t: Totals): HTMLElement[] {
  const figures: HTMLElement[] = [];
  const none = t.kernels_before === 0 && t.loops_s !== null; // loops are all that ran compiled
  if (!none && t.kernels_before !== null && t.kernels_after !== null) {
    figures.push(
      figure(
        'kernels',
        'Kernels, each one launch: of the cell as written → of what was compiled',
        `${t.kernels_before} → `,
        h('b', {}, String(t.kernels_after))
      )
    );
  }
  if (!none && t.bytes_imperative !== null && t.bytes_planned !== null) {
    const bound =
      t.bytes_lower_bound === null ? '' : `. Lower bound: ${bytes(t.bytes_lower_bound)}`;
    figures.push(
      figure(
        'peak memory',
        `The most bytes at one time, of what it makes: imperative → planned${bound}. Memory tells how each is counted`,
        `${bytes(t.bytes_imperative)} → `,
        h('b', {}, bytes(t.bytes_planned))
      )
    );
  }
  return figures.concat(timesOf(t).map(([name, title, time]) => figure(name, title, time)));
}

// What it took to get there.
function preparation(t: Totals): HTMLElement[] {
  const figures: HTMLElement[] = [];
  if (t.compile_s !== null) {
    const name = t.replay || (t.cached ? 'replayed' : 'compiled');
    const time = t.cached ? 'no compilation' : seconds(t.compile_s);
    figures.push(figure(name, 'Time of passes; known programs replay', time));
  }
  if (t.record_s) {
    const settled = t.settle_s ? ` + ${seconds(t.settle_s)} for reads` : '';
    figures.push(
      figure(
        'recorded',
        'For reads: values that the cell read on its way were computed',
        seconds(t.record_s) + settled
      )
    );
  }
  if (t.loops_s !== null) {
    figures.push(figure('compiled loops', 'Loops that ran compiled', seconds(t.loops_s)));
    if (t.run_s) {
      figures.push(figure('kernels', 'All kernels', seconds(t.run_s)));
    }
  }
  return figures;
}

function stopItem({ text, each }: Told): HTMLElement {
  const rows = each.map(words => h('li', {}, words));
  const open = h('details', {}, h('summary', {}, text), h('ul', {}, ...rows));
  return h('li', {}, each.length > 0 ? open : text);
}

/** What is worth saying under the picture: skipped passes, graph breaks, deferred values, notes. */
export function footnotes(spec: Spec): HTMLElement | null {
  const texts = (spec.names.length > 0 ? [] : spec.deferred).map(
    d => `${d.name} is computed when you read it: ${d.price}`
  );
  const items = tellStops(spec.breaks)
    .map(stopItem)
    .concat([...texts, ...spec.notes].map(text => h('li', {}, text)));
  const skipped = spec.skipped.map(s =>
    h('li', {}, h('em', {}, s.label), s.why ? `: ${s.why}` : '')
  );
  const figures = preparation(spec.totals);
  if (items.length + skipped.length + figures.length === 0) {
    return null;
  }
  const word = skipped.length === 1 ? 'pass' : 'passes';
  return h(
    'footer.hyb-notes',
    {},
    figures.length > 0 && h('p.hyb-preparation', {}, ...figures),
    items.length > 0 && h('ul', {}, ...items),
    skipped.length > 0 &&
      h(
        'details',
        {},
        h('summary', {}, `${skipped.length} ${word} changed nothing`),
        h('ul', {}, ...skipped)
      )
  );
}
