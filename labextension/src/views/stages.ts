// Nodes across stages: which node of one stage became which node of another, and what changed.
import type { Action, Buffer, Change, Graph, Group, Node, Spec, Stage } from '../spec';

/** A stage's graph with its look-ups. */
export interface StageIndex {
  nodes: Map<number, Node>;
  /** node id -> nodes that hold it as an origin or a member */
  holders: Map<number, number>;
  /** node of the stage before -> the node it went into, by the changes of this stage */
  into: Map<number, number>;
  /** the same the other way round */
  cameFrom: Map<number, number[]>;
}

export interface Mark {
  action: Action;
  /** how many nodes of the stage before went into this one */
  count: number;
  changes: Change[];
}

export class StageModel {
  readonly stages: Stage[];
  readonly groups: Group[];
  private readonly indexes: StageIndex[];

  constructor({ stages, groups }: Pick<Spec, 'stages' | 'groups'>) {
    this.stages = stages;
    this.groups = groups;
    this.indexes = stages.map(indexStage);
  }

  node(stage: number, id: number): Node | undefined {
    return this.indexes[stage]?.nodes.get(id);
  }

  /** The node that stands for `id` of stage `from` in stage `to`; null where there is none. */
  follow(id: number, from: number, to: number): number | null {
    let current: number | null = id;
    const step = Math.sign(to - from);
    for (let at = from; at !== to && current !== null; at += step) {
      current = step > 0 ? this.forward(current, at) : this.backward(current, at);
    }
    return current;
  }

  /** The nodes of `stage` that stand for any of `ids`, whichever stage those were chosen in. */
  resolve(ids: readonly number[], stage: number): number[] {
    const found = new Set<number>();
    for (const id of ids) {
      const at = this.home(id, stage);
      if (at === null) {
        continue;
      }
      const now = this.follow(id, at, stage);
      if (now !== null) {
        found.add(now);
      }
      if (at > stage) {
        // A fused node stands for all of its members in an earlier stage.
        for (const source of this.sources(id, at, stage)) {
          found.add(source);
        }
      }
    }
    return [...found];
  }

  /** Nodes of `stage` that a person should look at, with what was done to them. */
  marks(stage: number): Map<number, Mark> {
    const marks = new Map<number, Mark>();
    const here = this.indexes[stage].nodes;
    for (const change of this.stages[stage].changes) {
      if (change.action === 'kept') {
        continue;
      }
      const target = [change.into, change.node].find(id => id !== null && here.has(id)) ?? null;
      if (target === null) {
        continue;
      }
      const mark = marks.get(target);
      if (mark) {
        mark.count += 1;
        mark.changes.push(change);
      } else {
        marks.set(target, { action: change.action, count: 1, changes: [change] });
      }
    }
    return marks;
  }

  /** What happened to `node` of `stage`, up to and with that stage. */
  history(node: Node, stage: number): { stage: Stage; change: Change }[] {
    const ids = new Set([node.id, ...node.origins, ...node.members.map(m => m.id)]);
    const events: { stage: Stage; change: Change }[] = [];
    for (const s of this.stages.slice(0, stage + 1)) {
      for (const change of s.changes) {
        if (ids.has(change.node) || (change.into !== null && ids.has(change.into))) {
          events.push({ stage: s, change });
        }
      }
    }
    return events;
  }

  /** Of a gradient the operators that it is `of`; of an operator what computes its gradient. */
  gradients(node: Node, stage: number): { of: Node[]; by: Node[] } {
    const nodes = (ids: number[]) => ids.flatMap(id => this.node(stage, id) ?? []);
    const own = new Set([node.id, ...node.members.map(m => m.id)]);
    const by = this.stages[stage].graph.nodes.filter(n => n.forward.some(id => own.has(id)));
    return { of: nodes(this.resolve(node.forward, stage)), by };
  }

  /** A node's name as text for a change: it may be gone from `stage`, so the one before is asked too. */
  describe(id: number, stage: number): string {
    for (const at of [stage - 1, stage, ...this.stages.keys()]) {
      const node = this.node(at, id);
      if (node) {
        const name = ownName(node);
        return name ? `${node.label} (${name})` : node.label;
      }
    }
    return `node ${id}`;
  }

