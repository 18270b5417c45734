import { expect, it } from 'vitest';
import type { Line } from './drawn';
import { relatives } from './relatives';

it('finds what a card depends on and what depends on it, and no cousins', () => {
  const ends = [
    [1, 2],
    [2, 3],
    [1, 4],
    [5, 3],
    [3, 6],
    [6, 2] // a cycle, as closed groups may have
  ];
  const lines = ends.map(([src, dst]) => ({ src, dst }) as Line);
  const found = (...ids: number[]) => [...relatives({ lines }, ids)].sort((a, b) => a - b);
  expect(found(4)).toEqual([1, 4]);
  expect(found(5)).toEqual([2, 3, 5, 6]);
  expect(found(2)).toEqual([1, 2, 3, 5, 6]);
  expect(found(9)).toEqual([9]);
  expect(found()).toEqual([]);
});
