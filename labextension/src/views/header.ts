// The head of a viewer: its title and what folding, fusion and planning saved, in one line.
import type { Spec, Totals } from '../spec';
import { h } from './dom';
import { bytes, seconds } from './format';

export function header(spec: Spec): HTMLElement {
  return h(
    'header.hyb-header',
    {},
    h('h3', {}, spec.title || 'Graph'),
    h('p.hyb-totals', {}, ...totals(spec.totals))
  );
}

function totals(t: Totals): HTMLElement[] {
  const figures: HTMLElement[] = [];
  const figure = (name: string, title: string, ...parts: (string | HTMLElement)[]) =>
    figures.push(h('span.hyb-figure', { title }, h('small', {}, name), ...parts));
  if (t.kernels_before !== null && t.kernels_after !== null) {
    figure(
      'kernels',
      'Kernels run: one for each operator, and after fusion',
      `${t.kernels_before} → `,
      h('b', {}, String(t.kernels_after))
    );
  }
  if (t.bytes_imperative !== null && t.bytes_planned !== null) {
    const bound =
      t.bytes_lower_bound === null ? '' : ` (lower bound ${bytes(t.bytes_lower_bound)})`;
    figure(
      'peak memory',
      'Peak of logical bytes: every binding alive to the end of the cell, and planned',
      `${bytes(t.bytes_imperative)} → `,
      h('b', {}, bytes(t.bytes_planned)),
      h('span.hyb-quiet', {}, bound)
    );
  }
  if (t.compile_s !== null) {
    figure(
      t.replay || (t.cached ? 'replayed' : 'compiled'),
      'Time of passes; known programs replay',
      t.cached ? 'no compilation' : seconds(t.compile_s)
    );
  }
  if (t.record_s) {
    const settled = t.settle_s ? ` + ${seconds(t.settle_s)} settled` : '';
    figure('recorded', 'Settled: a value was needed', seconds(t.record_s) + settled);
  }
  if (t.running || t.run_s !== null) {
    const time = t.running ? 'running' : seconds(t.run_s);
    figure(t.running ? 'now' : 'run', 'All kernels', time);
  }
  return figures;
}

/** What is worth saying under the picture: skipped passes, graph breaks, deferred values, notes. */
export function footnotes(spec: Spec): HTMLElement | null {
  const items = [
    // of a loop the reason itself begins with its lines
    ...spec.breaks.map(
      b => (!b.line || /^line/.test(b.reason) ? '' : `Line ${b.line}: `) + b.reason
    ),
    ...(spec.names.length > 0 ? [] : spec.deferred).map(
      d => `${d.name} is computed when you read it: ${d.price}`
    ),
    ...spec.notes
  ].map(text => h('li', {}, text));
  const skipped = spec.skipped.map(s =>
    h('li', {}, h('em', {}, s.label), s.why ? `: ${s.why}` : '')
  );
  if (items.length + skipped.length === 0) {
    return null;
  }
  const word = skipped.length === 1 ? 'pass' : 'passes';
  return h(
    'footer.hyb-notes',
    {},
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
