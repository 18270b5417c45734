import { describe, expect, it } from 'vitest';
import { parseSpec } from '../protocol';
import type { Action, Change, Edge, Graph, Node, Stage } from '../spec';
import fixture from '../testdata/four_lines.json';
import { edgeKey, StepGraphs } from './step_graph';
import { rulesOf, stepsOf } from './steps';

const [template] = parseSpec(fixture).stages[0].graph.nodes;

/** A graph as a pass has it at work: each node with what it reads. */
type Work = Map<number, number[]>;

function graphOf(work: Work): Graph {
  const nodes: Node[] = [...work.keys()].map(id => ({ ...template, id, host: null, group: null }));
  const edges = [...work].flatMap(([dst, sources]) =>
    sources.map((src, arg): Edge => ({ src, dst, out: 0, arg, label: '', bytes: 0, kind: 'data' }))
  );
  return { nodes, edges };
}

const shape = ({ nodes, edges }: Graph) => ({
  nodes: nodes.map(node => node.id).sort((a, b) => a - b),
  edges: edges.map(edgeKey).sort()
});

/** Rewrites a random graph, as passes do, and keeps the graph after each rewrite. */
class Pass {
  readonly graphs: Graph[] = [];
  readonly changes: Change[] = [];
  private readonly work: Work = new Map();
  private step = -1;
  private next: number;

  constructor(
    private readonly random: (n: number) => number,
    count: number
  ) {
    for (let id = 0; id < count; id++) {
      const reads = id < 3 ? [] : Array.from({ length: 1 + random(2) }, () => random(id));
      this.work.set(id, reads);
    }
    this.next = count;
    this.graphs.push(graphOf(this.work));
  }

  rewrite(): void {
    const made = [...this.work.keys()].filter(id => this.work.get(id)?.length);
    const id = made[this.random(made.length)];
    if (id === undefined) {
      return;
    }
    this.step += 1;
    const kinds = [this.remove, this.fuse, this.replace, this.append];
    kinds[this.random(kinds.length)].call(this, id);
    this.graphs.push(graphOf(this.work));
  }

  // x * 1 -> x
  private remove(id: number): void {
    const [into] = this.work.get(id) as number[];
    this.turn([id], into);
    this.note('removed', id, into);
  }

  // An operator and the first that it reads become a kernel.
  private fuse(id: number): void {
    const [operand] = this.work.get(id) as number[];
    const members = [operand, id].filter(i => this.work.get(i)?.length);
    const reads = members.flatMap(i => this.work.get(i) as number[]);
    const kernel = this.add(reads.filter(i => !members.includes(i)));
    this.turn(members, kernel);
    members.forEach(i => this.note('fused', i, kernel));
  }

  private replace(id: number): void {
    const made = this.add([...(this.work.get(id) as number[])]);
    this.turn([id], made);
    this.note('rewritten', id, made);
  }

  private append(id: number): void {
    const made = this.add([id, ...(this.work.get(id) as number[])]);
    this.note('added', made, made);
  }

  private add(reads: number[]): number {
    this.work.set(this.next, reads);
    return this.next++;
  }

  private turn(from: number[], to: number): void {
    from.forEach(id => this.work.delete(id));
    for (const reads of this.work.values()) {
      reads.forEach((source, i) => {
        reads[i] = from.includes(source) ? to : source;
      });
    }
  }

  private note(action: Action, node: number, into: number): void {
    const { step } = this;
    const rule = `${action} -> done`;
    this.changes.push({ node, action, into, why: 'because', line: null, step, rule });
  }
}

