import { expect, it } from 'vitest';
import { memory } from '../testdata/memory';
import { liveBytes } from './live_bytes';
import { figuresOf, unknown } from './memory_figures';

const plan = (rest: object) => {
  const made = memory(
    [
      { bytes: 60, start: 0, end: 1 },
      { bytes: 40, kind: 'output', start: 1, end: 1 }
    ],
    { imperative: 300, planned: 100, lower_bound: 100, arena_bytes: 64, ...rest }
  );
  return figuresOf(made, liveBytes(made));
};

it('names each figure of memory once, with how it is counted', () => {
  const figures = plan({});
  expect(figures.map(([name, n]) => [name, n])).toEqual([
    ['imperative', 300],
    ['planned', 100],
    ['lower bound', 100]
  ]);
  expect(figures[1][2]).toBe(
    'an arena of 64 B that values share in turn, and storage for results from the start; ' +
      'no plan needs less'
  );
  expect(figures[2][2]).toContain('alive at one step, at step 1');
});

it('tells how far a plan is from the bound, and what was there before', () => {
  const held = [
    {
      node: 9,
      label: 'w',
      bytes: 7,
      line: null,
      category: 'input',
      start: 0,
      end: 1,
      written: true
    }
  ];
  const apart = plan({ lower_bound: 90, held });
  expect(apart[1][2]).toContain('10 B above the lower bound');
  expect(apart[2][2]).not.toContain('at step');
  expect(apart[3].slice(0, 2)).toEqual(['there before', 7]);
  expect(plan({ lower_bound: 90, optimal: true })[1][2]).toContain('no arena is smaller');
});

it('says what is not known of when results are freed', () => {
  const said = (unsure: number, repeated: number) =>
    unknown(memory([], { planned: 1000, unsure, repeated }));
  expect(said(8, 0)).toBe('');
  expect(said(500, 0)).toMatch(/^500 B of results count as held to the end of the cell: nothing/);
  expect(said(0, 2)).toBe('Parts that ran several times are drawn once, as in the last run.');
});
