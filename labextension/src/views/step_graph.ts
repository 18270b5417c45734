// The graph while a pass is at work: after each of its rewrites.
import type { Edge, Graph, Node } from '../spec';
import type { Mark } from './stages';
import type { Step } from './steps';

/** The graph after a rewrite, with what that changed. */
export interface StepGraph {
  graph: Graph;
  /** nodes that the rewrite has taken away: drawn once more, with what they read */
  gone: ReadonlySet<number>;
  /** edges that it has made, see `edgeKey` */
  fresh: ReadonlySet<string>;
  marks: Map<number, Mark>;
}

export const edgeKey = ({ src, out, dst, arg }: Pick<Edge, 'src' | 'out' | 'dst' | 'arg'>) =>
  `${src}.${out}>${dst}.${arg}`;

interface Side {
  nodes: Map<number, Node>;
  /** reader -> its data edges by argument */
  into: Map<number, Map<number, Edge>>;
  order: Edge[];
}

/**
 * The graphs between two stages. A node goes with the rewrite that replaced it, and what replaces it
 * comes with that; one whose replacement comes later stands until then (a constant computed on the
 * way to another). Readers turn to what replaces an operand at once.
 */
export class StepGraphs {
  private readonly before: Side;
  private readonly after: Side;
  /** nodes of both graphs, in an order of work */
  private readonly ids: number[];
  /** the number of rewrites after which a node is there, and after which it is not */
  private readonly comes = new Map<number, number>();
  private readonly goes = new Map<number, number>();
  private readonly touched = new Map<number, number>();
  private readonly heir = new Map<number, number>();

  constructor(
    before: Graph,
    after: Graph,
    private readonly steps: readonly Step[]
  ) {
    this.before = sideOf(before);
    this.after = sideOf(after);
    this.ids = merged(before, after);
    this.date();
  }

  /** After `count` rewrites. */
  at(count: number): StepGraph {
    const graph = this.graph(count);
    const gone = new Set(this.ids.filter(id => count > 0 && this.goes.get(id) === count));
    const fresh = new Set<string>();
    if (count > 0) {
      const earlier = this.graph(count - 1);
      const known = new Set(earlier.edges.map(edgeKey));
      graph.edges.map(edgeKey).forEach(key => known.has(key) || fresh.add(key));
      const there = new Set([...graph.nodes.map(node => node.id), ...gone]);
      const left = new Map(earlier.nodes.map(node => [node.id, node]));
      const all = new Map([...left, ...graph.nodes.map(node => [node.id, node] as const)]);
      graph.nodes = this.ids.flatMap(id => (there.has(id) ? (all.get(id) ?? []) : []));
      graph.edges.push(...earlier.edges.filter(({ src, dst }) => gone.has(dst) && there.has(src)));
    }
    return { graph, gone, fresh, marks: this.marks(count) };
  }

  // When each node comes and goes. What no rewrite tells of does so with the last.
  private date(): void {
    const last = this.steps.length;
    const { before, after } = this;
    this.steps.forEach(({ changes }, i) => {
      for (const { node, into, action } of changes) {
        this.touched.set(node, i + 1);
        const made = into ?? node;
        const isNew = after.nodes.has(made) && !before.nodes.has(made);
        // What is folded on the way to a constant tells that constant, too.
        if (isNew && (action === 'folded' || !this.comes.has(made))) {
          this.comes.set(made, i + 1);
        }
        if (into !== null && into !== node) {
          this.heir.set(node, into);
        }
      }
    });
    for (const id of after.nodes.keys()) {
      if (!before.nodes.has(id) && !this.comes.has(id)) {
        this.comes.set(id, last);
      }
    }
    for (const id of before.nodes.keys()) {
      if (!after.nodes.has(id)) {
        const heir = this.heir.get(id) ?? -1;
        this.goes.set(id, Math.max(this.touched.get(id) ?? last, this.comes.get(heir) ?? 0));
      }
    }
  }

  private isThere(id: number, count: number): boolean {
    const known = this.before.nodes.has(id) || this.after.nodes.has(id);
    return known && (this.comes.get(id) ?? 0) <= count && count < (this.goes.get(id) ?? Infinity);
  }

  private graph(count: number): Graph {
    const nodes: Node[] = [];
    const edges: Edge[] = [];
    for (const id of this.ids) {
      if (!this.isThere(id, count)) {
        continue;
      }
      const read = this.reads(id, count);
      edges.push(...read);
      nodes.push(this.node(id, read, count));
    }
    const { order } = count < this.steps.length ? this.before : this.after;
    edges.push(...order.filter(e => this.isThere(e.src, count) && this.isThere(e.dst, count)));
    return { nodes, edges };
  }

