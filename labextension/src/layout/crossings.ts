// How often the pieces between neighbouring layers cross (Barth, Jünger and Mutzel, 2002).
import type { Slots } from './slots';

export function crossings(slots: Slots): number {
  const { start, order, rank, down } = slots;
  let widest = 0;
  for (let l = 0; l < slots.layers; l++) {
    widest = Math.max(widest, start[l + 1] - start[l]);
  }
  const tree = new Int32Array(widest + 1); // a Fenwick tree: how many ends up to a rank
  let crossed = 0;
  for (let l = 0; l + 1 < slots.layers; l++) {
    const size = start[l + 2] - start[l + 1];
    tree.fill(0, 0, size + 1);
    let ends = 0;
    for (let i = start[l]; i < start[l + 1]; i++) {
      const first = down.start[order[i]];
      const end = down.start[order[i] + 1];
      for (let j = first; j < end; j++) {
        crossed += ends;
        for (let k = rank[down.slot[j]] + 1; k > 0; k -= k & -k) {
          crossed -= tree[k];
        }
      }
      for (let j = first; j < end; j++) {
        for (let k = rank[down.slot[j]] + 1; k <= size; k += k & -k) {
          tree[k]++;
        }
      }
      ends += end - first;
    }
  }
  return crossed;
}
