// The level that a frame's inside is, in arrays, with its ports first and last.
import type { FrameBox } from './frame_box';
import type { Level } from './level';
import { BEND_WIDTH } from './measures';
import type { LayoutTask } from './task';
import type { Tree } from './tree';
import type { Values } from './values';

/** What is known of the levels further inside: all are laid out before the ones around them. */
export interface Known {
  /** by level: the frame around it */
  frames: FrameBox[];
  /** by net: its ports beside the middle of its level's frame */
  entryDx: Float64Array;
  exitDx: Float64Array;
  /** by box and by level: its place among the items of its level */
  boxItem: Int32Array;
  frameItem: Int32Array;
}

/** A level with what its arrays stand for. */
export interface Inside {
  level: Level;
  /** the nets and pieces it consists of */
  nets: number[];
  pieces: number[];
  /** by entry and by exit: the net that passes */
  entries: number[];
  exits: number[];
}

/** Nets and pieces by level, in order. */
export function byLevel(tree: Tree, values: Values): { nets: number[][]; pieces: number[][] } {
  const nets: number[][] = Array.from({ length: tree.levels }, () => []);
  const pieces: number[][] = Array.from({ length: tree.levels }, () => []);
  values.nets.forEach((net, i) => nets[net.level].push(i));
  values.pieces.forEach((piece, i) => pieces[values.nets[piece.net].level].push(i));
  return { nets, pieces };
}

export function insideOf(
  task: LayoutTask,
  items: number[],
  { nets, pieces }: { nets: number[]; pieces: number[] },
  values: Values,
  known: Known
): Inside {
  const entries = nets.filter(net => values.nets[net].entry >= 0);
  const exits = nets.filter(net => values.nets[net].exit >= 0);
  const count = entries.length + items.length + exits.length;
  const level: Level = {
    count,
    w: new Float64Array(count).fill(BEND_WIDTH),
    h: new Float64Array(count),
    late: new Uint8Array(count),
    entries: entries.length,
    exits: exits.length,
    netSource: new Int32Array(nets.length),
    netDx: new Float64Array(nets.length),
    targetNet: new Int32Array(pieces.length),
    targetItem: new Int32Array(pieces.length),
    targetDx: new Float64Array(pieces.length)
  };
  const down = task.direction === 'down';
  items.forEach((item, i) => {
    const at = entries.length + i;
    if (item < 0) {
      known.frameItem[-item] = at;
      level.w[at] = known.frames[-item].w;
      level.h[at] = known.frames[-item].h;
    } else {
      const { w, h, late } = task.boxes[item];
      known.boxItem[item] = at;
      level.w[at] = down ? w : h;
      level.h[at] = down ? h : w;
      level.late[at] = late ? 1 : 0;
    }
  });
  const itemOf = (end: number) => (end < 0 ? known.frameItem[-end] : known.boxItem[end]);
  const netPlace = new Map<number, number>();
  const entryPlace = new Map(entries.map((net, i) => [net, i]));
  const exitPlace = new Map(exits.map((net, i) => [net, count - exits.length + i]));
  nets.forEach((net, i) => {
    const { source, inner } = values.nets[net];
    netPlace.set(net, i);
    level.netSource[i] = source === null ? entryPlace.get(net)! : itemOf(source);
    level.netDx[i] = inner >= 0 ? known.exitDx[inner] : 0;
  });
  pieces.forEach((piece, i) => {
    const { net, target, inner } = values.pieces[piece];
    level.targetNet[i] = netPlace.get(net)!;
    level.targetItem[i] = target === null ? exitPlace.get(net)! : itemOf(target);
    level.targetDx[i] = inner >= 0 ? known.entryDx[inner] : 0;
  });
  return { level, nets, pieces, entries, exits };
}
