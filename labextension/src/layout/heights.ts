// The heights of the layers and of the gaps between them.
import type { Layering } from './layers';
import { isPort, type Level } from './level';
import { GAP_PORT, GAP_Y } from './measures';
import type { Slots } from './slots';

const FLAT = 8 * GAP_Y; // px across from which a crossing of a gap is flat
const MANY = 24; // flat crossings at which a gap is twice as high

/** By layer: its upper and lower border; by back edge: where it turns below and above the layers. */
export interface Heights {
  top: Float64Array;
  bottom: Float64Array;
  height: number;
  /** by net: where its back edges turn upwards, below the source's layer */
  turnUp: Float64Array;
  /** by target: where its back edge turns downwards, above the target's layer */
  turnDown: Float64Array;
}

export function heights(level: Level, layering: Layering, slots: Slots, x: Float64Array): Heights {
  const { layers, layer } = slots;
  const gap = gaps(level, slots, x);
  // Turns share the height of a gap: gap g lies above layer g.
  const turns = new Int32Array(layers + 1);
  const turned = new Int32Array(layers + 1);
  const visit = (take: (gap: number, net: number, target: number) => void) => {
    for (let net = 0; net < level.netSource.length; net++) {
      if (slots.trunks.upLength[net] > 0) {
        take(layer[level.netSource[net]] + 1, net, -1);
      }
    }
    for (let t = 0; t < level.targetNet.length; t++) {
      if (layering.back[t]) {
        take(layer[level.targetItem[t]], level.targetNet[t], t);
      }
    }
  };
  visit(g => turns[g]++);
  gap[0] = turns[0] > 0 ? GAP_PORT : 0;
  gap[layers] = turns[layers] > 0 ? GAP_PORT : 0;
  const top = new Float64Array(layers);
  const bottom = new Float64Array(layers);
  for (let item = 0; item < level.count; item++) {
    bottom[layer[item]] = Math.max(bottom[layer[item]], level.h[item]);
  }
  let height = 0;
  for (let l = 0; l < layers; l++) {
    top[l] = height + gap[l];
    height = bottom[l] += top[l];
  }
  height += gap[layers];
  const turnUp = new Float64Array(level.netSource.length);
  const turnDown = new Float64Array(level.targetNet.length);
  visit((g, net, target) => {
    const above = g > 0 ? bottom[g - 1] : 0;
    const y = above + (gap[g] * ++turned[g]) / (turns[g] + 1);
    if (target < 0) {
      turnUp[net] = y;
    } else {
      turnDown[target] = y;
    }
  });
  return { top, bottom, height, turnUp, turnDown };
}

/** A gap that many flat pieces cross is up to twice as high, so that they can be told apart. */
function gaps(level: Level, slots: Slots, x: Float64Array): Float64Array {
  const { layers, start, order, down } = slots;
  const gap = new Float64Array(layers + 1);
  for (let l = 0; l + 1 < layers; l++) {
    let flat = 0;
    for (let i = start[l]; i < start[l + 1]; i++) {
      for (let j = down.start[order[i]]; j < down.start[order[i] + 1]; j++) {
        flat += Math.abs(x[order[i]] - x[down.slot[j]] - down.dx[j]) > FLAT ? 1 : 0;
      }
    }
    const port = isPort(level, order[start[l]]) || isPort(level, order[start[l + 1]]);
    gap[l + 1] = (port ? GAP_PORT : GAP_Y) * (1 + Math.min(1, flat / MANY));
  }
  return gap;
}
