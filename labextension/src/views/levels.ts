// What lanes did, in slices of time of several lengths: the shorter ones reach back less far, the
// longest for hours. Spans that are not kept any more are drawn from these.
import { FLAG, heldFor, type Span } from '../frame_records';
import { Workload, type Worked } from './workload';

/** Milliseconds of the shortest slice; each level's are `FACTOR` times as long as the one before. */
export const SHORTEST_MS = 0.25;
const FACTOR = 4;
const LEVELS = 9; // the longest slice: 16 s, kept for three days
export const SLICES = 1 << 14;

/** One level: the newest slices, each at its number modulo their count. */
export class Slices {
  private readonly numbers: Float64Array;
  newest = -Infinity;

  constructor(
    readonly width: number,
    private readonly count: number,
    private readonly clear: (at: number) => void
  ) {
    this.numbers = new Float64Array(count).fill(-1);
  }

  /** The place of a slice that something is added to; -1: it is too old to be kept. */
  open(number: number): number {
    if (number < 0 || number <= this.newest - this.count) {
      return -1;
    }
    const at = number % this.count;
    if (this.numbers[at] !== number) {
      this.numbers[at] = number;
      this.clear(at);
    }
    this.newest = Math.max(this.newest, number);
    return at;
  }

  /** The place of a slice, -1 where nothing is known of it. */
  find(number: number): number {
    const at = number % this.count;
    return number >= 0 && this.numbers[at] === number ? at : -1;
  }

  /** The start of the oldest slice that would be kept still. */
  get since(): number {
    return Math.max(0, this.newest - this.count + 1) * this.width;
  }
}

/** The level for pixels of so many milliseconds: the finest that reaches back to `since`, and no
 * finer than the pixels need. */
export function levelFor<T extends { slices: Slices }>(
  levels: T[],
  since: number,
  pixel: number
): T {
  let best = levels[0];
  for (const level of levels) {
    const reaches = best.slices.since <= Math.max(since, 0); // nothing was before
    if (reaches && level.slices.width > pixel) {
      break;
    }
    best = level;
  }
  return best;
}

export function makeLevels<T>(make: (width: number, count: number) => T, count: number): T[] {
  return Array.from({ length: LEVELS }, (_, i) => make(SHORTEST_MS * FACTOR ** i, count));
}

/** What a lane did in one slice. */
export interface Slice extends Worked {
  start: number;
  width: number;
}

class BusyLevel {
  readonly slices: Slices;
  private readonly work: Workload;
  private readonly waits: Workload;

  constructor(width: number, count: number) {
    this.work = new Workload(count);
    this.waits = new Workload(count);
    this.slices = new Slices(width, count, at => {
      this.work.clear(at);
      this.waits.clear(at);
    });
  }

  add(span: Span): void {
    const { width } = this.slices;
    const start = span.start + heldFor(span);
    const end = span.start + span.duration;
    const duration = end - start;
    const channel = span.flags & FLAG.wait ? this.waits : this.work;
    const first = Math.floor(start / width);
    const last = Math.floor(end / width);
    for (let n = Math.max(first, last - SLICES); n <= last; n++) {
      const inside = Math.min(end, (n + 1) * width) - Math.max(start, n * width);
      if (inside <= 0 && n !== first) {
        continue;
      }
      const at = this.slices.open(n);
      if (at >= 0) {
        const busy = duration > 0 ? (span.busy * inside) / duration : span.busy;
        channel.add(at, span, busy, n === first ? span.count : 0);
      }
    }
  }

  each(from: number, to: number, visit: (slice: Slice) => void): void {
    const { width } = this.slices;
    for (let n = Math.max(0, Math.floor(from / width)); n * width < to; n++) {
      const at = this.slices.find(n);
      for (const channel of at < 0 ? [] : [this.waits, this.work]) {
        const worked = channel.at(at);
        if (worked) {
          visit({ ...worked, start: n * width, width });
        }
      }
    }
  }
}

/** The work and the waits of a lane. */
export class BusyLevels {
  private readonly levels: BusyLevel[];

  constructor(slices = SLICES) {
    this.levels = makeLevels((width, count) => new BusyLevel(width, count), slices);
  }

  /** Takes in a span: its work lies evenly over its duration, behind a hold. */
  add(span: Span): void {
    this.levels.forEach(level => level.add(span));
  }

  /** The width of the slices for pixels of so many milliseconds, from a time on. */
  widthFor(since: number, pixel: number): number {
    return levelFor(this.levels, since, pixel).slices.width;
  }

  /** Those slices in which something happened. */
  each(from: number, to: number, pixel: number, visit: (slice: Slice) => void): void {
    levelFor(this.levels, from, pixel).each(from, to, visit);
  }
}
