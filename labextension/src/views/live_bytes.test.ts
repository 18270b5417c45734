import { describe, expect, it } from 'vitest';
import { parseSpec, type Memory } from '../protocol';
import type { Category } from '../spec';
import fixture from '../testdata/four_lines.json';
import { memory } from '../testdata/memory';
import { bytesByLine } from './line_bytes';
import { aliveAt, columnsOf, liveBytes, type LiveBytes } from './live_bytes';
import { describeStep } from './live_words';

const value = (node: number, start: number, category: Category, line: number | null = null) => ({
  node,
  label: `v${node}`,
  start,
  category,
  line
});
const held = { node: 9, label: 'w', bytes: 7, line: null, written: false, start: 0, end: 3 };

// A forward value is kept, then its gradient takes its place; a result comes at the end.
const step = memory(
  [
    {
      bytes: 30,
      start: 0,
      end: 2,
      values: [value(1, 0, 'activation'), value(3, 2, 'gradient')]
    },
    { bytes: 20, start: 1, end: 1, values: [value(2, 1, 'temporary')] },
    { bytes: 10, kind: 'output', start: 2, end: 3, values: [value(4, 2, 'result')] }
  ],
  {
    steps: [1, 2, 3].map((node, at) => ({ step: at, node, label: `n${node}`, line: at + 1 })),
    held: [{ ...held, category: 'parameter' }]
  }
);
const layer = ({ layers }: LiveBytes, category: Category | null) =>
  layers.find(l => l.category === category)?.bytes;

describe('liveBytes', () => {
  it('adds up by step and category, what is held below all', () => {
    const live = liveBytes(step);
    expect(live).toMatchObject({ steps: 4, made: [30, 50, 40, 10], peak: 1 });
    expect(live.layers.map(l => l.category)).toEqual([
      'parameter',
      'activation',
      'gradient',
      'temporary',
      'result'
    ]);
    expect(live.layers.map(l => l.held)).toEqual([true, false, false, false, false]);
    expect(layer(live, 'parameter')).toEqual([7, 7, 7, 7]);
    expect(layer(live, 'activation')).toEqual([30, 30, 0, 0]);
    expect(layer(live, 'gradient')).toEqual([0, 0, 30, 0]);
  });

  it('counts a handover step once, and older files without categories', () => {
    const plan = memory([
      { kind: 'output', start: 0, end: 1, shares: [1] },
      { kind: 'output', start: 1, end: 2, shares: [0] }
    ]);
    expect(liveBytes(plan).made).toEqual([10, 10, 10]);
    expect(layer(liveBytes(plan), null)).toEqual([10, 10, 10]);
    const old = parseSpec(fixture).memory as Memory;
    expect(liveBytes(old).made).toEqual([80, 160, 160]);
    expect(Math.max(...liveBytes(old).made)).toBe(old.planned);
  });

  it('stands an empty plan', () => {
    expect(liveBytes(memory([]))).toEqual({ steps: 1, layers: [], made: [0], peak: 0 });
  });
});

it('tells what is in memory at a step, and what is held at the peak in words', () => {
  expect(aliveAt(step, 2).map(a => [a.node, a.bytes, a.category])).toEqual([
    [3, 30, 'gradient'],
    [4, 10, 'result'],
    [9, 7, 'parameter']
  ]);
  const lines = ['a = x', 'b = exp(a)'];
  expect(describeStep(step, lines, 1, aliveAt(step, 1))).toBe(
    'step 1 (line 2: b = exp(a), n2): 50 B alive of what the program makes: activations 30 B, ' +
      'temporary values 20 B; 7 B were there before. Largest: v1 30 B, v2 20 B.'
  );
});

it('tells what each line starts and holds', () => {
  expect(bytesByLine(step, 2)).toEqual([
    { line: 1, atPeak: 0, started: 30, nodes: [1] },
    { line: 2, atPeak: 0, started: 20, nodes: [2] },
    { line: 3, atPeak: 40, started: 10, nodes: [3, 4] }
  ]);
});

it('counts what a kernel makes at the line of each value', () => {
  const kernel = memory(
    [
      { bytes: 30, values: [value(5, 0, 'temporary', 2)] },
      { bytes: 8, kind: 'output', values: [value(5, 0, 'result', 4)] },
      { bytes: 1, values: [value(5, 0, 'temporary', null)] }
    ],
    { steps: [{ step: 0, node: 5, label: 'kernel', line: 4 }] }
  );
  expect(bytesByLine(kernel, 0)).toEqual([
    { line: 4, atPeak: 8, started: 8, nodes: [5] },
    { line: 2, atPeak: 30, started: 30, nodes: [5] }
  ]);
});

it('draws no more columns than pixels, and loses no peak', () => {
  const totals = Array.from({ length: 1000 }, (_, i) => (i === 777 ? 9 : i % 3));
  const columns = columnsOf(totals, 60.5);
  expect(columns).toHaveLength(60);
  expect(columns.map(c => c.to)).toEqual([...columns.slice(1).map(c => c.from), 1000]);
  expect(columns.filter(c => c.step === 777)).toHaveLength(1);
  expect(columnsOf([5, 6], 900).map(c => c.step)).toEqual([0, 1]);
});
