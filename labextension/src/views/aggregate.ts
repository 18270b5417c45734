// A lane's work on pixels: what is too small to be seen alone becomes one bar a pixel, whose height
// is its share of work. Where spans are not kept any more, slices of the lane's levels take their place.
import { FLAG, heldFor, type Span } from '../frame_records';
import type { LaneRing } from './span_store';
import { Workload, type Worked } from './workload';

/** A time window on `width` pixels; times in milliseconds. */
export interface Window {
  start: number;
  end: number;
  width: number;
}

/** A bar of a lane: a span, or a pixel or slice in which `count` operators worked `share` of it. */
export interface Bar {
  x: number;
  w: number;
  /** of the span, or of the longest one in it */
  name: number;
  /** one span, whose name may be written */
  alone: boolean;
  share: number;
  count: number;
  flags: number;
  /** of `w`, at its left: slow motion held the operator so long */
  held: number;
}

/** Work, evenly over a time: of a span or, where it is null, of a slice. */
export interface Piece extends Worked {
  start: number;
  end: number;
  span: Span | null;
}

const MIN_PIXELS = 1.5;

/** What a lane did from `from` to `to`, no work twice: slices, as wide as `pixel` or less where they
 * reach back so far, then spans. */
export function eachPiece(
  ring: LaneRing,
  from: number,
  to: number,
  pixel: number,
  visit: (piece: Piece) => void
): void {
  let cut = -Infinity;
  if (ring.droppedUntil > from) {
    const width = ring.levels.widthFor(from, pixel);
    cut = Math.ceil(ring.droppedUntil / width) * width;
    ring.levels.each(from, Math.min(cut, to), pixel, slice =>
      visit({ ...slice, end: slice.start + slice.width, span: null })
    );
  }
  for (let i = ring.search(Math.max(from, cut)); i < ring.length; i++) {
    const span = ring.at(i);
    if (span.start > to) {
      break;
    }
    const begin = span.start + heldFor(span);
    const start = Math.max(begin, cut);
    const end = span.start + span.duration;
    if (end < start) {
      continue;
    }
    const part = end > begin ? (end - start) / (end - begin) : 1;
    const count = start === begin ? span.count : 0;
    const { name, flags } = span;
    visit({ start, end, busy: part * span.busy, count, name, flags, span });
  }
}

/** How much of a piece lies between two times, 0 to 1. */
export function inside(piece: Piece, from: number, to: number): number {
  const length = piece.end - piece.start;
  if (length <= 0) {
    return Number(piece.start >= from && piece.start < to);
  }
  return Math.max(0, Math.min(piece.end, to) - Math.max(piece.start, from)) / length;
}

/** The pixels in which a short span or a slice worked. */
function addToPixels(pixels: Workload, piece: Piece, window: Window, pixel: number): void {
  const first = Math.floor((piece.start - window.start) / pixel);
  const last = Math.floor((piece.end - window.start) / pixel);
  for (let x = Math.max(first, 0); x <= Math.min(last, pixels.length - 1); x++) {
    const from = window.start + x * pixel;
    const busy = piece.busy * inside(piece, from, from + pixel);
    if (busy > 0 || x === first) {
      pixels.add(x, piece, busy, x === first ? piece.count : 0);
    }
  }
}

/** Bars of one pixel. */
function* barsOfPixels(pixels: Workload, pixel: number): Iterable<Bar> {
  for (let x = 0; x < pixels.length; x++) {
    const worked = pixels.at(x);
    if (worked) {
      const { name, count, flags, busy } = worked;
      yield {
        x,
        w: 1,
        name,
        alone: false,
        share: Math.min(1, busy / pixel),
        count,
        flags,
        held: 0
      };
    }
  }
}

export function barsOf(ring: LaneRing, window: Window, now: number): Bar[] {
  const pixel = (window.end - window.start) / window.width;
  const bars: Bar[] = [];
  const columns = Math.max(0, Math.ceil(window.width));
  const [work, waits] = [new Workload(columns), new Workload(columns)];
  const add = (piece: Piece) => {
    const held = piece.span ? heldFor(piece.span) : 0;
    const from = held > 0 && piece.span ? piece.span.start : piece.start;
    const w = (piece.end - from) / pixel;
    const isWait = Boolean(piece.flags & FLAG.wait);
    const alone = piece.span !== null && !(piece.flags & FLAG.merged);
    // Merged spans of several kinds lie over each other: only their sum is a share of the time.
    if (w < MIN_PIXELS || !(alone || isWait)) {
      addToPixels(isWait ? waits : work, piece, window, pixel);
      return;
    }
    const left = Math.max((from - window.start) / pixel, -2);
    const right = Math.min((piece.end - window.start) / pixel, window.width + 2);
    const length = piece.end - piece.start;
    const share = length > 0 ? Math.min(1, piece.busy / length) : 0;
    const { name, count, flags } = piece;
    if (right > left) {
      const hold = held > 0 ? (from + held - window.start) / pixel - left : 0;
      const bar = { x: left, w: right - left, name, alone, share, count, flags };
      bars.push({ ...bar, held: Math.min(Math.max(hold, 0), bar.w) });
    }
  };
  eachPiece(ring, window.start, window.end, pixel, add);
  const { running } = ring;
  if (running && running.start < window.end) {
    const end = Math.max(running.start + running.duration, now);
    if (end > window.start) {
      const span = untilNow(running, end);
      add({ ...span, start: span.start + heldFor(span), end, span });
    }
  }
  // Work lies on the waits for it.
  return [...barsOfPixels(waits, pixel), ...bars, ...barsOfPixels(work, pixel)];
}

// The kernel told of it a while ago. What slow motion holds still has not worked.
function untilNow(running: Span, end: number): Span {
  const held = heldFor(running);
  const isHeld = held > 0 && running.busy === 0;
  const duration = end - running.start;
  return { ...running, duration, busy: isHeld ? 0 : duration - held };
}

/** The span under a time, the shortest where several lie; `slack` in milliseconds helps thin ones. */
export function spanAt(ring: LaneRing, time: number, slack: number, now: number): Span | null {
  let best: Span | null = null;
  let distance = slack;
  for (let i = ring.search(time - slack); i < ring.length; i++) {
    const span = ring.at(i);
    if (span.start > time + slack) {
      break;
    }
    const away = Math.max(span.start - time, time - (span.start + span.duration), 0);
    if (away < distance || (away === distance && best && span.duration < best.duration)) {
      best = span;
      distance = away;
    }
  }
  const { running } = ring;
  return best ?? (running && running.start <= time && time <= now ? running : null);
}

/** What a lane did in a time, waits not counted. */
export type Work = Pick<Worked, 'busy' | 'count'>;

export function workIn(ring: LaneRing, from: number, to: number): Work {
  const work = { busy: 0, count: 0 };
  eachPiece(ring, from, to, (to - from) / 1000, piece => {
    if (!(piece.flags & FLAG.wait)) {
      work.busy += piece.busy * inside(piece, from, to);
      work.count += piece.start >= from && piece.start < to ? piece.count : 0;
    }
  });
  return work;
}
