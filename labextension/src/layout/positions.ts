// Where the slots stand in their layers: each as near to its neighbours as the gaps allow.
import type { Links } from './links';
import { separations } from './separations';
import type { Slots } from './slots';

const SWEEPS = 12;
const PINNED = 1e6; // weight of the spine

/** The x of every slot's middle; `pins` is where a slot has to stand, NaN for any place. */
export function positions(slots: Slots, pins: Float64Array): Float64Array {
  const { layers, start, order, up, down } = slots;
  const gaps = separations(slots);
  const x = new Float64Array(slots.count);
  for (let l = 0; l < layers; l++) {
    let at = 0;
    for (let i = start[l]; i < start[l + 1]; i++) {
      at += gaps[i];
      x[order[i]] = at;
    }
    for (let i = start[l]; i < start[l + 1]; i++) {
      x[order[i]] -= at / 2;
    }
  }
  const place = placer(slots, pins, gaps, x);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const both = sweep >= SWEEPS - 2;
    if (sweep % 2 === 0) {
      for (let l = 0; l < layers; l++) {
        place(l, up, both ? down : null);
      }
    } else {
      for (let l = layers - 1; l >= 0; l--) {
        place(l, down, both ? up : null);
      }
    }
  }
  return x;
}

/** Weighted least squares to the wishes, minimum gaps kept: pool adjacent violators. */
function placer(slots: Slots, pins: Float64Array, gaps: Float64Array, x: Float64Array) {
  const { start, order, weight, beside } = slots;
  const size = slots.count;
  const sums = new Float64Array(size);
  const weights = new Float64Array(size);
  const ends = new Int32Array(size);
  return (layer: number, near: Links, others: Links | null) => {
    let blocks = 0;
    let offset = 0;
    for (let i = start[layer]; i < start[layer + 1]; i++) {
      const slot = order[i];
      offset += gaps[i];
      let pull = 0;
      let wish = 0;
      for (let j = near.start[slot]; j < near.start[slot + 1]; j++) {
        pull += near.pull[j];
        wish += near.pull[j] * (x[near.slot[j]] + near.dx[j]);
      }
      if (others !== null) {
        for (let j = others.start[slot]; j < others.start[slot + 1]; j++) {
          pull += others.pull[j];
          wish += others.pull[j] * (x[others.slot[j]] + others.dx[j]);
        }
      }
      let firm = weight[slot];
      if (pull > 0) {
        wish /= pull;
      } else {
        wish = x[beside[slot] >= 0 ? beside[slot] : slot];
      }
      if (!Number.isNaN(pins[slot])) {
        wish = pins[slot];
        firm = PINNED;
      }
      let sum = (wish - offset) * firm;
      while (blocks > 0 && sums[blocks - 1] * firm > sum * weights[blocks - 1]) {
        blocks--;
        sum += sums[blocks];
        firm += weights[blocks];
      }
      sums[blocks] = sum;
      weights[blocks] = firm;
      ends[blocks++] = i + 1;
    }
    offset = 0;
    for (let i = start[layer], b = 0; b < blocks; b++) {
      const shift = sums[b] / weights[b];
      for (; i < ends[b]; i++) {
        offset += gaps[i];
        x[order[i]] = shift + offset;
      }
    }
  };
}
