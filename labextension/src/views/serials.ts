// What the trace calls the nodes of a picture's programs.
import type { Serials } from '../spec';

/** The node of the plan that a span ran; null: it is of another picture. */
export function nodeOfSerial(serials: readonly Serials[], serial: number): number | null {
  const program = serials.find(({ first, count }) => serial >= first && serial < first + count);
  return program ? serial - program.first + program.offset : null;
}

/** What spans of these nodes of the plan are called. */
export function serialsOf(serials: readonly Serials[], nodes: readonly number[]): number[] {
  return nodes.flatMap(node => {
    const of = serials.find(({ count, offset }) => node >= offset && node < offset + count);
    return of ? [node - of.offset + of.first] : [];
  });
}
