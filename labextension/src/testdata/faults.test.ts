import { describe, expect, it } from 'vitest';
import { faults } from './faults';
import { layOut } from '../layout/nested';
import type { LayoutTask } from '../layout/task';

const task: LayoutTask = {
  boxes: [
    { id: 1, w: 60, h: 30, late: false, frame: -1 },
    { id: 2, w: 60, h: 30, late: false, frame: null }
  ],
  frames: [{ id: -1, parent: null, w: 50 }],
  edges: [{ src: 1, dst: 2, out: 0 }],
  direction: 'down'
};

describe('faults', () => {
  it('finds none in a good layout', () => {
    expect(faults(task, layOut(task))).toEqual([]);
  });

  it('finds boxes moved onto one another, out of and into frames', () => {
    const layout = layOut(task);
    layout.centres[1] = layout.centres[0];
    expect(faults(task, layout)).toContain('box 1 overlaps box 2');
    expect(faults(task, layout)).toContain('box 2 overlaps frame -1');
    layout.centres[0] = [30, 150];
    expect(faults(task, layout)).toContain('box 1 leaves frame -1');
  });

  it('finds lines that end elsewhere or run through a box', () => {
    const layout = layOut(task);
    const [start, end] = layout.lines[0];
    layout.lines[0] = [start, [end[0] + 5, end[1]]];
    expect(faults(task, layout)).toEqual(['edge 0, 1 to 2, does not join its boxes']);
    layout.lines[0] = [start, [start[0], start[1] - 10], end];
    expect(faults(task, layout)).toEqual(['edge 0, 1 to 2, runs through box 1']);
  });
});
