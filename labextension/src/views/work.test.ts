import { expect, it } from 'vitest';
import { FLAG, type Span } from '../frame_records';
import type { Frame } from '../frames';
import { frame as plainFrame, lane, span as plainSpan } from '../testdata/live_frames';
import { SpanStore } from './span_store';
import { TimeWindow } from './time_window';
import { workBetween, workCsv } from './work';

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
      span(50, 10, { flags: FLAG.merged, count: 100, busy: 5 })
    ])
  );
  const rows = workBetween(store, 5, 32);
  expect(rows.map(r => [r.name, r.operators, r.busy])).toEqual([
    ['dot', 5, 13], // half of the first one
    ['exp', 1, 2]
  ]);
  expect(rows[0].site?.line).toBe(3);
  expect(workBetween(store, 0, 100).find(r => r.name === '')).toMatchObject({
    operators: 100,
    busy: 5
  });
  expect(workBetween(store, 200, 300)).toEqual([]);
});

it('writes CSV that a spreadsheet takes for text', () => {
  const store = new SpanStore();
  store.add(frame([span(0, 1000), span(5, 1, { name: 2, site: 2 })]));
  expect(workCsv(workBetween(store, 0, 2000)).split('\r\n')).toEqual([
    'operator,operators,seconds,place,line,code',
    'dot,1,1,cell,3,"y = dot(x, x)"',
    `exp,1,0.001,f.py,7,"'=1+""2"""`,
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
