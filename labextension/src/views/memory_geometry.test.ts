import { describe, expect, it } from 'vitest';
import { parseSpec, type Memory } from '../protocol';
import fixture from '../testdata/four_lines.json';
import { memory } from '../testdata/memory';
import { boxUnder, byteTicks, layoutMemory, placedBy } from './memory_geometry';

describe('layoutMemory', () => {
  it('has room for the imperative level unless the plan would be flat beside it', () => {
    expect(layoutMemory(memory([{ bytes: 100 }], { planned: 100, imperative: 250 })).top).toBe(250);
    expect(layoutMemory(memory([{ bytes: 100 }], { planned: 100, imperative: 251 })).top).toBe(100);
  });

  it('puts arena buffers at their offsets and outputs above the arena', () => {
    const plan = parseSpec(fixture).memory as Memory;
    const layout = layoutMemory(plan);
    const [a, b, d] = [0, 1, 2].map(id => layout.boxes.find(box => box.buffer.id === id));
    expect(a).toMatchObject({ x0: 0, x1: 3, y0: 0, y1: 80 });
    expect(b).toMatchObject({ x0: 1, x1: 2, y0: 80, y1: 160 });
    expect(d).toMatchObject({ x0: 2, x1: 3, y0: 80, y1: 160 });
    expect(layout.top).toBe(320);
  });

  it('shows where a buffer is taken over in place', () => {
    const [handover, ...rest] = layoutMemory(parseSpec(fixture).memory as Memory).handovers;
    expect(rest).toEqual([]);
    expect([handover.from.buffer.id, handover.to.buffer.id, handover.x]).toEqual([1, 2, 2]);
  });

  it('stacks outputs that live together, and reuses the height of those gone', () => {
    const { boxes } = layoutMemory(
      memory([
        { kind: 'output', start: 0, end: 1 },
        { kind: 'output', start: 1, end: 3 },
        { kind: 'output', start: 2, end: 3 }
      ])
    );
    expect(boxes.map(box => box.y0)).toEqual([0, 10, 0]);
  });

  it('leaves inputs out and stands an empty plan', () => {
    expect(layoutMemory(memory([{ kind: 'input' }])).boxes).toEqual([]);
    expect(layoutMemory(memory([]))).toMatchObject({ steps: 1, top: 1 });
  });
});

it('finds the box under a point', () => {
  const layout = layoutMemory(parseSpec(fixture).memory as Memory);
  expect(boxUnder(layout, 2.5, 100)?.buffer.label).toBe('d');
  expect(boxUnder(layout, 0.5, 100)).toBeNull();
});

it('ticks bytes in powers of two', () => {
  expect(byteTicks(320, 5)).toEqual([0, 64, 128, 192, 256, 320]);
  expect(byteTicks(5 << 20, 5)[1]).toBe(1 << 20);
});

it('places the buffers as another method does, outputs on top', () => {
  const plan = memory([{ offset: 0 }, { offset: 10 }, { kind: 'output' }], { attempted: [0, 1] });
  const other = { method: 'skyline', bytes: 30, s: null, offsets: [20, 0] };
  const boxes = layoutMemory(placedBy(plan, other)).boxes;
  expect(boxes.map(box => box.y0)).toEqual([20, 0, 30]);
});
