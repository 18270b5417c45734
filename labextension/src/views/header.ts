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
      'Time of the passes; a program that is known is replayed',
      t.cached ? 'no compilation' : seconds(t.compile_s)
    );
  }
  if (t.record_s) {
    const settled = t.settle_s !== null && t.settle_s > t.record_s / 20;
    figure(
      'recorded',
      'Making the graph, with the Python on its lines; settled: standing still where a value was needed',
      seconds(t.record_s),
      settled ? h('span.hyb-quiet', {}, ` + ${seconds(t.settle_s)} settled`) : ''
    );
  }
  if (t.running) {
    figure('run', 'The program is not through yet; report().run_s waits for it', 'running …');
  } else if (t.run_s !== null) {
    figure('run', "From the first kernel's start to the last one's end", seconds(t.run_s));
  }
  return figures;
}

/** A graph break in words; of a loop the reason itself begins with its lines. */
function broken(line: number | null, reason: string): string {
  if (line === null || reason.startsWith('line')) {
    return reason.charAt(0).toUpperCase() + reason.slice(1);
  }
  return `Line ${line}: graph break, ${reason}`;
}

/** What is worth saying under the picture: skipped passes, graph breaks, deferred values, notes. */
export function footnotes(spec: Spec): HTMLElement | null {
  const items = [
    ...spec.breaks.map(b => broken(b.line, b.reason)),
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
