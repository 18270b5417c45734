// A simple layered layout, for specs that came without positions: layers by longest path from the
// inputs, two sweeps by the mean of the neighbours. Small graphs only; Python lays out the others.
import type { Graph, Node, Spec } from '../spec';

const GAP_X = 28;
const GAP_Y = 44;

/** The spec with a layout for each stage that came without one. */
export function withLayout(spec: Spec): Spec {
  return { ...spec, stages: spec.stages.map(s => ({ ...s, graph: ensureLayout(s.graph) })) };
}

/** Places the nodes of `graph` where any has no position. */
export function ensureLayout(graph: Graph): Graph {
  if (graph.nodes.every(node => node.x !== null && node.y !== null)) {
    return graph;
  }
  const layers = sweep(graph);
  const widths = layers.map(layer => layer.reduce((sum, n) => sum + n.w + GAP_X, -GAP_X));
  const width = Math.max(0, ...widths);
  const placed = new Map<number, Node>();
  let y = 0;
  layers.forEach((layer, i) => {
    const height = Math.max(...layer.map(n => n.h));
    let x = (width - widths[i]) / 2;
    for (const node of layer) {
      placed.set(node.id, { ...node, x: x + node.w / 2, y: y + height / 2 });
      x += node.w + GAP_X;
    }
    y += height + GAP_Y;
  });
  const nodes = graph.nodes.map(node => placed.get(node.id) ?? node);
  const edges = graph.edges.map(edge => ({ ...edge, points: [] }));
  return { ...graph, nodes, edges, groups: [], width, height: Math.max(0, y - GAP_Y) };
}

function sweep(graph: Graph): Node[][] {
  const parents = new Map<number, number[]>();
  const children = new Map<number, number[]>();
  for (const { src, dst } of graph.edges) {
    parents.set(dst, [...(parents.get(dst) ?? []), src]);
    children.set(src, [...(children.get(src) ?? []), dst]);
  }
  // Longest path by relaxation: at most one round a layer, and a cycle cannot hang the page.
  const depth = new Map(graph.nodes.map(node => [node.id, 0]));
  for (let round = 0, moved = true; moved && round < graph.nodes.length; round++) {
    moved = false;
    for (const { src, dst } of graph.edges) {
      const below = (depth.get(src) ?? 0) + 1;
      if (below > (depth.get(dst) ?? 0) && below < graph.nodes.length) {
        depth.set(dst, below);
        moved = true;
      }
    }
  }
  const layers: Node[][] = [];
  for (const node of graph.nodes) {
    (layers[depth.get(node.id) ?? 0] ??= []).push(node);
  }
  const filled = layers.filter(layer => layer !== undefined);
  const order = new Map<number, number>();
  const remember = () => filled.forEach(layer => layer.forEach((n, i) => order.set(n.id, i)));
  remember();
  const sortBy = (near: Map<number, number[]>) => (a: Node, b: Node) =>
    mean(near, a) - mean(near, b);
  const mean = (near: Map<number, number[]>, node: Node) => {
    const ids = near.get(node.id) ?? [];
    const sum = ids.reduce((s, id) => s + (order.get(id) ?? 0), 0);
    return ids.length > 0 ? sum / ids.length : (order.get(node.id) ?? 0);
  };
  for (let i = 0; i < 2; i++) {
    filled.forEach(layer => layer.sort(sortBy(parents)));
    remember();
    [...filled].reverse().forEach(layer => layer.sort(sortBy(children)));
    remember();
  }
  return filled;
}
