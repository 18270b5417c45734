// Seeded random tasks for the tests.
import type { LayoutTask } from '../layout/task';

/** A linear congruential generator (Numerical Recipes): numbers from 0 up to 1. */
export function randoms(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Boxes in nested frames; the share `back` of the edges may close cycles. */
export function randomTask(
  seed: number,
  size: { boxes: number; edges: number; frames: number; back: number },
  direction: LayoutTask['direction'] = 'down'
): LayoutTask {
  const random = randoms(seed);
  const below = (count: number) => Math.floor(random() * count);
  const frames = Array.from({ length: size.frames }, (_, i) => ({
    id: -1 - i,
    parent: i > 0 && random() < 0.6 ? -1 - below(i) : null,
    w: 40 + below(200)
  }));
  const boxes = Array.from({ length: size.boxes }, (_, i) => ({
    id: 3 * i + 5,
    w: 30 + random() * 120,
    h: 20 + random() * 40,
    late: random() < 0.2,
    frame: size.frames > 0 && random() < 0.8 ? -1 - below(size.frames) : null
  }));
  const edges = Array.from({ length: size.boxes > 1 ? size.edges : 0 }, () => {
    let [a, b] = [below(size.boxes), below(size.boxes)];
    if (a > b && random() >= size.back) {
      [a, b] = [b, a];
    }
    return { src: boxes[a].id, dst: boxes[b].id, out: below(2) };
  });
  return { boxes, frames, edges, direction };
}

/** Every box reads one box before it, and some read a second one, at most `reach` before. */
export function flatTask(seed: number, count: number, reach: number): LayoutTask {
  const random = randoms(seed);
  const boxes = Array.from({ length: count }, (_, id) => ({
    ...{ id, w: 60 + Math.floor(random() * 80), h: 30 },
    ...{ late: random() < 0.1, frame: null }
  }));
  const edges = [];
  for (let i = 1; i < count; i++) {
    for (let k = random() < 0.35 ? 2 : 1; k > 0; k--) {
      edges.push({ src: i - 1 - Math.floor(random() * Math.min(i, reach)), dst: i, out: 0 });
    }
  }
  return { boxes, frames: [], edges, direction: 'down' };
}