  // As it is drawn: as in the stage after once nothing of it is still to change.
  private node(id: number, read: Edge[], count: number): Node {
    const old = this.before.nodes.get(id);
    const now = this.after.nodes.get(id);
    const own = this.after.into.get(id);
    const settled =
      now !== undefined &&
      (this.touched.get(id) ?? 0) <= count &&
      read.every(edge => own?.get(edge.arg)?.src === edge.src);
    const node = (settled || !old ? now : old) as Node;
    const host =
      [node, old, now]
        .map(version => version?.host ?? null)
        .find(h => h !== null && this.isThere(h, count)) ?? null;
    return host === node.host ? node : { ...node, host };
  }

  private reads(id: number, count: number): Edge[] {
    const old = this.before.into.get(id);
    const now = this.after.into.get(id);
    const edges: Edge[] = [];
    for (const arg of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
      const edge = this.edge(old?.get(arg), now?.get(arg), count);
      if (edge) {
        edges.push(edge);
      }
    }
    return edges;
  }

  // An operand: what it was until that is replaced; from then on what it will be.
  private edge(old: Edge | undefined, now: Edge | undefined, count: number): Edge | null {
    if (count === this.steps.length) {
      return now ?? null;
    }
    const ready = now !== undefined && this.isThere(now.src, count);
    if (!old) {
      return now ? redirected(now, ready ? now.src : this.origin(now.src, count)) : null;
    }
    if (now && old.src === now.src) {
      return (this.touched.get(old.src) ?? 0) <= count ? now : old;
    }
    if (this.isThere(old.src, count)) {
      return ready && this.comes.has(now.src) ? now : old;
    }
    const heirs = this.heirs(old.src);
    const heir = heirs.find(id => this.isThere(id, count)) ?? null;
    // Of several results the others have heirs that are not told of.
    return ready && (heir === null || !heirs.includes(now.src)) ? now : redirected(old, heir);
  }

  // What a node went into, what that went into, and so on.
  private heirs(id: number): number[] {
    const heirs: number[] = [];
    let at = this.heir.get(id);
    while (at !== undefined && !heirs.includes(at)) {
      heirs.push(at);
      at = this.heir.get(at);
    }
    return heirs;
  }

  // What still stands for a value that is to come.
  private origin(id: number, count: number): number | null {
    const found = this.ids.filter(i => this.heir.get(i) === id && this.isThere(i, count));
    return found.pop() ?? null;
  }

  private marks(count: number): Map<number, Mark> {
    const marks = new Map<number, Mark>();
    for (const change of count > 0 ? this.steps[count - 1].changes : []) {
      const { node, into, action } = change;
      const made = into !== null && (this.comes.get(into) === count || action === 'merged');
      for (const id of new Set(made ? [node, into] : [node])) {
        const mark = marks.get(id);
        if (mark) {
          mark.count += 1;
          mark.changes.push(change);
        } else {
          marks.set(id, { action, count: 1, changes: [change] });
        }
      }
    }
    return marks;
  }
}

function redirected(edge: Edge, src: number | null): Edge | null {
  return src === null ? null : src === edge.src ? edge : { ...edge, src };
}

function sideOf({ nodes, edges }: Graph): Side {
  const into = new Map<number, Map<number, Edge>>();
  for (const edge of edges.filter(e => e.kind === 'data')) {
    const own = into.get(edge.dst);
    if (own) {
      own.set(edge.arg, edge);
    } else {
      into.set(edge.dst, new Map([[edge.arg, edge]]));
    }
  }
  const order = edges.filter(edge => edge.kind === 'order');
  return { nodes: new Map(nodes.map(node => [node.id, node])), into, order };
}

// Nodes of both graphs: new ones stand behind the one that they follow in the graph after.
function merged(before: Graph, after: Graph): number[] {
  const old = new Set(before.nodes.map(node => node.id));
  const following = new Map<number, number[]>();
  let previous = -1;
  for (const { id } of after.nodes) {
    if (old.has(id)) {
      previous = id;
    } else {
      following.set(previous, [...(following.get(previous) ?? []), id]);
    }
  }
  const first = following.get(-1) ?? [];
  return [...first, ...before.nodes.flatMap(({ id }) => [id, ...(following.get(id) ?? [])])];
}
