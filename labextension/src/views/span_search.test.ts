import { describe, expect, it } from 'vitest';
import { FLAG } from '../frame_records';
import { frame, lane, span } from '../testdata/live_frames';
import { SpanQuery, unsearched } from './span_search';
import { SpanStore } from './span_store';
import { TimeWindow } from './time_window';

function told(): SpanStore {
  const store = new SpanStore();
  const site = { cell: 'c', text: 'cell', file: '', line: 3, code: 'y = nd.dot(x, w)' };
  const names = new Map([
    [1, 'dot'],
    [2, 'exp']
  ]);
  const other = { ...lane, id: 1, name: 'gpu(0)', device: 'gpu(0)' };
  const spans = [
    span(5, 1, { name: 1, site: 1 }),
    span(2, 1, { name: 1, lane: 1 }),
    span(8, 1, { name: 2, site: 1, count: 4 }),
    span(9, 1, { flags: FLAG.merged, count: 70 }),
    span(1, 9, { name: 1, flags: FLAG.wait })
  ];
  const gaps = [{ lane: 0, count: 12, start_ms: 0, end_ms: 1 }];
  store.add(frame(spans, { lanes: [lane, other], names, sites: new Map([[1, site]]), gaps }));
  return store;
}

describe('SpanQuery', () => {
  it.each([
    ['dot', [2, 5, 8]],
    ['DOT line 3', [5, 8]],
    ['exp', [8]],
    ['nd.dot(x', [5, 8]],
    ['relu', []],
    ['', []]
  ])('%j finds by name, line and code, in order of time', (query, starts) => {
    expect(new SpanQuery(told(), query).find().map(({ start }) => start)).toEqual(starts);
  });

  it('says how many operators it could not look at', () => {
    expect(unsearched(told())).toBe('82 operators whose names are not kept');
    const store = new SpanStore();
    store.add(frame([span(1, 1, { name: 1 })]));
    expect(unsearched(store)).toBe('');
  });
});

describe('TimeWindow', () => {
  it('moves and zooms no more than a hit needs', () => {
    const window = new TimeWindow();
    window.reveal(3000, 3100, 0.01, 5000);
    expect([window.span, window.end(0, 0)]).toEqual([5000, 5000]);
    window.reveal(9000, 9100, 0.01, 5000);
    expect([window.span, window.end(0, 0)]).toEqual([5000, 11550]);
    window.reveal(9000, 9001, 0.01, 11550);
    expect([window.span, window.end(0, 0)]).toEqual([100, 9050.5]);
    window.reveal(0, 1000, 0.01, 9050.5);
    expect([window.span, window.end(0, 0)]).toEqual([100, 95]);
  });
});
