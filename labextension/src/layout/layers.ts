// Layers by the longest path; cycles are broken by depth-first search.
import { groupBy } from './csr';
import { isPort, type Level } from './level';

export interface Layering {
  count: number;
  /** by item */
  layer: Int32Array;
  /** by target: 1 where it closes a cycle and so points to an upper layer */
  back: Uint8Array;
  /** the items in topological order, with back edges reversed */
  order: Int32Array;
}

export function assignLayers(level: Level): Layering {
  const { count, targetItem, targetNet, netSource } = level;
  const edges = targetItem.length;
  const source = new Int32Array(edges);
  for (let t = 0; t < edges; t++) {
    source[t] = netSource[targetNet[t]];
  }
  const { order, back } = search(level, source);
  const upper = new Int32Array(edges);
  const lower = new Int32Array(edges);
  for (let t = 0; t < edges; t++) {
    upper[t] = back[t] ? targetItem[t] : source[t];
    lower[t] = back[t] ? source[t] : targetItem[t];
  }
  const below = groupBy(upper, count);
  const layer = new Int32Array(count);
  const first = level.entries > 0 ? 1 : 0;
  let last = 0;
  for (const item of order) {
    if (!isPort(level, item)) {
      layer[item] = Math.max(layer[item], first);
      last = Math.max(last, layer[item]);
    }
    for (let i = below.start[item]; i < below.start[item + 1]; i++) {
      const to = lower[below.list[i]];
      layer[to] = Math.max(layer[to], layer[item] + 1);
    }
  }
  layer.fill(last + 1, count - level.exits);
  for (let i = count - 1; i >= 0; i--) {
    const item = order[i];
    if (level.late[item] && below.start[item] < below.start[item + 1]) {
      let least = Infinity;
      for (let j = below.start[item]; j < below.start[item + 1]; j++) {
        least = Math.min(least, layer[lower[below.list[j]]]);
      }
      layer[item] = Math.max(layer[item], least - 1);
    }
  }
  return { count: compact(layer, last + 2), layer, back, order };
}

/** Leaves out the layers that the late items have left; the number of the others. */
function compact(layer: Int32Array, most: number): number {
  const place = new Int32Array(most);
  for (const l of layer) {
    place[l] = 1;
  }
  let count = 0;
  for (let l = 0; l < most; l++) {
    count += place[l];
    place[l] = count - 1;
  }
  for (let i = 0; i < layer.length; i++) {
    layer[i] = place[layer[i]];
  }
  return count;
}

/** Depth-first in the given order: an edge to an item on the path to it is a back edge. */
function search(level: Level, source: Int32Array): { order: Int32Array; back: Uint8Array } {
  const { count, targetItem } = level;
  const { start, list } = groupBy(source, count);
  const back = new Uint8Array(targetItem.length);
  const order = new Int32Array(count);
  const state = new Uint8Array(count); // 0 not seen, 1 on the path, 2 left
  const next = start.slice(0, count);
  const path = new Int32Array(count);
  let left = count;
  for (let root = 0; root < count; root++) {
    let depth = 0;
    if (state[root] === 0) {
      path[depth++] = root;
      state[root] = 1;
    }
    while (depth > 0) {
      const item = path[depth - 1];
      if (next[item] === start[item + 1]) {
        state[item] = 2;
        order[--left] = item;
        depth--;
        continue;
      }
      const target = list[next[item]++];
      const to = targetItem[target];
      if (state[to] === 0) {
        path[depth++] = to;
        state[to] = 1;
      } else if (state[to] === 1) {
        back[target] = 1;
      }
    }
  }
  return { order, back };
}
