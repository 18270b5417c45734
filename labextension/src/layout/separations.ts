// The least distances between the middles of neighbouring slots.
import { GAP_BEND, GAP_X } from './measures';
import type { Slots } from './slots';

/** By place in `slots.order`: the distance from the slot before in the layer, 0 for the first. */
export function separations({ layers, start, order, width, thin }: Slots): Float64Array {
  const gaps = new Float64Array(order.length);
  for (let l = 0; l < layers; l++) {
    for (let i = start[l] + 1; i < start[l + 1]; i++) {
      const [left, right] = [order[i - 1], order[i]];
      const gap = thin[left] || thin[right] ? GAP_BEND : GAP_X;
      gaps[i] = (width[left] + width[right]) / 2 + gap;
    }
  }
  return gaps;
}
