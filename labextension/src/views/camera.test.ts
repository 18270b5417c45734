import { describe, expect, it } from 'vitest';
import { Camera } from './camera';
import { spine } from './spine';

/** A picture of these edges, a card for each end. */
function graph(...edges: [number, number][]) {
  const ids = [...new Set(edges.flat())];
  return { cards: ids.map(id => ({ id })), lines: edges.map(([src, dst]) => ({ src, dst })) };
}

describe('spine', () => {
  const ids = (g: ReturnType<typeof graph>) => spine(g).map(card => card.id);

  it('is the longest way, whatever the order of edges', () => {
    expect(ids(graph([3, 4], [9, 3], [1, 4], [4, 5], [7, 9]))).toEqual([7, 9, 3, 4, 5]);
    expect(ids(graph([4, 5], [1, 4], [2, 5]))).toEqual([1, 4, 5]);
  });

  it('ends, whatever the edges say', () => {
    expect(ids(graph([1, 2], [2, 3], [3, 2]))).toEqual([1]);
    expect(ids(graph([1, 1]))).toEqual([]);
    expect(ids(graph())).toEqual([]);
  });
});

describe('Camera', () => {
  const view = { width: 600, height: 400 };

  it('shows the whole of a graph, however tall, and goes no further out', () => {
    const camera = new Camera();
    camera.fit(3000, 1_700_000, view, true);
    expect(camera.locate(300, 0).y).toBeLessThan(0);
    expect(camera.locate(300, 400).y).toBeGreaterThan(1_700_000);
    const { scale } = camera;
    camera.zoom(0.5, 300, 200);
    expect(camera.scale).toBe(scale);
  });

  it('opens a tall and wide graph where its spine starts, at reading size', () => {
    const camera = new Camera();
    camera.fit(3500, 15_000, view, false, { x: 2600, y: 40 });
    expect(camera.scale).toBe(0.8);
    const middle = camera.locate(300, 200);
    expect(middle.x).toBeCloseTo(2600);
    expect(camera.locate(0, 0).y).toBeLessThan(0);
    camera.fit(3500, 15_000, view, false, { x: 3490, y: 40 });
    expect(camera.locate(600, 0).x).toBeCloseTo(3500 + 24 / 0.8);
  });
});