  /** The buffers of the plan that hold `ids`, chosen in any stage. */
  buffersOf(ids: readonly number[]): number[] {
    const plan = this.stages.length - 1;
    return this.resolve(ids, plan).flatMap(id => this.node(plan, id)?.buffer ?? []);
  }

  /** The nodes of the plan whose values a buffer holds, one after the other. */
  nodesOf(buffer: Buffer | null): number[] {
    if (!buffer) {
      return [];
    }
    const { nodes } = this.stages[this.stages.length - 1].graph;
    const held = nodes.filter(node => node.buffer === buffer.id).map(node => node.id);
    return held.length > 0 ? held : [buffer.node];
  }

  private home(id: number, near: number): number | null {
    for (let d = 0; d < this.stages.length; d++) {
      for (const at of [near - d, near + d]) {
        if (this.indexes[at]?.nodes.has(id)) {
          return at;
        }
      }
    }
    return null;
  }

  private forward(id: number, at: number): number | null {
    const next = this.indexes[at + 1];
    if (next.nodes.has(id)) {
      return id;
    }
    const into = next.into.get(id);
    if (into !== undefined && next.nodes.has(into)) {
      return into;
    }
    return next.holders.get(id) ?? this.shared(id, at, at + 1);
  }

  private backward(id: number, at: number): number | null {
    const before = this.indexes[at - 1];
    if (before.nodes.has(id)) {
      return id;
    }
    return this.previous(id, at)[0] ?? null;
  }

  private sources(id: number, from: number, to: number): number[] {
    let ids = [id];
    for (let at = from; at > to; at--) {
      ids = ids.flatMap(i => (this.indexes[at - 1].nodes.has(i) ? [i] : this.previous(i, at)));
    }
    return [...new Set(ids)];
  }

  private previous(id: number, at: number): number[] {
    const before = this.indexes[at - 1];
    const node = this.indexes[at].nodes.get(id);
    const held = node ? [...node.members.map(m => m.id), ...node.origins] : [];
    const merged = this.indexes[at].cameFrom.get(id) ?? [];
    const found = [...held, ...merged].filter(i => before.nodes.has(i));
    if (found.length > 0) {
      return [...new Set(found)];
    }
    const shared = this.shared(id, at, at - 1);
    return shared === null ? [] : [shared];
  }

  // Two nodes with a common origin are the same thing seen twice.
  private shared(id: number, from: number, to: number): number | null {
    for (const origin of this.indexes[from].nodes.get(id)?.origins ?? []) {
      const holder = this.indexes[to].holders.get(origin);
      if (holder !== undefined) {
        return holder;
      }
      if (this.indexes[to].nodes.has(origin)) {
        return origin;
      }
    }
    return null;
  }
}

/** The node's name, where its label does not say it already ("c = mul"). */
export function ownName({ name, label }: Pick<Node, 'name' | 'label'>): string {
  return name === label || label.startsWith(`${name} = `) ? '' : name;
}

/** The lines of the user's cell that a node came from, in order. */
export function linesOf(node: Pick<Node, 'line' | 'members'>): number[] {
  const lines = new Set<number>();
  if (node.line !== null) {
    lines.add(node.line);
  }
  for (const member of node.members) {
    if (member.line !== null) {
      lines.add(member.line);
    }
  }
  return [...lines].sort((a, b) => a - b);
}

export function nodesOfLine({ nodes }: Pick<Graph, 'nodes'>, line: number): number[] {
  return nodes.filter(node => linesOf(node).includes(line)).map(node => node.id);
}

function indexStage({ graph, changes }: Stage): StageIndex {
  const nodes = new Map<number, Node>();
  const holders = new Map<number, number>();
  for (const node of graph.nodes) {
    nodes.set(node.id, node);
    for (const id of [...node.origins, ...node.members.map(m => m.id)]) {
      if (id !== node.id && !holders.has(id)) {
        holders.set(id, node.id);
      }
    }
  }
  const into = new Map<number, number>();
  const cameFrom = new Map<number, number[]>();
  for (const change of changes) {
    if (change.into !== null && change.into !== change.node) {
      into.set(change.node, change.into);
      cameFrom.set(change.into, [...(cameFrom.get(change.into) ?? []), change.node]);
    }
  }
  return { nodes, holders, into, cameFrom };
}
