// The places of a level: every item and every bend of a long edge is a slot in a layer.
import { groupBy } from './csr';
import type { Layering } from './layers';
import { isPort, type Budget, type Level } from './level';
import { linksBetween, type Links, type Segments } from './links';
import { BEND_WIDTH } from './measures';
import { trunksOf, type Trunks } from './trunks';

const LATE = 0.01; // inputs give way, so that the chain of operators stays straight
const BEND = 0.1; // bends too, else long edges pull the boxes aside

/** Slots 0 to `items` - 1 are the level's items, the others bends. */
export interface Slots {
  count: number;
  items: number;
  layers: number;
  layer: Int32Array;
  width: Float64Array;
  /** how firmly a slot stands where it wants to be */
  weight: Float64Array;
  /** 1 for bends and ports, which need less room beside them */
  thin: Uint8Array;
  /** the slots of layer l, in order: order[start[l]] to order[start[l + 1] - 1] */
  start: Int32Array;
  order: Int32Array;
  /** by slot: its place in its layer */
  rank: Int32Array;
  /** by slot: its mean place among the arguments of its readers */
  place: Float64Array;
  up: Links;
  down: Links;
  /** by slot: for the end of a back edge's way the item beside which it turns, else -1 */
  beside: Int32Array;
  /** by slot: for a bend below its source the first bend of the same way, else itself */
  head: Int32Array;
  trunks: Trunks;
}

export function makeSlots(level: Level, layering: Layering, budget: Budget): Slots {
  const trunks = trunksOf(level, layering, budget);
  const items = level.count;
  const count = items + trunks.bends;
  const layer = new Int32Array(count);
  const width = new Float64Array(count).fill(BEND_WIDTH);
  const weight = new Float64Array(count).fill(1);
  const thin = new Uint8Array(count).fill(1);
  layer.set(layering.layer);
  width.set(level.w);
  for (let i = 0; i < items; i++) {
    thin[i] = isPort(level, i) ? 1 : 0;
    weight[i] = level.late[i] ? LATE : thin[i] ? BEND : 1;
  }
  const head = Int32Array.from(layer, (_, slot) => slot);
  const beside = new Int32Array(count).fill(-1);
  const segments = join(level, layering, trunks, beside);
  for (let net = 0; net < level.netSource.length; net++) {
    const source = level.netSource[net];
    const from = layer[source];
    const firm = level.late[source] ? LATE * BEND : BEND;
    for (let k = 0; k < trunks.downLength[net]; k++) {
      layer[trunks.down[net] + k] = from + 1 + k;
      head[trunks.down[net] + k] = trunks.down[net];
      weight[trunks.down[net] + k] = firm;
    }
    for (let k = 0; k < trunks.upLength[net]; k++) {
      layer[trunks.up[net] + k] = from - k;
      weight[trunks.up[net] + k] = firm;
    }
  }
  const { start, list: order } = groupBy(layer, layering.count);
  const rank = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    rank[order[i]] = i - start[layer[order[i]]];
  }
  const { up, down } = linksBetween(segments, { count, items, width, weight });
  const place = argumentPlaces(count, up);
  return {
    ...{ count, items, layers: layering.count, layer, width, weight, thin },
    ...{ start, order, rank, place, up, down, beside, head, trunks }
  };
}

/** The pieces between slots of neighbouring layers, each reader's in argument order. */
function join(level: Level, layering: Layering, trunks: Trunks, beside: Int32Array): Segments {
  const { netSource, targetNet, targetItem } = level;
  const { layer, back } = layering;
  const most = trunks.bends + targetNet.length;
  const segments: Segments = {
    count: 0,
    upper: new Int32Array(most),
    lower: new Int32Array(most),
    upperDx: new Float64Array(most),
    lowerDx: new Float64Array(most)
  };
  const add = (upper: number, lower: number, upperDx: number, lowerDx: number) => {
    const i = segments.count++;
    segments.upper[i] = upper;
    segments.lower[i] = lower;
    segments.upperDx[i] = upperDx;
    segments.lowerDx[i] = lowerDx;
  };
  for (let net = 0; net < netSource.length; net++) {
    const down = trunks.down[net];
    for (let k = 0; k < trunks.downLength[net]; k++) {
      add(k > 0 ? down + k - 1 : netSource[net], down + k, k > 0 ? 0 : level.netDx[net], 0);
    }
    const up = trunks.up[net];
    for (let k = 1; k < trunks.upLength[net]; k++) {
      add(up + k, up + k - 1, 0, 0);
    }
    if (trunks.upLength[net] > 0) {
      beside[up] = netSource[net];
    }
  }
  for (let t = 0; t < targetNet.length; t++) {
    const net = targetNet[t];
    const item = targetItem[t];
    const steps = layer[item] - layer[netSource[net]];
    if (back[t]) {
      if (trunks.upLength[net] > 0) {
        const end = trunks.up[net] - steps;
        beside[end] = beside[end] < 0 ? item : beside[end];
      }
    } else if (steps === 1) {
      add(netSource[net], item, level.netDx[net], level.targetDx[t]);
    } else if (trunks.downLength[net] > 0) {
      add(trunks.down[net] + steps - 2, item, 0, level.targetDx[t]);
    }
  }
  return segments;
}

function argumentPlaces(count: number, up: Links): Float64Array {
  const sum = new Float64Array(count);
  const readers = new Int32Array(count);
  for (let s = 0; s < count; s++) {
    for (let i = up.start[s]; i < up.start[s + 1]; i++) {
      sum[up.slot[i]] += i - up.start[s];
      readers[up.slot[i]]++;
    }
  }
  return sum.map((total, s) => (readers[s] > 0 ? total / readers[s] : 0));
}
