import { describe, expect, it } from 'vitest';
import { coarse } from './coarse';
import { faults } from '../testdata/faults';
import { flatTask, randomTask } from '../testdata/random_task';

describe('coarse', () => {
  it.each(['down', 'right'] as const)('keeps boxes and frames apart, %s', direction => {
    for (let seed = 0; seed < 60; seed++) {
      const size = { boxes: 1 + (seed % 29), edges: seed, frames: seed % 6, back: 0.1 };
      const task = randomTask(seed, size, direction);
      expect([seed, ...faults(task, coarse(task))]).toEqual([seed]);
    }
  });

  it('says that it is coarse, and its straight lines do run through boxes', () => {
    const task = flatTask(1, 60, 30);
    const layout = coarse(task);
    expect(layout.coarse).toBe(true);
    expect(layout.lines.every(line => line.length === 2)).toBe(true);
    const judged = faults(task, { ...layout, coarse: false });
    expect(judged.some(fault => fault.includes('runs through box'))).toBe(true);
  });
});
