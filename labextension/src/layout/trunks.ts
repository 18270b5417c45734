// Which bends each value's way has. All edges of a value that pass a layer pass it at one place.
import type { Layering } from './layers';
import type { Budget, Level } from './level';

/**
 * By net: its bends down[net] + k lie in the layers below its source's, and up[net] + k, for back
 * edges, in the source's layer and those above. Slot numbers; a length of 0: no such bends.
 */
export interface Trunks {
  bends: number;
  down: Int32Array;
  downLength: Int32Array;
  up: Int32Array;
  upLength: Int32Array;
}

/** Past the budget the longest ways go without bends; their edges are drawn straight. */
export function trunksOf(level: Level, layering: Layering, budget: Budget): Trunks {
  const nets = level.netSource.length;
  const { downLength, upLength } = lengths(level, layering);
  let wanted = 0;
  for (let net = 0; net < nets; net++) {
    wanted += downLength[net] + upLength[net];
  }
  if (wanted > budget.bends) {
    const size = (net: number) => downLength[net] + upLength[net];
    const byLength = Array.from({ length: nets }, (_, net) => net).sort(
      (a, b) => size(a) - size(b) || a - b
    );
    wanted = 0;
    for (const net of byLength) {
      if (wanted + size(net) > budget.bends) {
        downLength[net] = upLength[net] = 0;
      }
      wanted += size(net);
    }
  }
  budget.bends -= wanted;
  const down = new Int32Array(nets);
  const up = new Int32Array(nets);
  let next = level.count;
  for (let net = 0; net < nets; net++) {
    down[net] = next;
    up[net] = next + downLength[net];
    next = up[net] + upLength[net];
  }
  return { bends: wanted, down, downLength, up, upLength };
}

function lengths(level: Level, { layer, back }: Layering) {
  const downLength = new Int32Array(level.netSource.length);
  const upLength = new Int32Array(level.netSource.length);
  for (let t = 0; t < level.targetNet.length; t++) {
    const net = level.targetNet[t];
    const steps = layer[level.targetItem[t]] - layer[level.netSource[net]];
    if (back[t]) {
      upLength[net] = Math.max(upLength[net], 1 - steps);
    } else {
      downLength[net] = Math.max(downLength[net], steps - 1);
    }
  }
  return { downLength, upLength };
}
