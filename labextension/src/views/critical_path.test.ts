import { expect, it } from 'vitest';
import { parseSpec } from '../protocol';
import { criticalPath, describePath } from './critical_path';
import { LayoutRunner } from '../layout/runner';
import { Lit } from './lit';
import { Scenes } from './scenes';
import { Shown } from './shown';
import { StageModel } from './stages';
import { Visited } from './visited';

function graph(kinds: string[], ends: [number, number][]) {
  const nodes = kinds.map((kind, id) => ({ id, kind }));
  const edges = ends.map(([src, dst]) => ({ src, dst }));
  return parseSpec({ version: 2, stages: [{ name: 'written', graph: { nodes, edges } }] }).stages[0]
    .graph;
}

// 0 → 1 → 3 → 4 and 0 → 2 → 3; 5 stands alone
const diamond = graph(
  ['input', 'op', 'op', 'op', 'op', 'op'],
  [
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 3],
    [3, 4]
  ]
);

it('is the chain that takes longest', () => {
  const took = new Map([
    [1, 1],
    [2, 5],
    [3, 2],
    [4, 1],
    [5, 7.5]
  ]);
  expect(criticalPath(diamond, took)).toEqual({ nodes: [0, 2, 3, 4], length: 8 });
  took.set(5, 9);
  expect(criticalPath(diamond, took)).toEqual({ nodes: [5], length: 9 });
});

it('is the longest chain of operators where nothing was measured', () => {
  const chain = criticalPath(diamond);
  expect(chain.length).toBe(3);
  expect(chain.nodes.slice(-2)).toEqual([3, 4]);
  expect(describePath(diamond, chain, 0)).toBe(
    'Critical path: 3 of 5 operators (times were not measured)'
  );
  expect(describePath(diamond, { nodes: [2, 3], length: 0.002 }, 0.004)).toBe(
    "Critical path: 2 of 5 operators, 2 ms: 50 % of the compiled run's time in kernels"
  );
});

it('goes on through the parts of a cell, which run one after another', () => {
  const { nodes, edges } = diamond;
  const own = nodes.map(node => ({ ...node, segment: node.id >= 3 ? 1 : 0 }));
  const parts = { nodes: own, edges: edges.filter(e => e.dst < 3 || e.src >= 3) };
  const took = new Map([1, 5, 2, 1, 7.5].map((seconds, i) => [i + 1, seconds]));
  expect(criticalPath(parts, took)).toEqual({ nodes: [0, 2, 5], length: 12.5 });
});

it('counts kernels once operators are fused', () => {
  const { nodes, edges } = diamond;
  const kinds = ['input', 'op', 'fused', 'op', 'op', 'op'];
  const kernels = [null, 0, 1, 2, null, 3]; // the last of the chain only looks at its operand
  const fused = parseSpec({
    version: 2,
    stages: [
      {
        name: 'fuse',
        graph: {
          nodes: nodes.map((node, i) => ({ ...node, kind: kinds[i], kernel: kernels[i] })),
          edges
        }
      }
    ]
  }).stages[0].graph;
  const chain = criticalPath(fused);
  expect(chain.length).toBe(2);
  expect(describePath(fused, chain, 0)).toBe(
    'Critical path: 2 of 4 kernels (times were not measured)'
  );
});

it('ends where nodes wait for each other, and is nothing of nothing', () => {
  const ring = graph(
    ['op', 'op', 'op'],
    [
      [0, 1],
      [1, 2],
      [2, 1]
    ]
  );
  expect(criticalPath(ring).nodes).toEqual([0]);
  expect(criticalPath(graph(['input'], []))).toEqual({ nodes: [0], length: 0 });
});

it('agrees with all ways through random graphs', () => {
  for (let seed = 1; seed < 60; seed++) {
    const random = (n: number) =>
      Math.floor((Math.abs(Math.sin(seed * 7919 + n * 104729)) % 1) * 10);
    const ends: [number, number][] = [];
    for (let dst = 1; dst < 9; dst++) {
      for (let src = 0; src < dst; src++) {
        if (random(dst * 31 + src) < 3) {
          ends.push([src, dst]);
        }
      }
    }
    const made = graph(Array(9).fill('op'), ends);
    const took = new Map(made.nodes.map(n => [n.id, 1 + random(n.id)]));
    const longest = (id: number): number =>
      (took.get(id) ?? 0) + Math.max(0, ...ends.filter(e => e[0] === id).map(e => longest(e[1])));
    const { nodes, length } = criticalPath(made, took);
    expect(length).toBe(Math.max(...made.nodes.map(n => longest(n.id))));
    expect(nodes.reduce((sum, id) => sum + (took.get(id) ?? 0), 0)).toBe(length);
    nodes.slice(1).forEach((id, i) => expect(ends).toContainEqual([nodes[i], id]));
  }
});

it('goes back and forward over what was visited', () => {
  const visited = new Visited<number>((a, b) => a === b);
  expect(visited.go(-1)).toBeNull();
  [1, 2, 2, 3].forEach(place => visited.visit(place));
  expect([visited.go(-1), visited.go(-1), visited.go(-1)]).toEqual([2, 1, null]);
  expect(visited.go(1)).toBe(2);
  visited.visit(4);
  expect([visited.leads(1), visited.go(-1), visited.go(1)]).toEqual([false, 2, 4]);
});

it('lights the lines of the chain, none beside it', () => {
  const edges = [...diamond.edges, { ...diamond.edges[0], src: 0, dst: 4, arg: 1 }];
  const stage = { name: 'written', graph: { nodes: diamond.nodes, edges } };
  const { stages, groups, initial } = parseSpec({ version: 2, stages: [stage] });
  const model = new StageModel({ stages, groups });
  const drawn = new Scenes(model, new LayoutRunner(null), initial).at(0);
  if (drawn instanceof Promise) {
    throw new Error('a small picture is laid out at once');
  }
  const lit = new Lit();
  lit.path = true;
  const { cards, lines } = lit.of(new Shown(drawn, model, 0), [], null);
  expect([cards?.has(0), cards?.has(4), cards?.size]).toEqual([true, true, 4]);
  expect([lines?.has('3>4'), lines?.has('0>4')]).toEqual([true, false]);
});
