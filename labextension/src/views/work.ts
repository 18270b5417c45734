// What ran in a stretch of time, by operator and the line that pushed it.
import { FLAG } from '../frame_records';
import type { Site } from '../frames';
import type { SpanStore } from './span_store';

export interface Work {
  /** of the operator; '': several kinds that the kernel merged */
  name: string;
  site: Site | null;
  operators: number;
  /** milliseconds of work in that time */
  busy: number;
}

/** The rows of all lanes together, the longest first; waits are no work. */
export function workBetween(store: SpanStore, start: number, end: number): Work[] {
  const rows = new Map<string, Work>();
  for (const ring of store.rings) {
    for (let i = ring.search(start); i < ring.length && ring.at(i).start <= end; i++) {
      const span = ring.at(i);
      const inside = Math.min(end, span.start + span.duration) - Math.max(start, span.start);
      if (inside < 0 || span.flags & FLAG.wait) {
        continue;
      }
      const merged = Boolean(span.flags & FLAG.merged);
      const key = merged ? '' : `${span.name} ${span.site}`;
      let row = rows.get(key);
      if (!row) {
        const name = merged ? '' : (store.names.get(span.name) ?? `operator ${span.name}`);
        const site = merged ? null : (store.sites.get(span.site) ?? null);
        row = { name, site, operators: 0, busy: 0 };
        rows.set(key, row);
      }
      const share = span.duration > 0 ? inside / span.duration : 1;
      row.operators += span.count; // one that reaches beyond an end counts whole
      row.busy += span.busy * share;
    }
  }
  return [...rows.values()].sort((a, b) => b.busy - a.busy);
}

/** As CSV (RFC 4180): operator, operators, seconds, place, line, code. */
export function workCsv(rows: readonly Work[]): string {
  // A cell that a spreadsheet would take for a formula is text.
  const cell = (value: string | number) => {
    const text = typeof value === 'string' ? value.replace(/^[=+\-@\t\r]/, "'$&") : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map(({ name, site, operators, busy }) =>
    [name || 'merged', operators, busy / 1e3, site?.text ?? '', site?.line ?? '', site?.code ?? '']
      .map(cell)
      .join(',')
  );
  return ['operator,operators,seconds,place,line,code', ...lines, ''].join('\r\n');
}
