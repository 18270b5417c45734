// Where things stand on the timeline: the axis, a row for each lane, then two tracks for each device.
import type { DeviceCounters } from './device_counters';
import type { LaneRing, SpanStore } from './span_store';

export const LABEL_WIDTH = 116;
export const AXIS_HEIGHT = 20;
export const LANE_HEIGHT = 34;
const TRACK_HEIGHT = 46;

interface Placed {
  top: number;
  height: number;
}

export interface LaneRow extends Placed {
  kind: 'lane';
  ring: LaneRing;
}

export interface TrackRow extends Placed {
  kind: 'queue' | 'memory';
  counters: DeviceCounters;
}

export type Row = LaneRow | TrackRow;

export function rowsOf(store: SpanStore): Row[] {
  let top = AXIS_HEIGHT;
  const place = (height: number) => {
    top += height;
    return { top: top - height, height };
  };
  const lanes = store.rings.map(ring => ({
    kind: 'lane' as const,
    ring,
    ...place(LANE_HEIGHT)
  }));
  const tracks = store.counters.flatMap(counters =>
    (['queue', 'memory'] as const).map(kind => ({ kind, counters, ...place(TRACK_HEIGHT) }))
  );
  return [...lanes, ...tracks];
}

export function heightOf(rows: readonly Row[]): number {
  return Math.max(...rows.map(row => row.top + row.height), AXIS_HEIGHT + LANE_HEIGHT) + 4;
}
