// A cheap layout in linear time, for graphs that take too long otherwise: boxes in the given order,
// straight lines. Frames hold their boxes and do not overlap, as in the full layout.
import { assignLayers } from './layers';
import { isPort, type Level, type Placed } from './level';
import { GAP_X, GAP_Y } from './measures';
import { nest } from './nested';
import type { Layout, LayoutTask } from './task';

/** Lays out a task without sweeps; `coarse` is set, so that the picture can say so. */
export function coarse(task: LayoutTask): Layout {
  const layout = nest(task, placeRows);
  const boxOf = new Map(task.boxes.map((box, i) => [box.id, i]));
  const down = task.direction === 'down';
  const lines = task.edges.map(({ src, dst }): [number, number][] => {
    const [from, to] = [boxOf.get(src), boxOf.get(dst)];
    if (from === undefined || to === undefined || from === to) {
      return [];
    }
    const [x, y] = layout.centres[from];
    const [toX, toY] = layout.centres[to];
    const [a, b] = [task.boxes[from], task.boxes[to]];
    return down
      ? [
          [x, y + a.h / 2],
          [toX, toY - b.h / 2]
        ]
      : [
          [x + a.w / 2, y],
          [toX - b.w / 2, toY]
        ];
  });
  return { ...layout, lines, coarse: true };
}

/** Every layer a centred row; ports take no room, for there are no ways. */
function placeRows(level: Level): Placed {
  const { count, w, h } = level;
  const { count: layers, layer } = assignLayers(level);
  const widths = new Float64Array(layers);
  const heights = new Float64Array(layers);
  for (let i = 0; i < count; i++) {
    if (!isPort(level, i)) {
      widths[layer[i]] += w[i] + (widths[layer[i]] > 0 ? GAP_X : 0);
      heights[layer[i]] = Math.max(heights[layer[i]], h[i]);
    }
  }
  const width = widths.reduce((most, row) => Math.max(most, row), 0);
  const tops = new Float64Array(layers);
  let height = 0;
  for (let l = 0; l < layers; l++) {
    if (widths[l] > 0) {
      tops[l] = height > 0 ? height + GAP_Y : 0;
      height = tops[l] + heights[l];
    }
  }
  const next = widths.map(row => (width - row) / 2);
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    if (!isPort(level, i)) {
      x[i] = next[layer[i]] + w[i] / 2;
      y[i] = tops[layer[i]] + heights[layer[i]] / 2;
      next[layer[i]] += w[i] + GAP_X;
    }
  }
  return { x, y, width, height, ways: [] };
}
