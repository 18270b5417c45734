// What each line of the cell holds in memory; no drawing here.
import type { Memory } from '../spec';
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

/** Only of what the program makes; a fused kernel counts where the picture says that it stands. */
export function bytesByLine(memory: Memory, peak: number): LineBytes[] {
  const rows = new Map<number, LineBytes>();
  const row = (step: number) => {
    const line = memory.steps[step]?.line ?? null;
    if (line === null) {
      return null;
    }
    const found = rows.get(line) ?? { line, atPeak: 0, started: 0, nodes: [] };
    rows.set(line, found);
    return found;
  };
  for (const { step, node } of memory.steps) {
    row(step)?.nodes.push(node);
  }
  for (const buffer of memory.buffers) {
    if (buffer.kind === 'input') {
      continue;
    }
    const starts = row(buffer.values[0]?.start ?? buffer.start);
    if (starts) {
      starts.started += buffer.bytes;
    }
    if (buffer.start <= peak && peak <= buffer.end) {
      const holds = row(valueAt(buffer, peak)?.start ?? buffer.start);
      if (holds) {
        holds.atPeak += buffer.bytes;
      }
    }
  }
  return [...rows.values()];
}
