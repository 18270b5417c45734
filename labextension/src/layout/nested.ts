// The layout of a nested graph: frames from the inside out. The inside of a frame is laid out by
// itself and then stands as one box in the level around it, so that frames never overlap.
import { frameBox, type FrameBox } from './frame_box';
import { byLevel, insideOf, type Known } from './inside';
import { layered } from './layered';
import type { Placed, PlaceLevel } from './level';
import { addPoint } from './line';
import { MARGIN, MOST_BENDS } from './measures';
import type { Layout, LayoutTask } from './task';
import { treeOf, type Tree } from './tree';
import { valuesOf, type Values } from './values';

/** Lays out a task. Pure and deterministic; edges past the budget of bends are drawn straight. */
export function layOut(task: LayoutTask): Layout {
  return nest(task, layered);
}

/** Lays out the levels one by one with `place` and puts them together. */
export function nest(task: LayoutTask, place: PlaceLevel): Layout {
  const tree = treeOf(task);
  const values = valuesOf(task, tree);
  const parts = byLevel(tree, values);
  const down = task.direction === 'down';
  const known: Known = {
    frames: new Array<FrameBox>(tree.levels),
    entryDx: new Float64Array(values.nets.length),
    exitDx: new Float64Array(values.nets.length),
    boxItem: new Int32Array(task.boxes.length),
    frameItem: new Int32Array(tree.levels)
  };
  const placed = new Array<Placed>(tree.levels);
  const ways = new Array<number[]>(values.pieces.length);
  const budget = { bends: MOST_BENDS };
  for (const at of tree.inwards) {
    const part = { nets: parts.nets[at], pieces: parts.pieces[at] };
    const inside = insideOf(task, tree.items[at], part, values, known);
    const result = place(inside.level, budget);
    placed[at] = result;
    inside.pieces.forEach((piece, i) => (ways[piece] = result.ways[i]));
    if (at > 0) {
      const frame = frameBox(result, task.frames[at - 1].w, down);
      const port = (item: number) => frame.insetX + result.x[item] - frame.w / 2;
      const firstExit = inside.level.count - inside.exits.length;
      inside.entries.forEach((net, i) => (known.entryDx[net] = port(i)));
      inside.exits.forEach((net, i) => (known.exitDx[net] = port(firstExit + i)));
      known.frames[at] = frame;
    }
  }
  return assemble(task, { tree, values, known, placed, ways });
}

interface Parts {
  tree: Tree;
  values: Values;
  known: Known;
  placed: Placed[];
  ways: number[][];
}

/** All levels in the picture's coordinates, turned if it runs to the right. */
function assemble(task: LayoutTask, { tree, values, known, placed, ways }: Parts): Layout {
  const down = task.direction === 'down';
  const turn = (x: number, y: number): [number, number] => (down ? [x, y] : [y, x]);
  const originX = new Float64Array(tree.levels).fill(MARGIN);
  const originY = new Float64Array(tree.levels).fill(MARGIN);
  const frames: Layout['frames'] = new Array(task.frames.length);
  for (let i = tree.levels - 2; i >= 0; i--) {
    const at = tree.inwards[i];
    const around = tree.parent[at];
    const { w, h, insetX, insetY } = known.frames[at];
    const x = originX[around] + placed[around].x[known.frameItem[at]];
    const y = originY[around] + placed[around].y[known.frameItem[at]];
    originX[at] = x - w / 2 + insetX;
    originY[at] = y - h / 2 + insetY;
    frames[at - 1] = down ? { x, y, w, h } : { x: y, y: x, w: h, h: w };
  }
  const centres = task.boxes.map((_, box) => {
    const at = tree.level[box];
    const item = known.boxItem[box];
    return turn(originX[at] + placed[at].x[item], originY[at] + placed[at].y[item]);
  });
  const lines = values.ways.map(pieces => {
    const flat: number[] = [];
    for (const piece of pieces) {
      const at = values.nets[values.pieces[piece].net].level;
      const way = ways[piece] ?? [];
      for (let i = 0; i < way.length; i += 2) {
        addPoint(flat, originX[at] + way[i], originY[at] + way[i + 1]);
      }
    }
    const line: [number, number][] = [];
    for (let i = 0; i < flat.length; i += 2) {
      line.push(turn(flat[i], flat[i + 1]));
    }
    return line;
  });
  const all = placed[0];
  const [width, height] = turn(all.width + 2 * MARGIN, all.height + 2 * MARGIN);
  return { width, height, centres, frames, lines, coarse: false };
}
