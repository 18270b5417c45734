// Boxes that stand one under the other: each the only reader of the one above.
import type { Slots } from './slots';

/** Chains of two boxes and more, from above; inputs and bends above a box do not count. */
export function boxColumns(slots: Slots, pins: Float64Array): number[][] {
  const { up, down, items, weight } = slots;
  const free = (slot: number) => slot < items && weight[slot] >= 1 && Number.isNaN(pins[slot]);
  const next = new Int32Array(items).fill(-1);
  const below = new Uint8Array(items);
  for (let item = 0; item < items; item++) {
    const only = down.start[item + 1] - down.start[item] === 1;
    const reader = only ? down.slot[down.start[item]] : -1;
    if (reader < 0 || !free(item) || !free(reader)) {
      continue;
    }
    let sources = 0;
    for (let i = up.start[reader]; i < up.start[reader + 1]; i++) {
      sources += up.slot[i] < items && weight[up.slot[i]] >= 1 ? 1 : 0;
    }
    if (sources === 1) {
      next[item] = reader;
      below[reader] = 1;
    }
  }
  const columns: number[][] = [];
  for (let item = 0; item < items; item++) {
    if (below[item] === 0 && next[item] >= 0) {
      const column: number[] = [];
      for (let at = item; at >= 0; at = next[at]) {
        column.push(at);
      }
      columns.push(column);
    }
  }
  return columns;
}
