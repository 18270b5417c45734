import { describe, expect, it } from 'vitest';
import { FLAG, SPAN_BYTES } from './frame_records';
import { parseLive } from './frames';

function spans(...of: [number, number, number][]): DataView {
  const view = new DataView(new ArrayBuffer(SPAN_BYTES[2] * of.length));
  of.forEach(([start, duration, flags], i) => {
    const at = i * SPAN_BYTES[2];
    view.setFloat64(at, start, true);
    view.setFloat32(at + 8, duration, true);
    view.setFloat32(at + 12, duration, true);
    view.setUint16(at + 28, 1, true);
    view.setUint16(at + 30, flags, true);
  });
  return view;
}

const head = {
  type: 'modelled_frame',
  version: 2,
  clock: 3,
  machine: '2 x V100, virtual, computed by the CPU',
  now_ms: 1.5,
  slower: 50,
  live: true,
  lagging: [1],
  lost: 4,
  lanes: [{ id: 1, name: 'gpu(0) compute', device: 'gpu(0)', virtual: true, kind: 'compute' }]
};

describe('frames of the modelled clock', () => {
  it('are read as the real ones, with their pace', () => {
    const read = parseLive(head, [spans([1, 0.25, 0], [1.25, 0.25, FLAG.running])]);
    expect(read).toMatchObject({
      ...{ type: 'modelled_frame', clock: 3, slower: 50, live: true, lagging: [1], lost: 4 },
      ...{ now: 1.5, machine: head.machine, queue: [], producers: [], pending: 0 },
      lanes: head.lanes,
      spans: [
        { start: 1, duration: 0.25, lane: 1, flags: 0 },
        { start: 1.25, duration: 0.25, lane: 1, flags: FLAG.running }
      ]
    });
  });

  it('tell that nothing is modelled any more by clock 0', () => {
    const read = parseLive({ type: 'modelled_frame', clock: 0 }, [new ArrayBuffer(0)]);
    expect(read).toMatchObject({ clock: 0, slower: null, live: false, lagging: [], spans: [] });
  });

  it('of another version, or with lanes that are no numbers, are refused', () => {
    expect(() => parseLive({ ...head, version: 3 })).toThrow('expected 1 to 2, got 3');
    expect(() => parseLive({ ...head, lagging: ['x'] })).toThrow('modelled_frame.lagging');
  });
});
