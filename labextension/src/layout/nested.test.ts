import { describe, expect, it } from 'vitest';
import { faults } from '../testdata/faults';
import { layOut } from './nested';
import { flatTask, randomTask } from '../testdata/random_task';
import type { LayoutTask } from './task';

const none = { w: 80, h: 30, late: false, frame: null };

function chain(count: number): LayoutTask {
  return {
    boxes: Array.from({ length: count }, (_, id) => ({ ...none, id })),
    frames: [],
    edges: Array.from({ length: count - 1 }, (_, i) => ({ src: i, dst: i + 1, out: 0 })),
    direction: 'down'
  };
}

describe('layOut', () => {
  it.each(['down', 'right'] as const)('draws random nested graphs without faults, %s', way => {
    for (let seed = 0; seed < 150; seed++) {
      const size = { boxes: 1 + (seed % 37), edges: 2 * (seed % 31), frames: seed % 8 };
      const task = randomTask(seed, { ...size, back: seed % 3 === 0 ? 0.3 : 0 }, way);
      expect([seed, ...faults(task, layOut(task))]).toEqual([seed]);
    }
  });

  it('draws random flat graphs without faults', () => {
    for (let seed = 0; seed < 20; seed++) {
      const task = flatTask(seed, 80, 5 + 5 * seed);
      expect([seed, ...faults(task, layOut(task))]).toEqual([seed]);
    }
  });

  it('is deterministic', () => {
    const task = randomTask(7, { boxes: 40, edges: 60, frames: 5, back: 0.1 });
    expect(layOut(structuredClone(task))).toEqual(layOut(task));
  });

  it('answers an empty task', () => {
    const layout = layOut({ boxes: [], frames: [], edges: [], direction: 'down' });
    expect(layout).toEqual({
      ...{ width: 48, height: 48, centres: [], frames: [], lines: [], coarse: false }
    });
  });

  it('draws a chain straight, and a long one without overflow', () => {
    for (const count of [5, 20_000]) {
      const { centres, lines } = layOut(chain(count));
      expect(new Set(centres.map(([x]) => x)).size).toBe(1);
      expect(lines.every(line => line.length === 2)).toBe(true);
    }
  });

  it('keeps a chain straight through frames', () => {
    const task = chain(6);
    task.frames = [
      { id: -1, parent: null, w: 300 },
      { id: -2, parent: -1, w: 0 }
    ];
    task.boxes[2].frame = -2;
    task.boxes[3].frame = -1;
    const { centres, lines } = layOut(task);
    expect(new Set(centres.map(([x]) => x)).size).toBe(1);
    expect(lines.every(line => line.length === 2)).toBe(true);
  });

  it('draws an edge past many boxes as one vertical run', () => {
    const task = chain(40);
    task.edges.push({ src: 0, dst: 39, out: 0 }, { src: 0, dst: 20, out: 0 });
    const { lines } = layOut(task);
    for (const line of lines.slice(-2)) {
      expect(line.length).toBe(4);
      expect(line[1][0]).toBe(line[2][0]);
    }
    expect(lines[39][1]).toEqual(lines[40][1]); // one value, one way
  });

  it('keeps ways that fork and join apart from a straight spine', () => {
    const task = chain(12);
    for (let i = 0; i + 4 < 12; i += 4) {
      task.edges.push({ src: i, dst: i + 4, out: 1 });
    }
    const layout = layOut(task);
    expect(faults(task, layout)).toEqual([]);
    expect(new Set(layout.centres.map(([x]) => x)).size).toBe(1);
    expect(layout.lines.every(line => line.length <= 4)).toBe(true);
  });

  it('draws late boxes right above their first reader', () => {
    const task = chain(8);
    task.boxes.unshift({ ...none, id: 100, late: true });
    task.edges.push({ src: 100, dst: 6, out: 0 }, { src: 100, dst: 7, out: 0 });
    const { centres, lines } = layOut(task);
    expect(centres[0][1]).toBe(centres[6][1]); // box 5 stands at 6
    expect(lines[7].length).toBe(2);
  });

  it('draws the edges of a cycle from the bottom of one box to the top of the other', () => {
    const task = chain(4);
    task.edges.push(
      { src: 3, dst: 0, out: 0 },
      { src: 2, dst: 1, out: 0 },
      { src: 1, dst: 1, out: 0 }
    );
    const layout = layOut(task);
    expect(faults(task, layout)).toEqual([]);
    const [, , , back] = layout.lines;
    expect(back[0][1]).toBeGreaterThan(back[back.length - 1][1]);
    expect(layout.lines[5]).toEqual([]);
  });

  it('draws no line for unknown boxes and takes unknown frames for none', () => {
    const task = chain(2);
    task.boxes[1].frame = 77;
    task.frames = [
      { id: -1, parent: -2, w: 0 },
      { id: -2, parent: -1, w: 120 }
    ];
    task.edges.push({ src: 0, dst: 55, out: 0 });
    const layout = layOut(task);
    expect(layout.lines[1]).toEqual([]);
    expect(layout.frames.every(frame => frame.w > 0 && frame.h > 0)).toBe(true);
  });

  it('nests fifty frames', () => {
    const task = chain(2);
    task.frames = Array.from({ length: 50 }, (_, i) => ({
      id: i,
      parent: i > 0 ? i - 1 : null,
      w: 0
    }));
    task.boxes[1].frame = 49;
    const layout = layOut(task);
    expect(faults(task, layout)).toEqual([]);
    expect(layout.lines[0].length).toBe(2);
  });

  it('draws edges straight past the budget of bends', () => {
    const task = chain(1500);
    for (let i = 0; i + 1100 < 1500; i++) {
      task.edges.push({ src: i, dst: i + 1100, out: 1 });
    }
    const { lines } = layOut(task);
    const long = lines.slice(1499);
    expect(long.some(line => line.length === 2)).toBe(true);
    expect(long.some(line => line.length === 4)).toBe(true);
  });
});
