// The longest way from an input to an output, which the picture keeps straight.
import { separations } from './separations';
import type { Slots } from './slots';

const WIDER = 1.5; // a picture may get so many times wider for a straight spine

interface Pin {
  slot: number;
  x: number;
}

/**
 * By slot: where the spine has to stand, NaN for all other slots. Among equally long ways the one
 * in the middle of the order is taken, so that parallel branches lie on both sides.
 */
export function spinePins(slots: Slots): Float64Array {
  const pins = new Float64Array(slots.count).fill(NaN);
  const spine = longestWay(slots);
  // Inputs give way even here: they may have other readers.
  const firm = spine.filter(({ slot }) => slots.weight[slot] >= 1 || slots.thin[slot]);
  if (firm.length > 1 && fits(slots, firm)) {
    firm.forEach(({ slot, x }) => (pins[slot] = x));
  }
  return pins;
}

/** The slots of the longest way, from below, one under the other. */
function longestWay(slots: Slots): Pin[] {
  const { up, items, head, rank } = slots;
  const length = lengths(slots);
  const middle = (places: number[], itemAt: (place: number) => number) =>
    places.sort((a, b) => rank[itemAt(a)] - rank[itemAt(b)])[(places.length - 1) >> 1];
  let longest = 0;
  for (let item = 0; item < items; item++) {
    longest = Math.max(longest, length[item]);
  }
  const lowest: number[] = [];
  for (let item = 0; item < items; item++) {
    if (length[item] === longest) {
      lowest.push(item);
    }
  }
  const spine: Pin[] = [];
  const sourceAt = (link: number) => {
    const slot = up.slot[link];
    return slot < items ? slot : up.slot[up.start[head[slot]]];
  };
  let slot = longest > 0 ? middle(lowest, item => item) : -1;
  let x = 0;
  while (slot >= 0) {
    spine.push({ slot, x });
    const links: number[] = [];
    for (let i = up.start[slot]; i < up.start[slot + 1]; i++) {
      if (slot >= items || length[sourceAt(i)] === length[slot] - 1) {
        links.push(i);
      }
    }
    if (links.length === 0) {
      break;
    }
    const link = middle(links, sourceAt);
    x -= up.dx[link];
    slot = up.slot[link];
  }
  return spine;
}

/** By item: how many items the longest way down to it has. */
function lengths(slots: Slots): Int32Array {
  const { down, items } = slots;
  const length = new Int32Array(slots.count).fill(1, 0, items);
  for (let l = 0; l < slots.layers; l++) {
    for (let i = slots.start[l]; i < slots.start[l + 1]; i++) {
      const slot = slots.order[i];
      for (let j = down.start[slot]; j < down.start[slot + 1]; j++) {
        const to = down.slot[j];
        length[to] = Math.max(length[to], length[slot] + (to < items ? 1 : 0));
      }
    }
  }
  return length;
}

/** Whether the picture stays about as wide as its widest layer with the spine straight. */
function fits(slots: Slots, spine: Pin[]): boolean {
  const gaps = separations(slots);
  const at = new Map(spine.map(pin => [slots.layer[pin.slot], pin]));
  let [left, right, widest] = [0, 0, 0];
  for (let l = 0; l < slots.layers; l++) {
    let width = 0;
    let before = 0;
    const pin = at.get(l);
    for (let i = slots.start[l]; i < slots.start[l + 1]; i++) {
      width += gaps[i];
      before = slots.order[i] === pin?.slot ? width : before;
    }
    widest = Math.max(widest, width);
    if (pin !== undefined) {
      left = Math.max(left, before - pin.x);
      right = Math.max(right, width - before + pin.x);
    }
  }
  return left + right <= WIDER * widest + 200;
}
