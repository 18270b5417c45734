// Frames of the live comm for tests.
import type { Span } from '../frame_records';
import type { Frame, Lane } from '../frames';

export const lane: Lane = {
  id: 0,
  name: 'cpu(0)',
  device: 'cpu(0)',
  virtual: false,
  kind: 'compute'
};

export function span(start: number, duration: number, more: Partial<Span> = {}): Span {
  const none = { name: 0, site: 0, node: 0, lane: 0, flags: 0, count: 1 };
  const origin = { serial: 0, queued: 0, pusher: 0, more: 0 };
  return { start, duration, busy: duration, ...none, ...origin, ...more };
}

export function frame(spans: Span[], more: Partial<Frame> = {}): Frame {
  return {
    type: 'frame',
    seq: 0,
    now: 100,
    process: '',
    cell_ms: null,
    gaps: [],
    lanes: [lane],
    names: new Map(),
    families: new Map(),
    sites: new Map(),
    engine: null,
    pending: 0,
    pools: [],
    spans,
    queue: [],
    producers: [],
    ...more
  };
}
