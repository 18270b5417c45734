// What each line of the cell holds in memory; no drawing here.
import type { Buffer, Memory } from '../spec';
import { valueAt } from './live_bytes';

export interface LineBytes {
  line: number;
  /** of its values, when the program's own bytes are the most */
  atPeak: number;
  /** of the buffers that it starts */
  started: number;
  /** nodes of the plan */
  nodes: number[];
}

/** Only of what the program makes: each value at its own line, also where a kernel makes several. */
export function bytesByLine(memory: Memory, peak: number): LineBytes[] {
  const rows = new Map<number, Omit<LineBytes, 'nodes'> & { nodes: Set<number> }>();
  const row = (line: number | null) => {
    if (line === null) {
      return null;
    }
    const found = rows.get(line) ?? { line, atPeak: 0, started: 0, nodes: new Set<number>() };
    rows.set(line, found);
    return found;
  };
  const stepLine = (step: number) => memory.steps[step]?.line ?? null;
  const made = memory.buffers.filter(buffer => buffer.kind !== 'input');
  // Older files tell no lines of values: those of their steps.
  const told = made.some(({ values }) => values.some(({ line }) => line !== null));
  const at = (buffer: Buffer, value: Buffer['values'][number] | undefined) => {
    const found = row(told && value ? value.line : stepLine(value?.start ?? buffer.start));
    if (value) {
      found?.nodes.add(value.node);
    }
    return found;
  };
  for (const { step, node } of memory.steps) {
    row(stepLine(step))?.nodes.add(node);
  }
  for (const buffer of made) {
    const starts = at(buffer, buffer.values[0]);
    if (starts) {
      starts.started += buffer.bytes;
    }
    if (buffer.start <= peak && peak <= buffer.end) {
      const holds = at(buffer, valueAt(buffer, peak));
      if (holds) {
        holds.atPeak += buffer.bytes;
      }
    }
  }
  return [...rows.values()].map(found => ({ ...found, nodes: [...found.nodes] }));
}
