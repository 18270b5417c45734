// Frames of the live comm for tests.
import type { Frame, Lane, Span } from '../frames';

export const lane: Lane = {
  id: 0,
  name: 'cpu(0)',
  device: 'cpu(0)',
  virtual: false,
  kind: 'compute'
};

export function span(start: number, duration: number, more: Partial<Span> = {}): Span {
  const rest = { name: 0, site: 0, node: 0, lane: 0, flags: 0, count: 1 };
  return { start, duration, busy: duration, ...rest, ...more };
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
    sites: new Map(),
    engine: null,
    pending: 0,
    pools: [],
    spans,
    depth: new Float64Array(0),
    ...more
  };
}
