// The lines of a level: down from the source, along its value's bends, down to the target.
import type { Heights } from './heights';
import type { Layering } from './layers';
import type { Level } from './level';
import { addPoint } from './line';
import type { Slots } from './slots';

interface Drawing {
  level: Level;
  layering: Layering;
  slots: Slots;
  heights: Heights;
  x: Float64Array;
  y: Float64Array;
}

/** A way for every target, from the port of the source to that of the target. */
export function ways(drawing: Drawing): number[][] {
  const { level, layering, slots } = drawing;
  const runs = runsOfTrunks(drawing);
  return Array.from(level.targetNet, (net, target) => {
    const item = level.targetItem[target];
    const back = layering.back[target] === 1;
    const steps = slots.layer[item] - slots.layer[level.netSource[net]];
    const missing = back ? slots.trunks.upLength[net] === 0 : slots.trunks.downLength[net] === 0;
    if (missing && (back || steps > 1)) {
      return straight(drawing, net, target);
    }
    return back ? upwards(drawing, runs, net, target) : downwards(drawing, runs, net, target);
  });
}

function ends({ level, slots, x, y }: Drawing, net: number, target: number) {
  const source = level.netSource[net];
  const item = level.targetItem[target];
  return {
    sourceX: x[source] + level.netDx[net],
    sourceY: y[source] + level.h[source] / 2,
    targetX: x[item] + level.targetDx[target],
    targetY: y[item] - level.h[item] / 2,
    sourceLayer: slots.layer[source],
    targetLayer: slots.layer[item]
  };
}

function straight(drawing: Drawing, net: number, target: number): number[] {
  const end = ends(drawing, net, target);
  return [end.sourceX, end.sourceY, end.targetX, end.targetY];
}

function downwards(drawing: Drawing, runs: Runs, net: number, target: number): number[] {
  const { top, bottom } = drawing.heights;
  const end = ends(drawing, net, target);
  const line = [end.sourceX, end.sourceY];
  addPoint(line, end.sourceX, bottom[end.sourceLayer]);
  const last = end.targetLayer - 1;
  for (let r = runs.down[net]; r < runs.up[net] && runs.from[r] <= last; r++) {
    addPoint(line, runs.x[r], top[runs.from[r]]);
    addPoint(line, runs.x[r], bottom[Math.min(runs.to[r], last)]);
  }
  addPoint(line, end.targetX, top[end.targetLayer]);
  addPoint(line, end.targetX, end.targetY);
  return line;
}

/** A back edge turns in the gap below its source, goes up beside the boxes and turns again. */
function upwards(drawing: Drawing, runs: Runs, net: number, target: number): number[] {
  const { top, bottom, turnUp, turnDown } = drawing.heights;
  const end = ends(drawing, net, target);
  const line = [end.sourceX, end.sourceY];
  addPoint(line, end.sourceX, turnUp[net]);
  let x = 0;
  for (let r = runs.up[net]; r < runs.down[net + 1] && runs.from[r] >= end.targetLayer; r++) {
    x = runs.x[r];
    addPoint(line, x, r === runs.up[net] ? turnUp[net] : bottom[runs.from[r]]);
    addPoint(line, x, top[Math.max(runs.to[r], end.targetLayer)]);
  }
  addPoint(line, x, turnDown[target]);
  addPoint(line, end.targetX, turnDown[target]);
  addPoint(line, end.targetX, end.targetY);
  return line;
}

/** Bends at one x: the runs of net n down are down[n] to up[n] - 1, up are up[n] to down[n + 1] - 1. */
interface Runs {
  down: Int32Array;
  up: Int32Array;
  x: number[];
  /** the first and the last layer of the run, on its way */
  from: number[];
  to: number[];
}

function runsOfTrunks({ level, slots, x }: Drawing): Runs {
  const nets = level.netSource.length;
  const { trunks, layer } = slots;
  const runs: Runs = {
    ...{ down: new Int32Array(nets + 1), up: new Int32Array(nets) },
    ...{ x: [], from: [], to: [] }
  };
  const add = (first: number, length: number) => {
    for (let k = 0; k < length; k++) {
      const slot = first + k;
      if (k > 0 && x[slot] === x[slot - 1]) {
        runs.to[runs.to.length - 1] = layer[slot];
      } else {
        runs.x.push(x[slot]);
        runs.from.push(layer[slot]);
        runs.to.push(layer[slot]);
      }
    }
  };
  for (let net = 0; net < nets; net++) {
    add(trunks.down[net], trunks.downLength[net]);
    runs.up[net] = runs.x.length;
    add(trunks.up[net], trunks.upLength[net]);
    runs.down[net + 1] = runs.x.length;
  }
  return runs;
}
