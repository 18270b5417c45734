// What the trace of a process calls the nodes of a picture's programs.
import type { Serials } from '../spec';

/** Nodes by the trace of one process. */
export interface Traced {
  process: string;
  serials: number[];
}

/** The node of the plan that a span of that process ran; null: it is of another picture. */
export function nodeOfSerial(
  serials: readonly Serials[],
  process: string,
  serial: number
): number | null {
  const program = serials.find(
    of => of.process === process && serial >= of.first && serial < of.first + of.count
  );
  return program ? serial - program.first + program.offset : null;
}

/** What spans of these nodes of the plan are called. */
export function serialsOf(serials: readonly Serials[], nodes: readonly number[]): Traced {
  const found = nodes.flatMap(node => {
    const of = serials.find(({ count, offset }) => node >= offset && node < offset + count);
    return of ? [node - of.offset + of.first] : [];
  });
  return { process: serials[0]?.process ?? '', serials: found };
}
