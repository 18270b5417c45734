// A layered layout of one level (Sugiyama, Tagawa and Toda, 1981): longest-path layers, barycenter
// sweeps for the order inside a layer, positions by isotonic regression, then vertical long ways.
import { heights } from './heights';
import { assignLayers } from './layers';
import type { Budget, Level, Placed } from './level';
import { orderLayers } from './order';
import { positions } from './positions';
import { makeSlots, type Slots } from './slots';
import { spinePins } from './spine';
import { straighten } from './straighten';
import { ways } from './ways';

const GRID = 8; // positions are multiples of 1/8 px, so that what is straight is so exactly

/** Places the items of one level. Its bends are taken from the budget. */
export function layered(level: Level, budget: Budget): Placed {
  const layering = assignLayers(level);
  const slots = makeSlots(level, layering, budget);
  orderLayers(slots);
  const pins = spinePins(slots);
  const x = positions(slots, pins);
  for (let s = 0; s < slots.count; s++) {
    x[s] = Math.round(x[s] * GRID) / GRID;
  }
  straighten(level, slots, x, pins);
  const width = shift(slots, x);
  const rows = heights(level, layering, slots, x);
  const y = new Float64Array(level.count);
  for (let item = 0; item < level.count; item++) {
    const layer = slots.layer[item];
    y[item] = (rows.top[layer] + rows.bottom[layer]) / 2;
  }
  return {
    x: x.subarray(0, level.count),
    y,
    width,
    height: rows.height,
    ways: ways({ level, layering, slots, heights: rows, x, y })
  };
}

/** Moves everything to the left border and puts it on the grid; the width. */
function shift({ count, width }: Slots, x: Float64Array): number {
  let left = Infinity;
  let right = -Infinity;
  for (let s = 0; s < count; s++) {
    left = Math.min(left, x[s] - width[s] / 2);
    right = Math.max(right, x[s] + width[s] / 2);
  }
  left = Math.floor(left * GRID) / GRID;
  for (let s = 0; s < count; s++) {
    x[s] = Math.round((x[s] - left) * GRID) / GRID;
  }
  return count > 0 ? Math.ceil(right - left) : 0;
}
