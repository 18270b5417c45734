// Marks on the timeline: the spans of nodes or of a line that a person points at elsewhere.
import { FLAG, type Span } from '../frame_records';
import type { Window } from './aggregate';
import type { SpanStore } from './span_store';
import type { Theme } from './theme';
import { LABEL_WIDTH, rowsOf } from './timeline_rows';

export interface Marks {
  /** of programs, as the trace calls them */
  nodes: ReadonlySet<number>;
  place: Place | null;
}

/** A line of a cell or a file, with its code: one that was edited since has pushed nothing. */
export interface Place {
  cell: string | null;
  file: string;
  line: number;
  code: string;
}

/** Did a program's node run then? A wait is none, nor are several operators in one span. */
export function isOfNode(span: Span): boolean {
  return span.node > 0 && !(span.flags & (FLAG.wait | FLAG.merged));
}

/** Draws them; tells how many spans in sight are marked. */
export function paintMarks(
  context: CanvasRenderingContext2D,
  store: SpanStore,
  window: Window,
  { nodes, place }: Marks,
  theme: Theme
): number {
  const sites = new Set<number>();
  for (const [id, site] of place ? store.sites : []) {
    const same = (['cell', 'file', 'line', 'code'] as const).every(
      key => site[key] === place?.[key]
    );
    if (same) {
      sites.add(id);
    }
  }
  if (nodes.size === 0 && sites.size === 0) {
    return 0;
  }
  const isMarked = (span: Span) => (isOfNode(span) && nodes.has(span.node)) || sites.has(span.site);
  return paintBoxes(context, store, window, isMarked, theme.accent);
}

/** Draws a box around each of these spans; tells how many are in sight. */
export function paintBoxes(
  context: CanvasRenderingContext2D,
  store: SpanStore,
  window: Window,
  isMarked: (span: Span) => boolean,
  color: string
): number {
  const scale = window.width / (window.end - window.start);
  let marked = 0;
  context.strokeStyle = color;
  context.lineWidth = 2;
  for (const row of rowsOf(store)) {
    if (row.kind !== 'lane') {
      continue;
    }
    let until = -Infinity; // spans in one pixel have one mark
    const draw = (span: Span, end: number) => {
      if (end < window.start || span.start > window.end || !isMarked(span)) {
        return;
      }
      marked += 1;
      const left = Math.max(0, (span.start - window.start) * scale);
      const right = Math.min(window.width, (end - window.start) * scale);
      if (right > until) {
        until = Math.max(right, left + 3);
        context.strokeRect(LABEL_WIDTH + left - 1, row.top + 2, until - left + 2, row.height - 4);
      }
    };
    const { ring } = row;
    for (let i = ring.search(window.start); i < ring.length; i++) {
      const span = ring.at(i);
      if (span.start > window.end) {
        break;
      }
      draw(span, span.start + span.duration);
    }
    if (ring.running) {
      draw(ring.running, store.now);
    }
  }
  return marked;
}
