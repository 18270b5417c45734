// The lines between cards: an edge each, or one for all between two cards of which one is a group's.
import type { Edge } from '../spec';
import type { Line } from './drawn';
import { plural } from './format';

/** `standsFor`: node -> the card that stands for it. */
export function linesOfCards(edges: Edge[], standsFor: ReadonlyMap<number, number>): Line[] {
  const lines = new Map<string, Line>();
  const values = new Map<string, Set<string>>();
  for (const edge of edges) {
    const src = standsFor.get(edge.src);
    const dst = standsFor.get(edge.dst);
    if (src === undefined || dst === undefined || src === dst) {
      continue;
    }
    const plain = src === edge.src && dst === edge.dst;
    const key = plain ? `${src}.${edge.out}>${dst}.${edge.arg}` : `${src}>${dst} ${edge.kind}`;
    const value = `${edge.src}.${edge.out}`;
    const line = lines.get(key);
    if (!line) {
      const out = src === edge.src ? edge.out : 0;
      lines.set(key, { ...edge, src, dst, out, arg: plain ? edge.arg : -1, values: 1, points: [] });
      values.set(key, new Set([value]));
    } else if (!values.get(key)?.has(value)) {
      values.get(key)?.add(value);
      line.values += 1;
      line.bytes += edge.bytes;
      line.label = plural(line.values, 'value');
    }
  }
  return [...lines.values()];
}

/** Of the cards that a line joins. */
export const endsKey = (src: number, dst: number) => `${src}>${dst}`;
