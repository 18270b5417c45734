import { describe, expect, it } from 'vitest';
import { FLAG, type Frame, type Span } from '../frames';
import { barsOf, busyShare, depthSteps, spanAt } from './aggregate';
import { LaneRing, SpanStore } from './span_store';
import { TimeWindow } from './time_window';

const lane = { id: 0, name: 'cpu(0)', device: 'cpu(0)', virtual: false, kind: 'compute' };

function span(start: number, duration: number, more: Partial<Span> = {}): Span {
  return { start, duration, name: 0, site: 0, node: 0, lane: 0, flags: 0, count: 1, ...more };
}

function ring(...spans: Span[]): LaneRing {
  const made = new LaneRing(lane);
  spans.forEach(s => made.push(s));
  return made;
}

function frame(spans: Span[], more: Partial<Frame> = {}): Frame {
  return {
    type: 'frame',
    seq: 0,
    now: 100,
    lost: 0,
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

describe('LaneRing', () => {
  it('keeps spans sorted by start, whatever order they end in', () => {
    const made = ring(span(5, 1), span(2, 9), span(7, 1));
    expect([0, 1, 2].map(i => made.at(i).start)).toEqual([2, 5, 7]);
  });

  it('forgets the oldest when full, and counts on', () => {
    const made = new LaneRing(lane, 10);
    for (let i = 0; i < 35; i++) {
      made.push(span(i, 1, { count: 2 }));
    }
    expect(made.length).toBe(10);
    expect(made.at(0).start).toBe(25);
    expect(made.total).toBe(35);
    expect(made.operators).toBe(70);
  });
});

describe('barsOf', () => {
  const window = { start: 0, end: 100, width: 100 };

  it('draws wide spans alone and leaves idle gaps', () => {
    const bars = barsOf(ring(span(10, 20), span(50, 5)), window, 100);
    expect(bars.map(b => [b.x, b.w])).toEqual([
      [10, 20],
      [50, 5]
    ]);
  });

  it('makes one bar a pixel of many small spans, with their share of the time', () => {
    const spans = Array.from({ length: 1000 }, (_, i) => span(10 + i * 0.01, 0.005));
    const bars = barsOf(ring(...spans), window, 100);
    expect(bars.length).toBeLessThanOrEqual(11);
    expect(bars.reduce((sum, b) => sum + b.count, 0)).toBe(1000);
    expect(bars[5].share).toBeCloseTo(0.5, 1);
    expect(bars[5].alone).toBe(false);
  });

  it('takes the colour of a pixel from its longest span', () => {
    const spans = [span(10, 0.1, { name: 1 }), span(10.2, 0.5, { name: 2 }), span(10.8, 0.1)];
    const [bar, ...rest] = barsOf(ring(...spans), window, 100);
    expect(rest).toEqual([]);
    expect(bar).toMatchObject({ x: 10, count: 3, span: { name: 2 } });
  });

  it('finds a long span that began before the window', () => {
    const made = ring(span(-500, 560), span(-10, 1));
    expect(barsOf(made, window, 100)).toHaveLength(1);
    expect(barsOf(made, window, 100)[0].w).toBeGreaterThanOrEqual(60);
  });

  it('lets a running span grow with the clock', () => {
    const made = ring();
    made.running = span(40, 1, { flags: FLAG.running });
    expect(barsOf(made, window, 70)[0]).toMatchObject({ x: 40, w: 30 });
  });
});

it('finds the span under the pointer', () => {
  const made = ring(span(10, 20), span(40, 0.1));
  expect(spanAt(made, 15, 1, 100)?.start).toBe(10);
  expect(spanAt(made, 40.6, 1, 100)?.start).toBe(40);
  expect(spanAt(made, 35, 1, 100)).toBeNull();
});

it('tells how busy a lane was, waits not counted', () => {
  const made = ring(span(0, 25), span(10, 30), span(60, 40, { flags: FLAG.wait }));
  expect(busyShare(made, { start: 0, end: 100, width: 1 })).toBeCloseTo(0.4);
});

it('steps the queue depth: highest in a pixel, carried on afterwards', () => {
  const points = [
    { time: -5, pending: 1 },
    { time: 2, pending: 9 },
    { time: 2.5, pending: 3 },
    { time: 6, pending: 0 }
  ];
  const window = { start: 0, end: 8, width: 8 };
  expect(depthSteps(points.length, i => points[i], window)).toEqual([1, 1, 9, 3, 3, 3, 3, 0]);
  expect(depthSteps(0, () => points[0], window)).toEqual(new Array(8).fill(null));
});

describe('SpanStore', () => {
  it('keeps names of earlier frames and running spans of the last one only', () => {
    const store = new SpanStore();
    const running = span(90, 5, { flags: FLAG.running });
    store.add(frame([running], { names: new Map([[0, 'dot']]) }));
    expect(store.lanes.get(0)?.running).toBe(running);
    store.add(frame([span(90, 20)], { lanes: [], now: 120 }));
    expect(store.lanes.get(0)?.running).toBeNull();
    expect(store.names.get(0)).toBe('dot');
    expect(store.spans).toBe(1);
    expect(store.lastActivity).toBe(110);
  });

  it('gives a lane to spans that came before their lane', () => {
    const store = new SpanStore();
    expect(store.add(frame([span(1, 1, { lane: 4 })], { lanes: [] }))).toBe(true);
    expect(store.rings[0].lane.name).toBe('lane 4');
  });
});

describe('TimeWindow', () => {
  it('follows the clock while something runs, and waits when idle', () => {
    const window = new TimeWindow();
    window.synchronize(1000, 5000);
    expect(window.now(5500)).toBe(1500);
    expect(window.end(5500, 1490)).toBe(1440);
    expect(window.moving(5500, 1490)).toBe(true);
    expect(window.end(105_000, 1490)).toBe(1490 + 0.35 * window.span);
    expect(window.moving(105_000, 1490)).toBe(false);
  });

  it('zooms around the pointer when it stands still', () => {
    const window = new TimeWindow();
    window.stop(5000);
    window.zoom(0.5, 0, 5000);
    expect([window.end(0, 0) - window.span, window.span]).toEqual([0, 2500]);
  });
});
