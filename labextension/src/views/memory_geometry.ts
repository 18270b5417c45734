// The memory plan as rectangles: steps to the right, bytes upward; no drawing here.
import type { Attempt, Buffer, Memory } from '../spec';

/** A buffer's rectangle: steps [x0, x1), bytes [y0, y1) above the bottom of the picture. */
export interface BufferBox {
  buffer: Buffer;
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

/** A buffer that takes over another's space in place, at step `x`. */
export interface Handover {
  from: BufferBox;
  to: BufferBox;
  x: number;
}

export interface MemoryLayout {
  steps: number;
  /** bytes at the top of the picture */
  top: number;
  arena: number;
  boxes: BufferBox[];
  handovers: Handover[];
}

// How many times the plan's height the imperative level may stand.
const FLATTEST = 2.5;

/** Arena buffers at their offsets, outputs stacked above the arena, inputs left out. */
export function layoutMemory(memory: Memory): MemoryLayout {
  const created = memory.buffers.filter(buffer => buffer.kind !== 'input');
  const steps = stepsOf(memory);
  // Up to the last byte in use: the arena's own size is rounded up, and outputs stand on top.
  const arena = Math.max(
    0,
    ...created.filter(b => b.kind === 'arena').map(b => b.offset + b.bytes)
  );
  const boxes = created
    .filter(buffer => buffer.kind === 'arena')
    .map(buffer => boxAt(buffer, buffer.offset));
  boxes.push(...stackOutputs(created, arena));
  const used = Math.max(1, memory.planned, memory.lower_bound, ...boxes.map(box => box.y1));
  // The imperative bytes are drawn to scale unless that would flatten the plan itself.
  const top = memory.imperative <= FLATTEST * used ? Math.max(used, memory.imperative) : used;
  return {
    steps,
    top,
    arena,
    boxes,
    handovers: findHandovers(boxes)
  };
}

/** How many steps are drawn: results that are copied at the end stand at one more. */
export function stepsOf({ steps, buffers }: Memory): number {
  return buffers.reduce((most, { end }) => Math.max(most, end + 1), Math.max(steps.length, 1));
}

// Buffers that share one output's space stand at one height; each such family takes the lowest
// place that is free for as long as it lives.
function stackOutputs(created: Buffer[], base: number): BufferBox[] {
  const families = familiesOf(created.filter(buffer => buffer.kind === 'output'));
  const placed: { start: number; end: number; y0: number; y1: number }[] = [];
  const boxes: BufferBox[] = [];
  for (const family of families.sort((a, b) => startOf(a) - startOf(b))) {
    const start = startOf(family);
    const end = Math.max(...family.map(buffer => buffer.end));
    const height = Math.max(...family.map(buffer => buffer.bytes));
    let y = base;
    for (const other of placed.sort((a, b) => a.y0 - b.y0)) {
      const together = other.start <= end && start <= other.end;
      if (together && other.y0 < y + height && y < other.y1) {
        y = other.y1;
      }
    }
    placed.push({ start, end, y0: y, y1: y + height });
    boxes.push(...family.map(buffer => boxAt(buffer, y)));
  }
  return boxes;
}

/** Buffers that share one space in place, together. */
export function familiesOf(buffers: Buffer[]): Buffer[][] {
  const family = new Map<number, Buffer[]>(buffers.map(buffer => [buffer.id, [buffer]]));
  for (const buffer of buffers) {
    for (const id of buffer.shares) {
      const mine = family.get(buffer.id);
      const other = family.get(id);
      if (mine && other && mine !== other) {
        mine.push(...other);
        other.forEach(member => family.set(member.id, mine));
      }
    }
  }
  return [...new Set(family.values())];
}

function startOf(family: Buffer[]): number {
  return Math.min(...family.map(buffer => buffer.start));
}

function boxAt(buffer: Buffer, y: number): BufferBox {
  return { buffer, x0: buffer.start, x1: buffer.end + 1, y0: y, y1: y + buffer.bytes };
}

function findHandovers(boxes: BufferBox[]): Handover[] {
  const byId = new Map(boxes.map(box => [box.buffer.id, box]));
  const seen = new Set<string>();
  const handovers: Handover[] = [];
  for (const box of boxes) {
    for (const id of box.buffer.shares) {
      const other = byId.get(id);
      const key = [box.buffer.id, id].sort((a, b) => a - b).join();
      if (!other || other === box || seen.has(key)) {
        continue;
      }
      seen.add(key);
      const [from, to] = other.x0 <= box.x0 ? [other, box] : [box, other];
      handovers.push({ from, to, x: to.x0 });
    }
  }
  return handovers;
}

/** The plan with the arena's buffers where another method puts them. */
export function placedBy(memory: Memory, { offsets, bytes }: Attempt): Memory {
  const at = new Map(memory.attempted.map((id, i) => [id, offsets[i]]));
  const buffers = memory.buffers.map(buffer => ({
    ...buffer,
    offset: at.get(buffer.id) ?? buffer.offset
  }));
  return { ...memory, buffers, arena_bytes: bytes };
}

/** The box under a point given in steps and bytes; the last drawn wins. */
export function boxUnder(layout: MemoryLayout, x: number, y: number): BufferBox | null {
  for (let i = layout.boxes.length - 1; i >= 0; i--) {
    const box = layout.boxes[i];
    if (x >= box.x0 && x < box.x1 && y >= box.y0 && y < box.y1) {
      return box;
    }
  }
  return null;
}

/** Round tick values for an axis of bytes in steps of a power of two, about `count` of them. */
export function byteTicks(top: number, count: number): number[] {
  const raw = top / Math.max(count, 1);
  let step = 1;
  while (step < raw) {
    step *= 2;
  }
  const ticks: number[] = [];
  for (let value = 0; value <= top; value += step) {
    ticks.push(value);
  }
  return ticks;
}
