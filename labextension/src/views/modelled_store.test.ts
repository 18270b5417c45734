import { describe, expect, it } from 'vitest';
import { FLAG } from '../frame_records';
import { span } from '../testdata/live_frames';
import { modelled, stored } from '../testdata/modelled_frames';
import { rowsOf } from './timeline_rows';
import { laneWords, spanWords } from './timeline_words';
import { shortNames } from './modelled_words';
import { workBetween } from './work';

describe('ModelledStore', () => {
  it('has the host first, then the devices by number, each with its lanes, and links last', () => {
    const rows = rowsOf(stored([]));
    const told = rows.map(row =>
      row.kind === 'lane' ? row.ring.lane.name : row.kind === 'title' ? `# ${row.device}` : row.kind
    );
    expect(told).toEqual([
      'host',
      ...['# gpu(2)', 'gpu(2) compute', 'gpu(2) copy-in', '# gpu(10)', 'gpu(10) compute'],
      ...['# cpu(0)', 'cpu(0) compute'],
      ...['# links', 'PCIe switch 0 to gpu(2)', 'PCIe switch 0 to gpu(10)']
    ]);
    rows.slice(1).forEach((row, i) => expect(row.top).toBe(rows[i].top + rows[i].height));
  });

  it('keeps cells apart that begin within a thousandth of a second', () => {
    const store = stored([span(0.1, 0.1, { lane: 4 })], { cell_ms: 0 });
    store.add(modelled([span(0.3, 0.2, { lane: 4 })], { cell_ms: 0.25 }));
    expect(store.lastCell).toEqual({ start: 0.25, end: 0.5 });
  });

  it('counts as work neither what the host hands out nor a copy a second time', () => {
    const each = [0, 2, 3, 4, 5].map(lane => span(1, 2, { lane, name: 1 }));
    expect(workBetween(stored(each), { start: 0, end: 10 }).busy).toBe(4);
  });

  it('sums up the spans that nobody saw', () => {
    const store = stored([], { lost: 3 });
    store.tell(modelled([], { lost: 4, lagging: [4] }));
    expect([store.lost, ...store.lagging]).toEqual([7, 4]);
  });
});

describe('words', () => {
  it('of its spans say that they are modelled, and on which device', () => {
    const spans = [
      span(1, 0.0123, { lane: 4, name: 1 }),
      span(1, 0.5, { lane: 3, name: 1 }),
      span(2, 3, { lane: 3, flags: FLAG.wait }),
      span(1, 0.5, { lane: 5, name: 1 })
    ];
    const store = stored(spans, { names: new Map([[1, 'dot']]) });
    expect(spans.map(one => spanWords(one, store))).toEqual([
      ['dot', '12.3 µs modelled', 'on gpu(2) compute, virtual'],
      ['the host works, then pushes dot', '500 µs modelled'],
      ['waits 3 ms modelled for what is queued'],
      ['dot', '500 µs modelled', 'over PCIe switch 0 to gpu(2)']
    ]);
  });

  it('of a lane say that it lags', () => {
    const store = stored([span(0, 5, { lane: 4 })]);
    const ring = store.lanes.get(4)!;
    expect(laneWords(ring, 0, 10, true)).toBe(
      'gpu(2) compute, virtual, compute: 1 operator, 50 % busy, lagging'
    );
    expect(laneWords(ring, 0, 10)).not.toContain('lagging');
  });

  it('are short beside the device, and of a link at last without its kind', () => {
    const { lanes } = stored([]);
    expect(shortNames(lanes.get(2)!.lane)).toEqual(['copy in']);
    expect(shortNames(lanes.get(5)!.lane)).toEqual(['PCIe switch 0 → gpu(2)', 'switch 0 → gpu(2)']);
  });
});
