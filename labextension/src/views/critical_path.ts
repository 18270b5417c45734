// The critical path: the longest chain of nodes, each of which waits for the one before.
import type { Edge, Graph, Node } from '../spec';
import { plural, seconds } from './format';
import { isMade } from './group_tree';
import { percent } from './heat';

export interface Chain {
  /** in the order in which they run */
  nodes: number[];
  /** seconds, or what is counted where nothing was measured */
  length: number;
}

/** Through all parts of a cell: each begins when the one before has ended.
 * `took`: seconds by node; empty: each operator, or kernel once there are fused ones, is one. */
export function criticalPath(
  { nodes, edges }: Graph,
  took: ReadonlyMap<number, number> = new Map()
): Chain {
  const { counts } = unitOf(nodes);
  const weight = new Map(
    nodes.map(n => [n.id, took.size > 0 ? (took.get(n.id) ?? 0) : Number(counts(n))])
  );
  const partOf = new Map(nodes.map(n => [n.id, n.segment]));
  const parts = [...new Set(partOf.values())].sort((a, b) => a - b);
  const chains = parts.map(part =>
    chainOf(
      nodes.filter(n => n.segment === part),
      edges.filter(e => partOf.get(e.src) === part && partOf.get(e.dst) === part),
      weight
    )
  );
  return {
    nodes: chains.flatMap(chain => chain.nodes),
    length: chains.reduce((sum, chain) => sum + chain.length, 0)
  };
}

function chainOf(
  nodes: readonly Node[],
  edges: readonly Edge[],
  weight: ReadonlyMap<number, number>
): Chain {
  const readers = new Map<number, number[]>(nodes.map(n => [n.id, []]));
  const waits = new Map<number, number>(nodes.map(n => [n.id, 0]));
  for (const { src, dst } of edges) {
    readers.get(src)?.push(dst);
    waits.set(dst, (waits.get(dst) ?? 0) + 1);
  }
  const length = new Map<number, number>();
  const before = new Map<number, number>();
  const ready = nodes.filter(n => waits.get(n.id) === 0).map(n => n.id);
  let last: number | undefined;
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    const own = (length.get(before.get(id) ?? -1) ?? 0) + (weight.get(id) ?? 0);
    length.set(id, own);
    if (last === undefined || own > (length.get(last) ?? 0)) {
      last = id;
    }
    for (const reader of readers.get(id) ?? []) {
      const rival = before.get(reader);
      if (rival === undefined || own > (length.get(rival) ?? 0)) {
        before.set(reader, id);
      }
      const left = (waits.get(reader) ?? 0) - 1;
      waits.set(reader, left);
      if (left === 0) {
        ready.push(reader);
      }
    }
  }
  const chain: number[] = [];
  for (let id = last; id !== undefined; id = before.get(id)) {
    chain.push(id);
  }
  return { nodes: chain.reverse(), length: last === undefined ? 0 : (length.get(last) ?? 0) };
}

// What a path is counted in.
function unitOf(nodes: readonly Node[]) {
  const fused = nodes.some(node => node.kind === 'fused');
  return fused
    ? { unit: 'kernel', counts: (node: Node) => node.kernel !== null }
    : { unit: 'operator', counts: isMade };
}

/** "Critical path: 5 of 12 operators, 3.1 ms: 74 % of the compiled run's time in kernels" */
export function describePath({ nodes }: Graph, chain: Chain, total: number): string {
  const { unit, counts } = unitOf(nodes);
  const counted = nodes.filter(counts);
  const on = new Set(chain.nodes);
  const made = counted.filter(node => on.has(node.id)).length;
  const count = `Critical path: ${made} of ${plural(counted.length, unit)}`;
  return total > 0
    ? `${count}, ${seconds(chain.length)}: ${percent(chain.length / total)} of the compiled run's time in kernels`
    : `${count} (times were not measured)`;
}
