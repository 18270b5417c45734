import { describe, expect, it } from 'vitest';
import { decodeCosts, decodeMemory } from '../frame_records';
import { span } from '../testdata/live_frames';
import { modelled, stored } from '../testdata/modelled_frames';
import { rowsOf } from './timeline_rows';
import { spanWords } from './timeline_words';

const KINDS = ['parameters', 'gradients'];
const STATES = [
  { time: 1, device: 'gpu(2)', held: [1024, 0] },
  { time: 2, device: 'gpu(2)', held: [1024, 3072] },
  { time: 3, device: 'gpu(2)', held: [1024, 0] }
];
const TOLD = { memory: STATES, memory_kinds: KINDS };

describe('the memory of a modelled device', () => {
  it('stands under its lanes', () => {
    const rows = rowsOf(stored([], TOLD));
    const kinds = rows.map(row => (row.kind === 'lane' ? row.ring.lane.name : row.kind));
    expect(kinds.slice(1, 5)).toEqual(['title', 'gpu(2) compute', 'gpu(2) copy-in', 'held']);
    rows.slice(1).forEach((row, i) => expect(row.top).toBe(rows[i].top + rows[i].height));
  });

  it('tells what it is used for, at a time and now', () => {
    const memory = stored([], TOLD).memories.get('gpu(2)')!;
    expect(memory.words(0.5)).toEqual([]);
    expect(memory.words(2.5)).toEqual([
      '4 KB of gpu(2) in use, modelled',
      '1 KB: parameters',
      '3 KB: gradients'
    ]);
    expect(memory.summary()).toBe(
      'gpu(2), virtual, modelled: 1 KB in use, 1 KB parameters; at most 4 KB'
    );
  });

  it('goes on when the history is dropped', () => {
    const store = stored([], TOLD).afresh(10);
    expect(rowsOf(store).filter(row => row.kind === 'held')).toHaveLength(1);
    const held = rowsOf(store).find(row => row.kind === 'held');
    expect(held?.kind === 'held' && held.memory.words(11)).toEqual([
      '1 KB of gpu(2) in use, modelled',
      '1 KB: parameters'
    ]);
  });
});

describe('what a span cost', () => {
  const gpus = [0, 1, 2].map(() => ({ bandwidth: 1e9, memory: 1e9 }));

  it('is told of a kernel with the share of the peak, of a copy without', () => {
    const spans = [
      span(1, 2, { lane: 4, name: 1, flops: 5e8, moved: 2048, peak: 1e12 }),
      span(1, 2, { lane: 2, name: 1, moved: 1024 }),
      span(1, 2, { lane: 5, name: 1, moved: 1024 })
    ];
    const words = spans.map(one => spanWords(one, stored(spans, { gpus })).slice(3));
    expect(words).toEqual([
      ['500 MFLOP, 25 % of the peak of its type', '2 KB moved, less than 1 % of its bandwidth'],
      ['1 KB copied'],
      ['1 KB over each link']
    ]);
  });
});

describe('records', () => {
  it('of memory and costs are read as they are packed', () => {
    const states = new Float64Array([1.5, 2, 1024, 0, 2.5, 10, 0, 64]);
    expect(decodeMemory(states, 2)).toEqual([
      { time: 1.5, device: 'gpu(2)', held: [1024, 0] },
      { time: 2.5, device: 'gpu(10)', held: [0, 64] }
    ]);
    const spans = modelled([span(0, 1), span(1, 1)]).spans;
    decodeCosts(new Float32Array([4, 8, 2, 0, 16, 0]), spans);
    expect(spans.map(({ flops, moved, peak }) => [flops, moved, peak])).toEqual([
      [4, 8, 2],
      [0, 16, 0]
    ]);
    expect(() => decodeCosts(new Float32Array([4, 8, 2]), spans)).toThrow('costs');
    expect(() => decodeMemory(states, 3)).toThrow('memory');
  });
});
