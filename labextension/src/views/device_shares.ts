// How a modelled device spent the time in sight: it computed, it only copied, or it did neither.
import type { LaneRing } from './span_store';
import type { ModelledStore } from './modelled_store';
import type { Range } from './work';

/** Milliseconds; exposed: copies during which the device did not compute. */
export interface Shares {
  compute: number;
  exposed: number;
  idle: number;
}

type Interval = [number, number];

/** By device. One whose older spans are not kept one by one is left out. */
export function sharesOf(store: ModelledStore, range: Range): Map<string, Shares> {
  const found = new Map<string, Shares>();
  const [start, end] = [Math.max(range.start, 0), Math.min(range.end, store.now)];
  for (const device of new Set(store.working.map(({ lane }) => lane.device))) {
    const rings = store.working.filter(({ lane }) => lane.device === device);
    if (end <= start || rings.some(ring => ring.droppedUntil > start || ring.gaps.length > 0)) {
      continue;
    }
    const of = (computes: boolean) =>
      union(
        rings
          .filter(({ lane }) => (lane.kind === 'compute') === computes)
          .flatMap(ring => intervals(ring, start, end))
      );
    const [computing, copying] = [of(true), of(false)];
    const compute = length(computing);
    const exposed = length(union([...computing, ...copying])) - compute;
    found.set(device, { compute, exposed, idle: Math.max(end - start - compute - exposed, 0) });
  }
  return found;
}

/** `compute 62 % · exposed 10 % · idle 28 %` */
export function shareWords({ compute, exposed, idle }: Shares): string {
  const all = compute + exposed + idle;
  const [first, second] = [compute, exposed].map(part => Math.round((100 * part) / all));
  // Together they are all of the time.
  return `compute ${first} % · exposed ${second} % · idle ${Math.max(0, 100 - first - second)} %`;
}

function intervals(ring: LaneRing, start: number, end: number): Interval[] {
  const found: Interval[] = [];
  const add = (from: number, to: number) => {
    if (Math.max(from, start) < Math.min(to, end)) {
      found.push([Math.max(from, start), Math.min(to, end)]);
    }
  };
  for (let i = ring.search(start); i < ring.length && ring.at(i).start < end; i++) {
    add(ring.at(i).start, ring.at(i).start + ring.at(i).duration);
  }
  if (ring.running) {
    add(ring.running.start, end);
  }
  return found;
}

function union(all: Interval[]): Interval[] {
  const found: Interval[] = [];
  for (const [from, to] of [...all].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last && from <= last[1]) {
      last[1] = Math.max(last[1], to);
    } else {
      found.push([from, to]);
    }
  }
  return found;
}

function length(all: Interval[]): number {
  return all.reduce((sum, [from, to]) => sum + to - from, 0);
}
