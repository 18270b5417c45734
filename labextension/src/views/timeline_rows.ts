// Where things stand on the timeline: the axis, a row for each lane, then two tracks for each device.
import type { DeviceCounters } from './device_counters';
import type { DeviceMemory } from './device_memory';
import { ModelledStore } from './modelled_store';
import type { LaneRing, SpanStore } from './span_store';

export const LABEL_WIDTH = 116;
export const AXIS_HEIGHT = 20;
export const LANE_HEIGHT = 34;
/** Of a lane whose name stands beside its device's other lanes. */
export const LOW_LANE_HEIGHT = 20;
const TRACK_HEIGHT = 46;
const TITLE_HEIGHT = 24;
const HELD_HEIGHT = 40;

export interface Placed {
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

/** Under the lanes of a modelled device: what its memory is used for. */
export interface HeldRow extends Placed {
  kind: 'held';
  memory: DeviceMemory;
}

/** Stands over the lanes of a modelled device, and of links; the host's lanes have its name. */
export interface TitleRow extends Placed {
  kind: 'title';
  device: string;
}

export type Row = LaneRow | TrackRow | TitleRow | HeldRow;

export function rowsOf(store: SpanStore): Row[] {
  let top = AXIS_HEIGHT;
  const place = (height: number) => {
    top += height;
    return { top: top - height, height };
  };
  const { isModelled, rings } = store;
  const lanes = rings.flatMap((ring, i): Row[] => {
    const { device, kind } = ring.lane;
    const begins = isModelled && device !== rings[i - 1]?.lane.device && kind !== 'host';
    const ends = device !== rings[i + 1]?.lane.device;
    const title: Row[] = begins ? [{ kind: 'title', device, ...place(TITLE_HEIGHT) }] : [];
    const lane: Row = { kind: 'lane', ring, ...place(isModelled ? LOW_LANE_HEIGHT : LANE_HEIGHT) };
    const memory = ends && store instanceof ModelledStore ? store.memories.get(device) : undefined;
    const held: Row[] = memory ? [{ kind: 'held', memory, ...place(HELD_HEIGHT) }] : [];
    return [...title, lane, ...held];
  });
  const tracks = store.counters.flatMap(counters =>
    (['queue', 'memory'] as const).map(kind => ({ kind, counters, ...place(TRACK_HEIGHT) }))
  );
  return [...lanes, ...tracks];
}

export function heightOf(rows: readonly Row[]): number {
  return Math.max(...rows.map(row => row.top + row.height), AXIS_HEIGHT + LANE_HEIGHT) + 4;
}
