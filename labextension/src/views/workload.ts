// What was done in each of some places: slices of time, or pixels.
import { mergedFlags } from '../frame_records';

/** What was done in one place. */
export interface Worked {
  /** milliseconds of work */
  busy: number;
  /** operators that began in it */
  count: number;
  /** of the longest span in it */
  name: number;
  /** of all its spans */
  flags: number;
}

/** Work, or waits, in so many places. */
export class Workload {
  private readonly busy: Float64Array;
  private readonly counts: Float64Array;
  private readonly longest: Float64Array;
  private readonly names: Uint32Array;
  private readonly flags: Int32Array;

  constructor(readonly length: number) {
    this.busy = new Float64Array(length);
    this.counts = new Float64Array(length);
    this.longest = new Float64Array(length);
    this.names = new Uint32Array(length);
    this.flags = new Int32Array(length).fill(-1);
  }

  clear(at: number): void {
    this.busy[at] = this.counts[at] = this.longest[at] = this.names[at] = 0;
    this.flags[at] = -1;
  }

  /** A span has worked so long in that place; `count`: the operators that began there. */
  add(at: number, span: { name: number; flags: number }, busy: number, count: number): void {
    this.flags[at] = this.flags[at] < 0 ? span.flags : mergedFlags(this.flags[at], span.flags);
    this.busy[at] += busy;
    this.counts[at] += count;
    if (busy >= this.longest[at]) {
      this.longest[at] = busy;
      this.names[at] = span.name;
    }
  }

  /** What was done there; null: nothing. */
  at(at: number): Worked | null {
    if (this.flags[at] < 0) {
      return null;
    }
    const [busy, count] = [this.busy[at], this.counts[at]];
    return { busy, count, name: this.names[at], flags: this.flags[at] };
  }
}
