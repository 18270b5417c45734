// Bytes alive at each step of the plan, by what they are for; no drawing here.
import { CATEGORIES, type Buffer, type Category, type Memory } from '../spec';
import { familiesOf, stepsOf } from './memory_geometry';

/** Of one category; `held`: arrays that were there before and stay. */
export interface Layer {
  /** null: the picture does not tell (an older file) */
  category: Category | null;
  held: boolean;
  /** by step */
  bytes: number[];
}

/** A value in memory at a step. */
export interface Alive {
  node: number;
  label: string;
  bytes: number;
  category: Category | null;
  held: boolean;
  /** of the plan; null: an array that is held */
  buffer: number | null;
}

export interface LiveBytes {
  steps: number;
  /** from the ground up: what is held, then what the program makes */
  layers: Layer[];
  /** of all that the program makes, by step */
  made: number[];
  /** the first step at which the program's own bytes are the most */
  peak: number;
}

export function liveBytes(memory: Memory): LiveBytes {
  const created = memory.buffers.filter(buffer => buffer.kind !== 'input');
  const steps = stepsOf(memory);
  const layers = new Map<string, Layer>();
  // Changes first: a buffer that lives long must not cost a walk over its steps.
  const change = (
    category: Category | null,
    held: boolean,
    from: number,
    to: number,
    n: number
  ) => {
    const key = `${held}${category}`;
    const layer = layers.get(key) ?? { category, held, bytes: new Array<number>(steps).fill(0) };
    layers.set(key, layer);
    layer.bytes[from] += n;
    if (to < steps) {
      layer.bytes[to] -= n;
    }
  };
  for (const { category, start, end, bytes } of memory.held) {
    change(category, true, start, end + 1, bytes);
  }
  for (const family of familiesOf(created)) {
    for (const [buffer, from, to] of turns(family)) {
      for (const span of spansOf(buffer, from, to)) {
        change(span.category, false, span.from, span.to, buffer.bytes);
      }
    }
  }
  const made = new Array<number>(steps).fill(0);
  for (const { bytes, held } of layers.values()) {
    let sum = 0;
    for (let step = 0; step < steps; step++) {
      sum += bytes[step];
      bytes[step] = sum;
      made[step] += held ? 0 : sum;
    }
  }
  const peak = made.reduce((best, n, step) => (n > made[best] ? step : best), 0);
  return { steps, layers: [...layers.values()].sort((a, b) => rank(a) - rank(b)), made, peak };
}

/** What is in memory at a step, the largest first. */
export function aliveAt(memory: Memory, step: number): Alive[] {
  const alive: Alive[] = memory.held
    .filter(({ start, end }) => start <= step && step <= end)
    .map(({ node, label, bytes, category }) => ({
      node,
      label,
      bytes,
      category,
      held: true,
      buffer: null
    }));
  for (const buffer of memory.buffers) {
    if (buffer.kind !== 'input' && buffer.start <= step && step <= buffer.end) {
      const value = valueAt(buffer, step);
      alive.push({
        node: value?.node ?? buffer.node,
        label: value?.label || buffer.label,
        bytes: buffer.bytes,
        category: value?.category ?? null,
        held: false,
        buffer: buffer.id
      });
    }
  }
  return alive.sort((a, b) => b.bytes - a.bytes);
}

/** What a buffer holds at a step: before its first value it is kept free for that. */
export function valueAt({ values }: Buffer, step: number): Buffer['values'][number] | undefined {
  return values.filter(value => value.start <= step).pop() ?? values[0];
}

/** Steps [from, to) that are drawn as one: `step` stands for them. */
export interface Column {
  from: number;
  to: number;
  step: number;
}

/** At most one column a pixel, each with the step of the most bytes, so that no peak is lost. */
export function columnsOf(totals: number[], pixels: number): Column[] {
  const count = Math.max(1, Math.min(totals.length, Math.floor(pixels)));
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * totals.length) / count);
    const to = Math.floor(((i + 1) * totals.length) / count);
    let step = from;
    for (let at = from; at < to; at++) {
      step = totals[at] > totals[step] ? at : step;
    }
    return { from, to, step };
  });
}

function rank({ category, held }: Layer): number {
  const at = category === null ? CATEGORIES.length : CATEGORIES.indexOf(category);
  return held ? at - 100 : at;
}

// Where a buffer takes over another's space in place, the step belongs to the new one alone; each
// with the steps [from, to) for which it counts.
function turns(family: Buffer[]): [Buffer, number, number][] {
  const inTurn = [...family].sort((a, b) => a.start - b.start);
  return inTurn.map((buffer, i) => {
    const next = inTurn[i + 1]?.start ?? Infinity;
    return [buffer, buffer.start, Math.min(buffer.end + 1, next)];
  });
}

function spansOf(
  buffer: Buffer,
  from: number,
  to: number
): { category: Category | null; from: number; to: number }[] {
  if (buffer.values.length === 0) {
    return [{ category: null, from, to }];
  }
  return buffer.values
    .map(({ category, start }, i, all) => ({
      category,
      from: i === 0 ? from : Math.max(start, from),
      to: Math.min(all[i + 1]?.start ?? to, to)
    }))
    .filter(span => span.from < span.to);
}
