// What cards depend on, and what depends on them.
import type { Drawn } from './drawn';

/** All cards from which a way of lines leads to one of `cards`, or to which one leads; and those. */
export function relatives({ lines }: Pick<Drawn, 'lines'>, cards: Iterable<number>): Set<number> {
  const own = [...cards];
  const found = new Set(own);
  for (const [from, to] of [
    ['src', 'dst'],
    ['dst', 'src']
  ] as const) {
    const next = new Map<number, number[]>();
    for (const line of lines) {
      const known = next.get(line[from]);
      if (known) {
        known.push(line[to]);
      } else {
        next.set(line[from], [line[to]]);
      }
    }
    const seen = new Set(own);
    const waiting = [...own];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      for (const other of next.get(id) ?? []) {
        if (!seen.has(other)) {
          seen.add(other);
          found.add(other);
          waiting.push(other);
        }
      }
    }
  }
  return found;
}
