// The nesting of a task's frames, in indices. The level of a frame is its index plus one, 0 is the
// picture.
import type { LayoutTask } from './task';

export interface Tree {
  levels: number;
  /** by level: the level around; of the picture -1 */
  parent: Int32Array;
  depth: Int32Array;
  /** by box: the level it stands in */
  level: Int32Array;
  /** levels, the innermost first and the picture last */
  inwards: number[];
  /** by level: its items in order, box b as b and the frame of level l as -l */
  items: number[][];
  /** the box of an id */
  boxOf: Map<number, number>;
}

/** Frames with unknown parents, or around themselves, stand in the picture. */
export function treeOf(task: LayoutTask): Tree {
  const levelOf = new Map(task.frames.map((frame, i) => [frame.id, i + 1]));
  const find = (id: number | null) => (id === null ? 0 : (levelOf.get(id) ?? 0));
  const levels = task.frames.length + 1;
  const parent = new Int32Array(levels).fill(-1);
  task.frames.forEach((frame, i) => (parent[i + 1] = find(frame.parent)));
  const depth = depths(parent);
  const level = Int32Array.from(task.boxes, box => find(box.frame));
  const items: number[][] = Array.from({ length: levels }, () => []);
  const seen = new Uint8Array(levels);
  // A frame comes where its first box comes.
  const enter = (from: number) => {
    for (let at = from; at > 0 && seen[at] === 0; at = parent[at]) {
      seen[at] = 1;
      items[parent[at]].push(-at);
    }
  };
  task.boxes.forEach((_, box) => {
    items[level[box]].push(box);
    enter(level[box]);
  });
  for (let l = 1; l < levels; l++) {
    enter(l);
  }
  const inwards = Array.from({ length: levels }, (_, l) => l);
  inwards.sort((a, b) => depth[b] - depth[a] || a - b);
  const boxOf = new Map(task.boxes.map((box, i) => [box.id, i]));
  return { levels, parent, depth, level, inwards, items, boxOf };
}

/** The depth of every level; a ring of frames is opened at the one found twice. */
function depths(parent: Int32Array): Int32Array {
  const depth = new Int32Array(parent.length).fill(-1);
  const mark = new Int32Array(parent.length);
  depth[0] = 0;
  for (let l = 1; l < parent.length; l++) {
    const path: number[] = [];
    let at = l;
    for (; depth[at] < 0; at = parent[at]) {
      mark[at] = l;
      path.push(at);
      if (mark[parent[at]] === l) {
        parent[at] = 0;
      }
    }
    for (let i = path.length - 1; i >= 0; i--) {
      depth[path[i]] = depth[parent[path[i]]] + 1;
    }
  }
  return depth;
}
