// What ran in a stretch of time, by operator and the line that pushed it.
import { FLAG } from '../frame_records';
import type { Site } from '../frames';
import { eachPiece, inside, type Piece } from './aggregate';
import type { LaneRing, SpanStore } from './span_store';

/** A stretch of time, in milliseconds of the kernel's clock. */
export interface Range {
  start: number;
  end: number;
}

export interface Work {
  /** of the operator; null: of many kinds, or not known any more */
  name: string | null;
  family: string | undefined;
  site: Site | null;
  /** how many ran; of those that reach beyond an end the part inside */
  operators: number;
  /** milliseconds of work in that time */
  busy: number;
}

export interface Worked {
  /** the longest first */
  rows: Work[];
  /** milliseconds of work, all rows together */
  busy: number;
  /** operators that an end cuts */
  cut: number;
  /** slow motion held some: that time is no work */
  held: boolean;
  /** operators that run still: they are in no row */
  running: number;
  /** operators at most that ran then and that nobody recorded: they are in no row */
  unrecorded: number;
}

/** All lanes that work together; waits are no work. */
export function workBetween(store: SpanStore, { start, end }: Range): Worked {
  const rows = new Map<string, Work>();
  const worked: Worked = {
    ...{ rows: [], busy: 0, cut: 0, running: 0, unrecorded: 0, held: false }
  };
  for (const ring of store.working) {
    eachPiece(ring, start, end, (end - start) / 1000, piece => {
      const part = inside(piece, start, end);
      worked.held ||= Boolean(piece.flags & FLAG.artificial) && piece.end > start;
      if (part === 0 || piece.flags & FLAG.wait) {
        return;
      }
      if (piece.flags & FLAG.artificial && piece.span && piece.busy === 0) {
        return; // the hold of a program, whose operators come after it
      }
      const row = rowOf(rows, store, piece);
      row.operators += piece.count * part;
      row.busy += piece.busy * part;
      worked.busy += piece.busy * part;
      worked.cut += Number(part < 1 && piece.span !== null);
    });
    worked.running += Number(runsIn(ring, start, end));
    for (const gap of ring.gaps) {
      worked.unrecorded += gap.start_ms < end && gap.end_ms > start ? gap.count : 0;
    }
  }
  worked.rows = [...rows.values()].sort((a, b) => b.busy - a.busy);
  return worked;
}

// Of slices only the lane's work is known, and so where the kernel merged many kinds.
function rowOf(rows: Map<string, Work>, store: SpanStore, { span }: Piece): Work {
  const isOne = span !== null && span.name > 0;
  const key = isOne ? `${span.name} ${span.site}` : '';
  let row = rows.get(key);
  if (!row) {
    const name = isOne ? (store.names.get(span.name) ?? `operator ${span.name}`) : null;
    const site = isOne ? (store.sites.get(span.site) ?? null) : null;
    const family = isOne ? store.families.get(span.name) : undefined;
    row = { name, family, site, operators: 0, busy: 0 };
    rows.set(key, row);
  }
  return row;
}

function runsIn({ running }: LaneRing, start: number, end: number): boolean {
  return (
    running !== null &&
    !(running.flags & FLAG.wait) &&
    running.start < end &&
    running.start + running.duration > start
  );
}

/** As CSV (RFC 4180), times in seconds. */
export function workCsv({ rows, busy: all }: Worked): string {
  // A cell that a spreadsheet would take for a formula is text.
  const cell = (value: string | number) => {
    const text = typeof value === 'string' ? value.replace(/^[=+\-@\t\r]/, "'$&") : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map(({ name, site, operators, busy }) =>
    [
      ...[name ?? MERGED, operators, busy / 1e3, busy / 1e3 / operators, busy / all],
      ...[site?.cell ? 'cell' : (site?.text ?? ''), site?.line ?? '', site?.code ?? '']
    ]
      .map(value => cell(typeof value === 'number' && !Number.isFinite(value) ? '' : value))
      .join(',')
  );
  return ['operator,count,total_s,mean_s,share,where,line,code', ...lines, ''].join('\r\n');
}

/** Stands for operators that are told together. */
export const MERGED = 'several, told together';
