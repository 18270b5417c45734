// A counter over time, made of parts that stand on each other: its newest points one by one, and all of
// them as slices of time.
import type { Window } from './aggregate';
import { levelFor, makeLevels, SLICES, Slices } from './levels';

const POINTS = 1 << 14;

function sum(values: ArrayLike<number>, from: number, parts: number): number {
  let total = 0;
  for (let i = from; i < from + parts; i++) {
    total += values[i];
  }
  return total;
}

/** One length of slices: of each the parts when their sum was highest, and the last ones. */
class CounterLevel {
  readonly slices: Slices;
  readonly highest: Float64Array;
  readonly last: Float64Array;
  private readonly times: Float64Array;

  constructor(
    width: number,
    count: number,
    private readonly parts: number
  ) {
    this.highest = new Float64Array(count * parts);
    this.last = new Float64Array(count * parts);
    this.times = new Float64Array(count);
    this.slices = new Slices(width, count, at => {
      this.highest.fill(0, at * parts, (at + 1) * parts);
      this.last.fill(0, at * parts, (at + 1) * parts);
      this.times[at] = -Infinity;
    });
  }

  add(time: number, values: readonly number[]): void {
    const at = this.slices.open(Math.floor(time / this.slices.width));
    if (at < 0) {
      return;
    }
    const first = at * this.parts;
    if (sum(values, 0, this.parts) >= sum(this.highest, first, this.parts)) {
      this.highest.set(values, first);
    }
    if (time >= this.times[at]) {
      this.times[at] = time;
      this.last.set(values, first);
    }
  }
}

/** Fills columns pixel by pixel with the highest point of each; the last one is carried on. */
class Columns {
  readonly values: Float64Array;
  private readonly known: Float64Array;
  private readonly most: Float64Array;

  constructor(
    readonly length: number,
    private readonly parts: number
  ) {
    this.values = new Float64Array(length * parts);
    this.known = new Float64Array(parts).fill(NaN);
    this.most = new Float64Array(parts).fill(NaN);
  }

  /** What held from some time on; `highest` is no longer than the pixel. */
  see(highest: Float64Array, last: Float64Array, at: number): void {
    const first = at * this.parts;
    const isMore = !(sum(highest, first, this.parts) < sum(this.most, 0, this.parts));
    for (let i = 0; i < this.parts; i++) {
      this.most[i] = isMore ? highest[first + i] : this.most[i];
      this.known[i] = last[first + i];
    }
  }

  /** The pixel is complete. */
  end(x: number): void {
    this.values.set(this.most, x * this.parts);
    this.most.set(this.known);
  }

  /** What held before the first pixel. */
  start(last: Float64Array, at: number): void {
    const first = at * this.parts;
    this.known.set(last.subarray(first, first + this.parts));
    this.most.set(this.known);
  }
}

export class CounterTrack {
  private readonly levels: CounterLevel[];
  private times = new Float64Array(4 * POINTS);
  private points: Float64Array;
  private length = 0;
  private since = -Infinity;

  constructor(
    readonly parts: number,
    slices = SLICES
  ) {
    this.points = new Float64Array(4 * POINTS * parts);
    this.levels = makeLevels((width, count) => new CounterLevel(width, count, parts), slices);
  }

  /** From `time` on it is so. A point may be older than the last one: several threads tell them. */
  add(time: number, values: readonly number[]): void {
    this.levels.forEach(level => level.add(time, values));
    if (this.length === 4 * POINTS) {
      this.forget(2 * POINTS);
    }
    const { times, points, parts } = this;
    let i = this.length;
    for (; i > 0 && times[i - 1] > time; i--) {
      times[i] = times[i - 1];
      points.copyWithin(i * parts, (i - 1) * parts, i * parts);
    }
    times[i] = time;
    points.set(values, i * parts);
    this.length += 1;
  }

  /** The parts at a time, as far as points are kept one by one; null: not known. */
  at(time: number): number[] | null {
    const i = this.search(time);
    const first = (i - 1) * this.parts;
    return i === 0 ? null : [...this.points.subarray(first, first + this.parts)];
  }

  /** The parts of each pixel when their sum was highest, pixel after pixel; NaN where nothing is known. */
  columns(window: Window): Float64Array {
    const { start, end, width } = window;
    const columns = new Columns(Math.max(0, Math.ceil(width)), this.parts);
    const pixel = (end - start) / width;
    if (start < this.since) {
      this.fromLevels(columns, start, pixel);
    } else {
      this.fromPoints(columns, start, pixel);
    }
    return columns.values;
  }

  private fromPoints(columns: Columns, start: number, pixel: number): void {
    let next = this.search(start);
    if (next > 0) {
      columns.start(this.points, next - 1);
    }
    for (let x = 0; x < columns.length; x++) {
      const end = start + (x + 1) * pixel;
      for (; next < this.length && this.times[next] < end; next++) {
        columns.see(this.points, this.points, next);
      }
      columns.end(x);
    }
  }

  private fromLevels(columns: Columns, start: number, pixel: number): void {
    const { slices, highest, last } = levelFor(this.levels, start, pixel);
    let n = Math.floor(start / slices.width);
    for (let before = n - 1; before * slices.width >= slices.since; before--) {
      const at = slices.find(before);
      if (at >= 0) {
        columns.start(last, at);
        break;
      }
    }
    for (let x = 0; x < columns.length; x++) {
      // A slice belongs to the pixel in which it begins, the first one to those before it, too.
      for (; n * slices.width < start + (x + 1) * pixel; n++) {
        const at = slices.find(n);
        if (at >= 0) {
          columns.see(highest, last, at);
        }
      }
      columns.end(x);
    }
  }

  /** How many points are not later than `time`. */
  private search(time: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.times[mid] <= time) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low;
  }

  private forget(count: number): void {
    this.times.copyWithin(0, count);
    this.points.copyWithin(0, count * this.parts);
    this.length -= count;
    this.since = this.times[0];
  }
}
