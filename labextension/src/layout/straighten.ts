// Makes ways vertical: each chain of bends, or of boxes one under the other, gets the fewest and
// longest runs at one x that the neighbours leave room for.
import { boxColumns } from './columns';
import { isPort, type Level } from './level';
import { GAP_BEND, GAP_X, STRAIGHT } from './measures';
import type { Slots } from './slots';

const ROUNDS = 3;

/** Moves the slots within the room their neighbours leave, all but those pinned. */
export function straighten(level: Level, slots: Slots, x: Float64Array, pins: Float64Array): void {
  const columns = boxColumns(slots, pins);
  const bends = bendChains(level, slots);
  const ends: number[][] = [];
  for (let item = 0; item < level.count; item++) {
    if (level.late[item] || isPort(level, item)) {
      ends.push([item]);
    }
  }
  const room = roomBeside(slots, x, pins);
  for (let round = 0; round < ROUNDS; round++) {
    columns.forEach(chain => stretch(chain, room, x, null));
    bends.forEach(chain => stretch(chain, room, x, slots));
    ends.forEach(chain => stretch(chain, room, x, slots));
  }
}

/** The bends of every way, from above, the longest ways first. */
function bendChains(level: Level, { trunks }: Slots): number[][] {
  const chains: number[][] = [];
  for (let net = 0; net < level.netSource.length; net++) {
    const [length, upLength] = [trunks.downLength[net], trunks.upLength[net]];
    if (length > 0) {
      chains.push(Array.from({ length }, (_, k) => trunks.down[net] + k));
    }
    if (upLength > 0) {
      chains.push(Array.from({ length: upLength }, (_, k) => trunks.up[net] + upLength - 1 - k));
    }
  }
  return chains.sort((a, b) => b.length - a.length || a[0] - b[0]);
}

/** How far a slot may move to the left (-1) or to the right (1). */
type Room = (slot: number, side: -1 | 1) => number;

function roomBeside(slots: Slots, x: Float64Array, pins: Float64Array): Room {
  const { start, order, rank, layer, width, thin } = slots;
  return (slot, side) => {
    if (!Number.isNaN(pins[slot])) {
      return x[slot];
    }
    const at = start[layer[slot]] + rank[slot] + side;
    if (at < start[layer[slot]] || at >= start[layer[slot] + 1]) {
      return side * Infinity;
    }
    const next = order[at];
    const gap = thin[slot] || thin[next] ? GAP_BEND - STRAIGHT : GAP_X;
    return x[next] - side * ((width[slot] + width[next]) / 2 + gap);
  };
}

/** With `slots` the ends of the chain go in line with the ports above and below, where they can. */
function stretch(chain: number[], room: Room, x: Float64Array, slots: Slots | null): void {
  for (let from = 0, to = 0; from < chain.length; from = to) {
    let [low, high, sum] = [-Infinity, Infinity, 0];
    for (to = from; to < chain.length; to++) {
      const left = Math.max(low, room(chain[to], -1));
      const right = Math.min(high, room(chain[to], 1));
      if (to > from && left > right) {
        break;
      }
      low = left;
      high = right;
      sum += x[chain[to]];
    }
    // Rounding may leave a slot no room at all: it stays.
    let goal = low > high ? x[chain[from]] : Math.min(high, Math.max(low, sum / (to - from)));
    if (slots !== null) {
      const below = to === chain.length ? slots.down : null;
      const above = from === 0 ? slots.up : null;
      for (const [links, slot] of [
        [below, chain[to - 1]] as const,
        [above, chain[from]] as const
      ]) {
        for (let j = links?.start[slot] ?? 0; j < (links?.start[slot + 1] ?? 0); j++) {
          const port = x[links!.slot[j]] + links!.dx[j];
          goal = port >= low && port <= high ? port : goal;
        }
      }
    }
    for (let k = from; k < to; k++) {
      x[chain[k]] = goal;
    }
  }
}
