// The order within each layer: barycenter sweeps, argument places decide between equals.
import { crossings } from './crossings';
import type { Links } from './links';
import type { Slots } from './slots';

const SWEEPS = 8;
const COUNTED = 60_000; // slots up to which crossings are counted and the best sweep is kept
const PLACES = 64; // steps of argument places, by halves

/** Sorts `slots.order` and `slots.rank`. */
export function orderLayers(slots: Slots): void {
  const counted = slots.count <= COUNTED;
  let fewest = counted ? crossings(slots) : 0;
  let best = counted ? slots.order.slice() : null;
  const sort = sorter(slots);
  // The first two always: they bring arguments into order.
  for (let sweep = 0; sweep < SWEEPS && (sweep < 2 || fewest > 0 || !counted); sweep++) {
    if (sweep % 2 === 0) {
      for (let l = 0; l < slots.layers; l++) {
        sort(l, slots.up);
      }
    } else {
      for (let l = slots.layers - 1; l >= 0; l--) {
        sort(l, slots.down);
      }
    }
    if (counted) {
      const now = crossings(slots);
      if (now <= fewest) {
        fewest = now;
        best = slots.order.slice();
      }
    }
  }
  if (best !== null) {
    slots.order.set(best);
    for (let l = 0; l < slots.layers; l++) {
      for (let i = slots.start[l]; i < slots.start[l + 1]; i++) {
        slots.rank[best[i]] = i - slots.start[l];
      }
    }
  }
}

/**
 * Sorts a layer by the mean rank of the neighbours on one side. Mean, argument place and present
 * place are packed into one number each: typed arrays sort numbers much faster than records.
 */
function sorter(slots: Slots): (layer: number, links: Links) => void {
  const { start, order, rank, beside } = slots;
  let widest = 2;
  for (let l = 0; l < slots.layers; l++) {
    widest = Math.max(widest, start[l + 1] - start[l]);
  }
  const places = slots.place.map(p => Math.min(PLACES - 1, Math.round(2 * p)));
  const indices = 2 ** Math.ceil(Math.log2(widest));
  const steps = 2 ** (53 - 2 * Math.ceil(Math.log2(widest + 2)) - Math.log2(PLACES));
  const means = new Float64Array(slots.count);
  const keys = new Float64Array(widest);
  const before = new Int32Array(widest);
  return (layer, links) => {
    const from = start[layer];
    const size = start[layer + 1] - from;
    for (let i = 0; i < size; i++) {
      const slot = order[from + i];
      const end = links.start[slot + 1];
      let sum = 0;
      for (let j = links.start[slot]; j < end; j++) {
        sum += rank[links.slot[j]] + links.turn[j];
      }
      means[slot] = end > links.start[slot] ? sum / (end - links.start[slot]) : i;
      before[i] = slot;
    }
    for (let i = 0; i < size; i++) {
      const slot = before[i];
      const alone = beside[slot] >= 0 && links.start[slot] === links.start[slot + 1];
      const mean = alone ? means[beside[slot]] : means[slot];
      keys[i] = (Math.floor((mean + 1) * steps) * PLACES + places[slot]) * indices + i;
    }
    const sorted = keys.subarray(0, size).sort();
    for (let i = 0; i < size; i++) {
      const slot = before[sorted[i] - Math.floor(sorted[i] / indices) * indices];
      order[from + i] = slot;
      rank[slot] = i;
    }
  };
}
