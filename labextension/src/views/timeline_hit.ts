// What is at a place of the timeline's plot: a row, a time and, in a lane, a span.
import type { Span } from '../frame_records';
import { spanAt, type Window } from './aggregate';
import type { SpanStore } from './span_store';
import { LABEL_WIDTH, rowsOf, type Row } from './timeline_rows';

export interface Place {
  x: number;
  y: number;
}

/** A place; `slack`: how far thin things reach, in milliseconds. */
export interface Hit {
  row: Row;
  time: number;
  slack: number;
  span: Span | null;
}

/** Where a place is between the start and the end of the time in sight, 0 to 1. */
export function shareOf(x: number, view: Window): number {
  return Math.min(1, Math.max(0, (x - LABEL_WIDTH) / view.width));
}

export function timeAt(x: number, view: Window): number {
  return view.start + shareOf(x, view) * (view.end - view.start);
}

export function xOf(time: number, view: Window): number {
  return LABEL_WIDTH + ((time - view.start) / (view.end - view.start)) * view.width;
}

/** `now`: running spans reach to it. */
export function hitAt(store: SpanStore, { x, y }: Place, view: Window, now: number): Hit | null {
  const row = rowsOf(store).find(({ top, height }) => y >= top && y < top + height);
  if (!row) {
    return null;
  }
  const length = view.end - view.start;
  const time = timeAt(x, view);
  const slack = (3 * length) / view.width;
  const span = row.kind === 'lane' ? spanAt(row.ring, time, slack, now) : null;
  return { row, time, slack, span };
}