function randomOf(seed: number): (n: number) => number {
  let state = seed * 2654435761 + 1;
  return n => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** What a pass makes stays, and reads what stays: passes that rewrite what is new are left out. */
function passOf(seed: number): Pass {
  const pass = new Pass(randomOf(seed), 12);
  for (let i = 0; i < 1 + (seed % 9); i++) {
    pass.rewrite();
  }
  const first = new Set(pass.graphs[0].nodes.map(node => node.id));
  const last = pass.graphs[pass.graphs.length - 1];
  const staying = new Set([...last.nodes.map(node => node.id), ...last.edges.map(edgeKey)]);
  const passing = ({ nodes, edges }: Graph) =>
    nodes.some(({ id }) => !first.has(id) && !staying.has(id)) ||
    edges.some(edge => !first.has(edge.dst) && !staying.has(edgeKey(edge)));
  return pass.graphs.some(passing) ? passOf(seed + 1000) : pass;
}

describe('StepGraphs', () => {
  it('gives the graph after each rewrite of random passes', () => {
    for (let seed = 0; seed < 300; seed++) {
      const { graphs, changes } = passOf(seed);
      const steps = stepsOf({ changes } as Stage);
      expect(steps.length).toBe(graphs.length - 1);
      const between = new StepGraphs(graphs[0], graphs[graphs.length - 1], steps);
      graphs.forEach((graph, count) => {
        const { graph: found, gone, fresh, marks } = between.at(count);
        const standing = {
          nodes: found.nodes.filter(node => !gone.has(node.id)),
          edges: found.edges.filter(edge => !gone.has(edge.dst))
        };
        expect(shape(standing), `seed ${seed}, after ${count}`).toEqual(shape(graph));
        const before = shape(graphs[Math.max(count - 1, 0)]);
        const now = shape(graph);
        expect([...gone].sort((a, b) => a - b)).toEqual(
          before.nodes.filter(id => !now.nodes.includes(id))
        );
        expect([...fresh].sort()).toEqual(now.edges.filter(key => !before.edges.includes(key)));
        for (const id of [...gone, ...now.nodes.filter(node => !before.nodes.includes(node))]) {
          expect(marks.has(id)).toBe(true);
        }
      });
    }
  });

  it('lets a constant stand until what it went into is there', () => {
    // (a * b) + c of constants: the product is known first, the sum is the constant that comes.
    const before = graphOf(
      new Map([
        [0, []],
        [1, []],
        [2, []],
        [3, [0, 1]],
        [4, [3, 2]],
        [5, [4]]
      ])
    );
    const after = graphOf(
      new Map([
        [6, []],
        [5, [6]]
      ])
    );
    const folded = (node: number, step: number): Change => ({
      node,
      action: 'folded',
      into: 6,
      why: 'known',
      line: null,
      step,
      rule: 'f(constants) -> constant'
    });
    const changes = [
      [3, 0],
      [0, 0],
      [1, 0],
      [4, 1],
      [2, 1]
    ].map(([n, s]) => folded(n, s));
    const between = new StepGraphs(before, after, stepsOf({ changes } as Stage));
    const first = between.at(1);
    expect(shape(first.graph)).toEqual(shape(before));
    expect(first.marks.get(3)?.action).toBe('folded');
    const second = between.at(2);
    expect([...second.gone].sort()).toEqual([0, 1, 2, 3, 4]);
    expect([...second.fresh]).toEqual(['6.0>5.0']);
  });
});

describe('steps', () => {
  const change = (step: number, rule: string, action: Action = 'removed'): Change => ({
    node: step,
    action,
    into: null,
    why: 'why',
    line: null,
    step,
    rule
  });

  it('are the changes of one rewrite, without what was kept', () => {
    const changes = [
      change(0, 'a -> b'),
      change(0, 'a -> b'),
      change(-1, '', 'kept'),
      change(1, 'c')
    ];
    const steps = stepsOf({ changes } as Stage);
    expect(steps.map(step => [step.text, step.changes.length])).toEqual([
      ['a → b', 2],
      ['c', 1]
    ]);
  });

  it('of an older picture are its changes, each for itself and without rules', () => {
    const { stages } = parseSpec(fixture);
    const fuse = stages[2];
    const steps = stepsOf(fuse);
    expect(steps.length).toBe(fuse.changes.length);
    expect(steps[0].text).toBe(fuse.changes[0].why);
    expect(rulesOf(steps)).toEqual([]);
    const last = new StepGraphs(stages[1].graph, fuse.graph, steps).at(steps.length);
    expect(last.graph.nodes.filter(n => !last.gone.has(n.id)).map(n => n.id)).toEqual(
      fuse.graph.nodes.map(n => n.id)
    );
  });

  it('are counted by rule', () => {
    const steps = stepsOf({ changes: [0, 1, 2].map(i => change(i, i === 1 ? 'y' : 'x')) } as Stage);
    expect(rulesOf(steps).map(({ rule, steps: own }) => [rule, own])).toEqual([
      ['x', [0, 2]],
      ['y', [1]]
    ]);
  });
});
