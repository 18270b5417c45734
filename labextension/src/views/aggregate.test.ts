import { describe, expect, it } from 'vitest';
import { FLAG, type Span } from '../frame_records';
import { frame, lane, span } from '../testdata/live_frames';
import { barsOf, spanAt, workIn, type Window } from './aggregate';
import { LaneRing, SpanStore } from './span_store';
import { TimeWindow } from './time_window';

function ring(...spans: Span[]): LaneRing {
  const made = new LaneRing(lane);
  spans.forEach(s => made.push(s));
  return made;
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
    expect(made.droppedUntil).toBe(25);
  });
});

describe('barsOf', () => {
  const window = { start: 0, end: 100, width: 100 };

  it('adds up merged spans of several kinds, which lie over each other', () => {
    const merged = (name: number, busy: number) =>
      span(10, 20, { name, busy, flags: FLAG.merged, count: 50 });
    const bars = barsOf(ring(merged(1, 8), merged(2, 6)), window, 100);
    expect(bars.map(b => b.x)).toEqual(Array.from({ length: 20 }, (_, i) => 10 + i));
    bars.forEach(b => expect(b.share).toBeCloseTo(0.7, 9));
    expect(bars.every(b => b.name === 1 && !b.alone)).toBe(true);
  });

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
    expect(bar).toMatchObject({ x: 10, count: 3, name: 2 });
  });

  it('finds a long span that began before the window', () => {
    const made = ring(span(-500, 560), span(-10, 1));
    expect(barsOf(made, window, 100)).toHaveLength(1);
    expect(barsOf(made, window, 100)[0].w).toBeGreaterThanOrEqual(60);
  });

  it('tells how much of a span slow motion held, which is no work', () => {
    const flags = FLAG.artificial;
    const made = ring(span(10, 20, { busy: 5, flags }), span(40, 0.5, { busy: 0.1, flags }));
    made.running = span(60, 10, { busy: 0, flags: flags | FLAG.running });
    const [wide, running, thin] = barsOf(made, window, 75);
    expect(wide).toMatchObject({ x: 10, w: 20, held: 15, alone: true });
    expect(running).toMatchObject({ x: 60, w: 15, held: 15 });
    expect(thin).toMatchObject({ x: 40, w: 1, flags });
    expect(thin.share).toBeCloseTo(0.1, 9);
    made.running = span(60, 10, { busy: 4, flags: flags | FLAG.running });
    expect(barsOf(made, window, 75)[1]).toMatchObject({ x: 60, w: 15, held: 6 });
    expect(workIn(made, 10, 25)).toEqual({ busy: 0, count: 0 });
    expect(workIn(made, 0, 50).busy).toBeCloseTo(5.1, 9);
    expect(workIn(made, 0, 50).count).toBe(2);
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
  const made = ring(span(0, 25), span(30, 30), span(60, 40, { flags: FLAG.wait }));
  expect(workIn(made, 0, 100)).toEqual({ busy: 55, count: 2 });
  expect(workIn(made, 10, 40).busy).toBeCloseTo(25);
});

// A lane of many spans, some merged and some waits, as it is and with only its newest spans kept.
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

function busyLane(count: number): Span[] {
  const next = random(7);
  const spans: Span[] = [];
  let time = 3;
  for (let i = 0; i < count; i++) {
    const duration = next() < 0.02 ? 20 * next() : 0.3 * next();
    const merged = next() < 0.3;
    const wait = next() < 0.05;
    const flags = (merged ? FLAG.merged : 0) | (wait ? FLAG.wait : 0);
    const busy = merged ? duration * next() : duration;
    spans.push(span(time, duration, { busy, flags, count: merged ? 5 : 1, name: i % 3 }));
    time += duration + 0.3 * next();
  }
  return spans;
}

function pixelShares(made: LaneRing, window: Window): number[] {
  const shares = new Array<number>(window.width).fill(0);
  for (const bar of barsOf(made, window, 0).filter(b => !(b.flags & FLAG.wait))) {
    for (let x = Math.max(0, Math.floor(bar.x)); x < Math.min(bar.x + bar.w, window.width); x++) {
      shares[x] += bar.share * (Math.min(x + 1, bar.x + bar.w) - Math.max(x, bar.x));
    }
  }
  return shares;
}

describe('a lane whose older spans are not kept', () => {
  const spans = busyLane(4000);
  const whole = ring(...spans);
  const total = spans.at(-1)!.start + 30;
  const made = new LaneRing(lane, 300);
  spans.forEach(s => made.push(s));

  it.each([800, 200, 50, 12])('is as busy in each of %i pixels as the spans were', width => {
    // Pixels of whole slices: each slice is drawn in one of them.
    const pixel = 4 ** Math.ceil(Math.log2(total / width) / 2);
    const window = { start: 0, end: width * pixel, width };
    const expected = pixelShares(whole, window);
    const shares = pixelShares(made, window);
    expect(made.droppedUntil).toBeGreaterThan(total / 2);
    expect(Math.max(...shares)).toBeGreaterThan(0.2);
    shares.forEach((share, x) => expect(share).toBeCloseTo(Math.min(1, expected[x]), 6));
  });

  it.each([0.05, 0.7, 3, 40])('counts every operator once, with pixels of %f ms', pixel => {
    const width = Math.ceil(total / pixel);
    const bars = barsOf(made, { start: 0, end: width * pixel, width }, 0);
    const count = (wait: boolean) =>
      bars
        .filter(b => Boolean(b.flags & FLAG.wait) === wait)
        .reduce((sum, bar) => sum + bar.count, 0);
    const waits = spans.filter(s => s.flags & FLAG.wait);
    expect(count(false)).toBe(made.operators);
    expect(made.operators).toBe(
      spans.reduce((sum, s) => sum + s.count, 0) - waits.reduce((sum, s) => sum + s.count, 0)
    );
  });

  it('is drawn as finely when the window begins before everything', () => {
    const bars = barsOf(made, { start: -total, end: total, width: 8000 }, 0);
    const starts = bars.map(b => b.x * ((2 * total) / 8000) - total);
    expect(Math.min(...starts)).toBeGreaterThan(2);
    expect(Math.max(...bars.map(b => b.w * ((2 * total) / 8000)))).toBeLessThan(25);
  });

  it('says how much of a time it worked, across the oldest span that is kept', () => {
    for (const [from, to] of [
      [0, total],
      [made.droppedUntil - 64, made.droppedUntil + 64]
    ]) {
      const work = workIn(made, from, to);
      expect(Math.abs(work.busy - workIn(whole, from, to).busy)).toBeLessThan(0.5);
    }
  });
});

it('keeps gaps and their operators for good, those that touch as one', () => {
  const made = ring(span(0, 1));
  made.addGap({ lane: 0, count: 3, start_ms: 10, end_ms: 20 });
  made.addGap({ lane: 0, count: 4, start_ms: 20, end_ms: 25 });
  made.addGap({ lane: 0, count: 5, start_ms: 40, end_ms: 50 });
  expect(made.gaps.map(g => [g.start_ms, g.end_ms, g.count])).toEqual([
    [10, 25, 7],
    [40, 50, 5]
  ]);
  expect([made.unrecorded, made.operators]).toEqual([12, 13]);
  expect(made.gapAt(22, 0)?.count).toBe(7);
  expect(made.gapAt(30, 1)).toBeNull();
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
