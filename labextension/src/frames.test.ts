import { describe, expect, it } from 'vitest';
import { decodeSpans, FLAG, parseLive, SPAN_BYTES } from './frames';

function span(offset = 0): DataView {
  const view = new DataView(new ArrayBuffer(SPAN_BYTES + offset), offset);
  view.setFloat64(0, 12.5, true);
  view.setFloat32(8, 0.25, true);
  view.setFloat32(12, 0.5, true);
  [3, 4, 5].forEach((value, i) => view.setUint32(16 + 4 * i, value, true));
  view.setUint16(28, 2, true);
  view.setUint16(30, FLAG.inline | FLAG.coalesced, true);
  view.setUint32(32, 17, true);
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
    count: 17
  };

  it('are little-endian records of 36 bytes', () => {
    expect(decodeSpans(span())).toEqual([expected]);
  });

  it('may start at any byte of a message', () => {
    expect(decodeSpans(span(5))).toEqual([expected]);
  });

  it('of a truncated buffer are refused', () => {
    expect(() => decodeSpans(new Uint8Array(37))).toThrow('multiple of 36 bytes, got 37');
  });

  it('that are torn are left out', () => {
    const view = span();
    view.setFloat64(0, NaN, true);
    expect(decodeSpans(view)).toEqual([]);
  });
});

describe('parseLive', () => {
  it('reads a frame with its buffers', () => {
    const depth = Float64Array.from([1, 2, 3, 4]);
    const message = parseLive(
      {
        type: 'frame',
        seq: 4,
        now_ms: 99,
        lanes: [{ id: 2, name: 'gpu(0)', device: 'gpu(0)', virtual: true, kind: 'compute' }],
        names: { 3: 'dot' },
        sites: { 4: { cell: 'abc', line: 2, text: 'y = dot(x, x)' } },
        pending: 6
      },
      [span(), depth]
    );
    if (message.type !== 'frame') {
      throw new Error('not a frame');
    }
    expect(message.now).toBe(99);
    expect(message.spans).toHaveLength(1);
    expect([...message.depth]).toEqual([1, 2, 3, 4]);
    expect(message.names.get(3)).toBe('dot');
    expect(message.sites.get(4)?.line).toBe(2);
    expect(message.engine).toBeNull();
  });

  it('reads a status and a viewer message', () => {
    expect(parseLive({ type: 'status', mode: 'symbolic' })).toMatchObject({ mode: 'symbolic' });
    expect(parseLive({ type: 'status', mode: 'auto' })).toMatchObject({ mode: 'auto' });
    expect(parseLive({ type: 'ran', cell: 'c', way: 'compiled', why: '3 ms' })).toEqual({
      type: 'ran',
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
      'message.type: expected one of frame, status, viewer, spec, refused, ran, stage_ran, got "other"'
    ],
    [{ type: 'viewer', id: 3 }, 'viewer.id: expected a string, got 3'],
    [{ type: 'frame', names: { x: 'dot' } }, 'frame.names: expected an integer'],
    [null, 'message: expected an object, got nothing']
  ])('refuses %j', (message, reason) => {
    expect(() => parseLive(message)).toThrow(reason);
  });
});
