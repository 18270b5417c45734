// One level of a nested graph: the items directly inside one frame (or the picture), in arrays.

/**
 * Items are boxes and closed-off frames. The first `entries` and the last `exits` of them are the
 * ports of the frame around. A net is one value: it starts at one item and ends at its targets.
 */
export interface Level {
  count: number;
  w: Float64Array;
  h: Float64Array;
  late: Uint8Array;
  entries: number;
  exits: number;
  netSource: Int32Array;
  /** where the net starts, beside the middle of the item's bottom */
  netDx: Float64Array;
  /** targets in the order of the task's edges, so that a reader's come in argument order */
  targetNet: Int32Array;
  targetItem: Int32Array;
  /** where it ends, beside the middle of the item's top */
  targetDx: Float64Array;
}

/** The items' centres from the level's left upper corner, and a way [x, y, x, y, ...] a target. */
export interface Placed {
  x: Float64Array;
  y: Float64Array;
  width: number;
  height: number;
  ways: number[][];
}

/** How many bends the levels of one picture may still make together. */
export interface Budget {
  bends: number;
}

export type PlaceLevel = (level: Level, budget: Budget) => Placed;

export function isPort(level: Level, item: number): boolean {
  return item < level.entries || item >= level.count - level.exits;
}
