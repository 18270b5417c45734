// The spine of a graph: its longest way from an input to an output, along which it is read.
import type { Graph, Node } from '../spec';

/** The nodes of the longest way, in order; of several as long, that of the first nodes. */
export function spine(graph: Graph): Node[] {
  const nodes = new Map(graph.nodes.map(node => [node.id, node]));
  const children = new Map<number, number[]>();
  const waitsFor = new Map<number, number>();
  for (const { src, dst } of graph.edges) {
    if (nodes.has(src) && nodes.has(dst)) {
      children.set(src, [...(children.get(src) ?? []), dst]);
      waitsFor.set(dst, (waitsFor.get(dst) ?? 0) + 1);
    }
  }
  const depth = new Map<number, number>();
  const before = new Map<number, number>();
  const ready = graph.nodes.filter(node => !waitsFor.has(node.id)).map(node => node.id);
  let deepest: number | null = null;
  for (let i = 0; i < ready.length; i++) {
    const id = ready[i];
    const here = depth.get(id) ?? 0;
    if (deepest === null || here > (depth.get(deepest) ?? 0)) {
      deepest = id;
    }
    for (const child of children.get(id) ?? []) {
      if (here + 1 > (depth.get(child) ?? 0)) {
        depth.set(child, here + 1);
        before.set(child, id);
      }
      const left = (waitsFor.get(child) ?? 1) - 1;
      waitsFor.set(child, left);
      if (left === 0) {
        ready.push(child);
      }
    }
  }
  const way: Node[] = [];
  for (let id = deepest; id !== null; id = before.get(id) ?? null) {
    way.push(nodes.get(id) as Node);
  }
  return way.reverse();
}
