import { describe, expect, it } from 'vitest';
import { decodeSpans, FLAG, SPAN_BYTES } from './frame_records';
import { parseLive } from './frames';

function span(offset = 0): DataView {
  const view = new DataView(new ArrayBuffer(SPAN_BYTES[2] + offset), offset);
  view.setFloat64(0, 12.5, true);
  view.setFloat32(8, 0.25, true);
  view.setFloat32(12, 0.5, true);
  [3, 4, 5].forEach((value, i) => view.setUint32(16 + 4 * i, value, true));
  view.setUint16(28, 2, true);
  view.setUint16(30, FLAG.inline | FLAG.coalesced, true);
  view.setUint32(32, 17, true);
  view.setUint32(36, 99, true);
  view.setFloat32(40, 1.5, true);
  [1, 6].forEach((value, i) => view.setUint16(44 + 2 * i, value, true));
  return view;
}

describe('spans', () => {
  const expected = {
    start: 12.5,
    duration: 0.5,
    busy: 0.25,
    name: 3,
    site: 4,
    node: 5,
    lane: 2,
    flags: 3,
    count: 17,
    serial: 99,
    queued: 1.5,
    pusher: 1,
    more: 6
  };

  it('are little-endian records of 48 bytes', () => {
    expect(decodeSpans(span(), 2)).toEqual([expected]);
  });

  it('of the first version know nothing of their push', () => {
    const old = new DataView(span().buffer, 0, SPAN_BYTES[1]);
    const unknown = { serial: 0, queued: 0, pusher: 0, more: 0 };
    expect(decodeSpans(old, 1)).toEqual([{ ...expected, ...unknown }]);
  });

  it('may start at any byte of a message', () => {
    expect(decodeSpans(span(5), 2)).toEqual([expected]);
  });

  it('of a truncated buffer are refused', () => {
    expect(() => decodeSpans(new Uint8Array(49), 2)).toThrow('multiple of 48 bytes, got 49');
  });

  it('that are torn are left out', () => {
    const view = span();
    view.setFloat64(0, NaN, true);
    expect(decodeSpans(view, 2)).toEqual([]);
  });
});

describe('parseLive', () => {
  it('reads a frame with its buffers', () => {
    const queue = new DataView(new ArrayBuffer(40));
    [12.5, 4096, 8192].forEach((value, i) => queue.setFloat64([0, 24, 32][i], value, true));
    [2, 7, 5, 1].forEach((value, i) => queue.setUint32(8 + 4 * i, value, true));
    const message = parseLive(
      {
        type: 'frame',
        version: 2,
        seq: 4,
        now_ms: 99,
        lanes: [{ id: 2, name: 'gpu(0)', device: 'gpu(0)', virtual: true, kind: 'compute' }],
        names: { 3: 'dot' },
        sites: { 4: { cell: 'abc', line: 2, text: 'y = dot(x, x)' } },
        pending: 6
      },
      [span(), queue, Uint32Array.from([98, 99])]
    );
    if (message.type !== 'frame') {
      throw new Error('not a frame');
    }
    expect(message.now).toBe(99);
    expect(message.spans).toHaveLength(1);
    expect(message.queue).toEqual([
      { time: 12.5, lane: 2, waiting: 7, ready: 5, running: 1, used: 4096, high: 8192 }
    ]);
    expect(message.producers).toEqual([{ producer: 98, consumer: 99 }]);
    expect(message.names.get(3)).toBe('dot');
    expect(message.sites.get(4)?.line).toBe(2);
    expect(message.engine).toBeNull();
  });

  it('reads a frame of the first version, which had pairs of depths', () => {
    const old = new DataView(span().buffer, 0, SPAN_BYTES[1]);
    const message = parseLive({ type: 'frame', seq: 1 }, [old, new Float64Array(4)]);
    expect(message).toMatchObject({ seq: 1, queue: [], producers: [], spans: [{ count: 17 }] });
  });

  it('reads a status and a viewer message', () => {
    expect(parseLive({ type: 'status', mode: 'symbolic' })).toMatchObject({ mode: 'symbolic' });
    expect(parseLive({ type: 'status', mode: 'auto' })).toMatchObject({ mode: 'auto' });
    expect(parseLive({ type: 'ran', cell: 'c', way: 'compiled', why: '3 ms' })).toEqual({
      type: 'ran',
      mode: 'auto',
      explicit: false,
      failed: '',
      cell: 'c',
      way: 'compiled',
      why: '3 ms'
    });
    expect(parseLive({ type: 'ran', cell: 'c', way: 'skipped' })).toMatchObject({ way: 'skipped' });
    expect(parseLive({ type: 'viewer', id: 'x', stage: 2 })).toEqual({
      type: 'viewer',
      id: 'x',
      stage: 2,
      selected: null
    });
  });

  it.each([
    [
      { type: 'other' },
      'message.type: expected one of frame, modelled_frame, status, viewer, spec, refused, ran, stage_ran, got "other"'
    ],
    [{ type: 'viewer', id: 3 }, 'viewer.id: expected a string, got 3'],
    [{ type: 'frame', version: 3 }, 'frame.version: expected 1 to 2, got 3'],
    [{ type: 'frame', names: { x: 'dot' } }, 'frame.names: expected an integer'],
    [null, 'message: expected an object, got nothing']
  ])('refuses %j', (message, reason) => {
    expect(() => parseLive(message)).toThrow(reason);
  });
});
