// Spans to pixels: what is too small to be seen alone becomes one bar a pixel with its share of work.
import { FLAG, type Span } from '../frames';
import type { LaneRing } from './span_store';

/** A time window on `width` pixels; times in milliseconds. */
export interface Window {
  start: number;
  end: number;
  width: number;
}

/** A bar of a lane: one span, or (not alone) a pixel in which `count` operators did `share` of it. */
export interface Bar {
  x: number;
  w: number;
  /** the span itself, or the longest of the pixel */
  span: Span;
  alone: boolean;
  share: number;
  count: number;
  flags: number;
}

const MIN_PIXELS = 1.5;

export function barsOf(ring: LaneRing, window: Window, now: number): Bar[] {
  const scale = window.width / (window.end - window.start);
  const bars: Bar[] = [];
  let pixel = -1;
  let busy = 0;
  let count = 0;
  let flags = 0;
  let main: Span | null = null;
  const flush = () => {
    if (main) {
      const share = Math.min(1, busy * scale);
      bars.push({ x: pixel, w: 1, span: main, alone: false, share, count, flags });
    }
    main = null;
    busy = 0;
    count = 0;
    flags = 0;
  };
  const add = (span: Span, duration: number) => {
    const x = (span.start - window.start) * scale;
    const w = duration * scale;
    if (x + w < 0 || x > window.width) {
      return;
    }
    if (w >= MIN_PIXELS) {
      const left = Math.max(x, -2);
      const right = Math.min(x + w, window.width + 2);
      const { count, flags } = span;
      bars.push({ x: left, w: right - left, span, alone: true, share: 1, count, flags });
      return;
    }
    const column = Math.floor(x);
    if (column !== pixel) {
      flush();
      pixel = column;
    }
    if (!main || main.duration < span.duration) {
      main = span;
    }
    busy += duration;
    count += span.count;
    flags |= span.flags;
  };
  for (let i = ring.search(window.start); i < ring.length; i++) {
    const span = ring.at(i);
    if (span.start > window.end) {
      break;
    }
    add(span, span.duration);
  }
  flush();
  if (ring.running) {
    add(ring.running, Math.max(ring.running.duration, now - ring.running.start));
    flush();
  }
  return bars;
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

/** The share of the window in which the lane worked, 0 to 1. */
export function busyShare(ring: LaneRing, window: Window): number {
  let busy = 0;
  let reached = window.start;
  for (let i = ring.search(window.start); i < ring.length; i++) {
    const span = ring.at(i);
    if (span.start > window.end) {
      break;
    }
    if (span.flags & FLAG.wait) {
      continue;
    }
    const from = Math.max(span.start, reached);
    const to = Math.min(span.start + span.duration, window.end);
    if (to > from) {
      busy += to - from;
      reached = to;
    }
  }
  return busy / Math.max(window.end - window.start, 1e-9);
}

/** The highest queue depth in each pixel, the last known one carried on; null before the first. */
export function depthSteps(
  length: number,
  at: (i: number) => { time: number; pending: number },
  window: Window
): (number | null)[] {
  const scale = window.width / (window.end - window.start);
  const columns = new Array<number | null>(Math.max(0, Math.ceil(window.width))).fill(null);
  let low = 0;
  let high = length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (at(mid).time < window.start) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  let last: number | null = low > 0 ? at(low - 1).pending : null;
  let next = low;
  for (let x = 0; x < columns.length; x++) {
    let highest = last;
    while (next < length && (at(next).time - window.start) * scale < x + 1) {
      last = at(next).pending;
      highest = highest === null ? last : Math.max(highest, last);
      next += 1;
    }
    columns[x] = highest;
  }
  return columns;
}
