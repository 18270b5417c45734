// Which way every value takes through the levels: out of frames and into frames by ports.
import type { LayoutTask } from './task';
import type { Tree } from './tree';

/** A value in one level. */
export interface Net {
  level: number;
  /** box b as b, the frame of level l as -l; null: it comes in by a port of the level's frame */
  source: number | null;
  /** the piece by which it comes into the level, -1: none */
  entry: number;
  /** the piece by which it leaves the level, -1: none */
  exit: number;
  /** the net in the source's frame that it goes on from, -1: none */
  inner: number;
}

/** A piece of a way, within one level. */
export interface Piece {
  net: number;
  /** box b as b, the frame of level l as -l; null: it leaves by a port of the level's frame */
  target: number | null;
  /** the net in the target's frame that goes on from it, -1: none */
  inner: number;
}

export interface Values {
  nets: Net[];
  pieces: Piece[];
  /** by edge: the pieces of its way, from the source on */
  ways: number[][];
}

export function valuesOf(task: LayoutTask, tree: Tree): Values {
  const nets: Net[] = [];
  const pieces: Piece[] = [];
  const known = new Map<number, number>();
  const netIn = (of: number, level: number, source: number | null, inner = -1): number => {
    const key = of * tree.levels + level;
    const net = known.get(key) ?? nets.length;
    if (net === nets.length) {
      known.set(key, net);
      nets.push({ level, source, entry: -1, exit: -1, inner });
    }
    return net;
  };
  const addPiece = (net: number, target: number | null, inner = -1) =>
    pieces.push({ net, target, inner }) - 1;
  const numbers = valueNumbers();
  const { parent, depth, level, boxOf } = tree;
  const ways = task.edges.map(edge => {
    const src = boxOf.get(edge.src);
    const dst = boxOf.get(edge.dst);
    if (src === undefined || dst === undefined || src === dst) {
      return [];
    }
    const way: number[] = [];
    const of = numbers(src, edge.out);
    // Inwards from the level that holds both ends to the target's.
    const inwards: number[] = [];
    let at = level[src];
    let to = level[dst];
    let net = netIn(of, at, src);
    while (at !== to) {
      if (depth[to] > depth[at]) {
        inwards.push(to);
        to = parent[to];
        continue;
      }
      if (nets[net].exit < 0) {
        nets[net].exit = addPiece(net, null);
      }
      way.push(nets[net].exit);
      net = netIn(of, parent[at], -at, net);
      at = parent[at];
    }
    for (let i = inwards.length - 1; i >= 0; i--) {
      const inner = netIn(of, inwards[i], null);
      if (nets[inner].entry < 0) {
        nets[inner].entry = addPiece(net, -inwards[i], inner);
      }
      way.push(nets[inner].entry);
      net = inner;
    }
    way.push(addPiece(net, dst));
    return way;
  });
  return { nets, pieces, ways };
}

/** Numbers the values, each a box and one of its outputs, from 0 on. */
function valueNumbers(): (box: number, out: number) => number {
  const ofBox = new Map<number, Map<number, number>>();
  let count = 0;
  return (box, out) => {
    const outs = ofBox.get(box) ?? new Map<number, number>();
    ofBox.set(box, outs);
    const number = outs.get(out) ?? count++;
    outs.set(out, number);
    return number;
  };
}
