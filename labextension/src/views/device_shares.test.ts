import { describe, expect, it } from 'vitest';
import { FLAG } from '../frame_records';
import { span } from '../testdata/live_frames';
import { stored } from '../testdata/modelled_frames';
import { sharesOf, shareWords } from './device_shares';

const [COMPUTE, COPY] = [4, 2];

describe('sharesOf', () => {
  it('divides the time in sight: compute, copies that nothing hides, neither', () => {
    const store = stored([
      span(0, 4, { lane: COMPUTE }),
      span(6, 2, { lane: COMPUTE }),
      span(3, 2, { lane: COPY }), // 1 of it is hidden
      span(7, 2, { lane: COPY }), // as here
      span(4.5, 0.5, { lane: COPY }) // at the same time as the first one
    ]);
    expect(sharesOf(store, { start: 0, end: 10 }).get('gpu(2)')).toEqual({
      ...{ compute: 6, exposed: 2, idle: 2 }
    });
    expect(sharesOf(store, { start: 2, end: 7 }).get('gpu(2)')).toEqual({
      ...{ compute: 3, exposed: 1, idle: 1 }
    });
  });

  it('goes as far as the picture has come, with what runs', () => {
    const running = span(2, 1, { lane: COMPUTE, flags: FLAG.running });
    const store = stored([running], { now: 4 });
    const shares = sharesOf(store, { start: -6, end: 10 }).get('gpu(2)');
    expect(shares).toEqual({ compute: 2, exposed: 0, idle: 2 });
  });

  it('leaves out a device of which something is not known', () => {
    const gap = { lane: COMPUTE, count: 0, start_ms: 0, end_ms: 1 };
    const found = sharesOf(stored([span(1, 1, { lane: 1 })], { gaps: [gap] }), {
      ...{ start: 0, end: 5 }
    });
    expect([...found.keys()]).toEqual(['gpu(10)', 'cpu(0)']);
  });

  it('in words is all of the time', () => {
    expect(shareWords({ compute: 1, exposed: 1, idle: 1 })).toBe(
      'compute 33 % · exposed 33 % · idle 34 %'
    );
  });
});
