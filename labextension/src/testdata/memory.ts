// A memory plan of a few buffers, for tests.
import type { Buffer, Memory } from '../spec';

export function memory(buffers: Partial<Buffer>[], rest: Partial<Memory> = {}): Memory {
  const base: Buffer = {
    id: 0,
    node: 0,
    label: '',
    bytes: 10,
    offset: 0,
    start: 0,
    end: 0,
    kind: 'arena',
    line: null,
    shares: [],
    values: []
  };
  return {
    steps: [],
    buffers: buffers.map((b, id) => ({ ...base, id, ...b })),
    arena_bytes: 0,
    planned: 0,
    lower_bound: 0,
    imperative: 0,
    optimal: false,
    placed: [],
    held: [],
    devices: [],
    unsure: 0,
    repeated: 0,
    attempts: [],
    attempted: [],
    arena_bound: 0,
    method: '',
    ...rest
  };
}
