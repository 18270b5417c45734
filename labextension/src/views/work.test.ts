import { expect, it } from 'vitest';
import { FLAG, type Span } from '../frame_records';
import type { Frame } from '../frames';
import { frame as plainFrame, lane, span as plainSpan } from '../testdata/live_frames';
import { SpanStore } from './span_store';
import { TimeWindow } from './time_window';
import { workBetween, workCsv, type Worked } from './work';

const span = (start: number, duration: number, more: Partial<Span> = {}) =>
  plainSpan(start, duration, { name: 1, site: 1, ...more });

const frame = (spans: Span[], more: Partial<Frame> = {}) =>
  plainFrame(spans, {
    lanes: [lane, { ...lane, id: 1, name: 'cpu(1)' }],
    names: new Map([
      [1, 'dot'],
      [2, 'exp']
    ]),
    sites: new Map([
      [1, { cell: 'a', line: 3, text: 'cell', file: '', code: 'y = dot(x, x)' }],
      [2, { cell: null, line: 7, text: 'f.py', file: 'f.py', code: '=1+"2"' }]
    ]),
    ...more
  });

it('adds up what ran in a stretch of time, over all lanes', () => {
  const store = new SpanStore();
  store.add(
    frame([
      span(0, 10),
      span(20, 10, { lane: 1, count: 4, busy: 8, flags: FLAG.coalesced }),
      span(30, 4, { name: 2, site: 2 }),
      span(34, 50, { flags: FLAG.wait }),
      span(50, 10, { name: 0, site: 0, flags: FLAG.merged, count: 100, busy: 5 }),
      span(70, 10, { flags: FLAG.merged, count: 30, busy: 6 })
    ])
  );
  const part = workBetween(store, { start: 5, end: 32 });
  expect(part.rows.map(r => [r.name, r.operators, r.busy])).toEqual([
    ['dot', 4.5, 13], // half of the first one
    ['exp', 0.5, 2]
  ]);
  expect(part.rows[0].site?.line).toBe(3);
  expect(part).toMatchObject({ busy: 15, cut: 2, running: 0, unrecorded: 0 });
  const whole = workBetween(store, { start: 0, end: 100 });
  expect(whole.rows.find(r => r.name === null)).toMatchObject({ operators: 100, busy: 5 });
  expect(workBetween(store, { start: 200, end: 300 }).rows).toEqual([]);
  // Parts add up to the whole.
  const cuts = [0, 5, 21, 33, 55, 100];
  const parts = cuts.slice(1).map((end, i) => workBetween(store, { start: cuts[i], end }));
  const sum = (of: (w: Worked) => number) => parts.reduce((all, w) => all + of(w), 0);
  expect(sum(w => w.busy)).toBeCloseTo(whole.busy, 9);
  const dots = ({ rows }: Worked) => rows.find(r => r.name === 'dot')?.operators ?? 0;
  expect(dots(whole)).toBe(35); // with those that were merged, as all of one kind
  expect(sum(dots)).toBeCloseTo(35, 9);
});

it('does not take for work what slow motion held', () => {
  const store = new SpanStore();
  const flags = FLAG.artificial;
  const slowed = Array.from({ length: 70_000 }, (_, i) => span(20 * i, 20, { busy: 0.5, flags }));
  store.add(frame([...slowed, span(1_400_000, 20, { name: 2, busy: 0, flags })]));
  const one = workBetween(store, { start: 1_399_980, end: 1_399_999.75 });
  expect(one.rows.map(r => [r.name, r.operators, r.busy])).toEqual([['dot', 0.5, 0.25]]);
  expect(one.held).toBe(true);
  expect(workBetween(store, { start: 1_399_980, end: 1_399_990 })).toMatchObject({
    rows: [],
    held: true
  });
  const all = workBetween(store, { start: 0, end: 1_500_000 });
  expect(all.busy).toBeCloseTo(35_000, 3); // the oldest are known as slices
  expect(all.rows.some(r => r.name === 'exp')).toBe(false); // a program's hold
});

it('says what it can not tell by operator', () => {
  const store = new SpanStore();
  const spans = Array.from({ length: 70_000 }, (_, i) => span(i, 0.5));
  const gaps = [{ lane: 0, count: 12, start_ms: 70_000, end_ms: 70_100 }];
  const running = span(69_990, 300, { flags: FLAG.running });
  store.add(frame([...spans, running], { gaps, now: 70_290 }));
  const all = workBetween(store, { start: 0, end: 71_000 });
  expect(all).toMatchObject({ running: 1, unrecorded: 12, cut: 0 });
  // The oldest are known as slices only: their time and number are told all the same.
  const older = all.rows.find(r => r.name === null);
  const dots = all.rows.find(r => r.name === 'dot');
  expect(older?.operators).toBeGreaterThanOrEqual(70_000 - 65_536);
  expect((older?.operators ?? 0) + (dots?.operators ?? 0)).toBeCloseTo(70_000, 6);
  expect(all.busy).toBeCloseTo(35_000, 3);
});

it('writes CSV that a spreadsheet takes for text', () => {
  const store = new SpanStore();
  store.add(frame([span(0, 1500), span(5, 500, { name: 2, site: 2, count: 2 })]));
  expect(workCsv(workBetween(store, { start: 0, end: 4000 })).split('\r\n')).toEqual([
    'operator,count,total_s,mean_s,share,where,line,code',
    'dot,1,1.5,1.5,0.75,cell,3,"y = dot(x, x)"',
    `exp,2,0.5,0.25,0.25,f.py,7,"'=1+""2"""`,
    ''
  ]);
});

it('knows the last cell that had the engine work', () => {
  const store = new SpanStore();
  expect(store.lastCell).toBeNull();
  store.add(frame([span(12, 30)], { cell_ms: 10 }));
  expect(store.lastCell).toEqual({ start: 10, end: 42 });
  store.add(frame([], { cell_ms: 10.2 })); // the same, by two clocks
  store.add(frame([], { cell_ms: 90 })); // a cell without an operator
  expect(store.lastCell).toEqual({ start: 10, end: 42 });
  store.add(frame([span(80, 25)], { cell_ms: 95 })); // its operator began before the last cell
  expect(store.lastCell).toEqual({ start: 10, end: 105 });
  store.add(frame([span(130, 5)], { cell_ms: 120, now: 140 }));
  expect(store.lastCell).toEqual({ start: 120, end: 135 });
  const window = new TimeWindow();
  window.show(120, 135);
  expect(window.following).toBe(false);
  const end = window.end(0, 0);
  expect(end).toBeGreaterThan(135);
  expect(end - window.span).toBeLessThan(120);
});
