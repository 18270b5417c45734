// What each slot is joined to in the layers above and below.
import { groupBy } from './csr';
import { BEND_WIDTH, GAP_BEND } from './measures';

const INNER = 8; // of a bend for the next one: long ways stay vertical before all else

/** Pieces of ways between neighbouring layers; where they start, beside the slots' middles. */
export interface Segments {
  count: number;
  upper: Int32Array;
  lower: Int32Array;
  upperDx: Float64Array;
  lowerDx: Float64Array;
}

/** By slot s, from start[s] on: its neighbours on one side. */
export interface Links {
  start: Int32Array;
  slot: Int32Array;
  /** the slot is straight below (above) the neighbour where its x is the neighbour's plus this */
  dx: Float64Array;
  /** the same in ranks, for the order */
  turn: Float64Array;
  /** how strongly the neighbour draws the slot */
  pull: Float64Array;
}

interface Sizes {
  count: number;
  items: number;
  width: Float64Array;
  weight: Float64Array;
}

export function linksBetween(segments: Segments, sizes: Sizes): { up: Links; down: Links } {
  const { upper, lower, upperDx, lowerDx, count } = segments;
  const ends = { upper: upper.subarray(0, count), lower: lower.subarray(0, count) };
  return {
    up: links(ends.lower, ends.upper, lowerDx, upperDx, sizes),
    down: links(ends.upper, ends.lower, upperDx, lowerDx, sizes)
  };
}

function links(
  own: Int32Array,
  other: Int32Array,
  ownDx: Float64Array,
  otherDx: Float64Array,
  { count, items, width, weight }: Sizes
): Links {
  const { start, list } = groupBy(own, count);
  const size = list.length;
  const slot = new Int32Array(size);
  const dx = new Float64Array(size);
  const turn = new Float64Array(size);
  const pull = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const segment = list[i];
    const from = own[segment];
    const to = other[segment];
    slot[i] = to;
    dx[i] = otherDx[segment] - ownDx[segment];
    turn[i] = share(otherDx[segment], width[to]) - share(ownDx[segment], width[from]);
    pull[i] = from >= items && to >= items ? INNER * weight[from] : weight[to];
    if (from >= items && to < items) {
      pull[i] = weight[from];
    }
  }
  return { start, slot, dx, turn, pull };
}

/** A port's distance from its item's middle, in ranks: less than half a rank. */
function share(dx: number, width: number): number {
  return dx === 0 ? 0 : dx / (width + BEND_WIDTH + GAP_BEND);
}
