// Fused kernels that are opened in place: as the operators that they are made of, in a frame.
import type { Edge, Graph, Group, Node } from '../spec';
import type { StageModel } from './stages';

/** What an opened kernel's operators are taken from: the last stage in which they were nodes. */
interface Source {
  kernel: Node;
  stage: number;
  members: Node[];
}

export class Kernels {
  /** the picture's groups, and behind them one for each kernel that can be opened */
  readonly groups: Group[];
  private readonly groupOf = new Map<number, number>();

  constructor(private readonly model: StageModel) {
    this.groups = [...model.groups];
    model.stages.forEach(({ graph }, stage) => {
      for (const node of graph.nodes) {
        if (!this.groupOf.has(node.id) && this.source(node, stage)) {
          this.groupOf.set(node.id, this.groups.length);
          const label = `1 kernel: ${node.label}`;
          this.groups.push({ label, kind: 'block', parent: node.group });
        }
      }
    });
  }

  /** The group that a kernel's card opens; null: it can't be opened. */
  group(kernel: number): number | null {
    return this.groupOf.get(kernel) ?? null;
  }

  /** The graph of a stage with the operators of open kernels in their places. */
  expanded(stage: number, open: ReadonlySet<number>): { graph: Graph; opened: Opened } {
    const { graph } = this.model.stages[stage];
    const sources = graph.nodes
      .filter(node => open.has(this.group(node.id) ?? -1))
      .flatMap(node => this.source(node, stage) ?? []);
    const opened: Opened = new Map(
      sources.map(({ kernel, members }) => [kernel.id, members.map(member => member.id)])
    );
    if (sources.length === 0) {
      return { graph, opened };
    }
    const byKernel = new Map(sources.map(source => [source.kernel.id, source]));
    const nodes = graph.nodes.flatMap(node => {
      const source = byKernel.get(node.id);
      const group = this.group(node.id);
      return source
        ? source.members.map(member => ({ ...member, group, kernel: node.kernel, host: null }))
        : [this.hosted(node, byKernel)];
    });
    return { graph: { nodes, edges: this.edges(graph, sources, stage, opened) }, opened };
  }

  private source(kernel: Node, stage: number): Source | null {
    for (let at = stage - 1; kernel.members.length > 1 && at >= 0; at--) {
      const members = kernel.members.flatMap(({ id }) => this.model.node(at, id) ?? []);
      if (members.length === kernel.members.length) {
        return { kernel, stage: at, members };
      }
    }
    return null;
  }

  // A parameter stands on the card of the operator that it had before.
  private hosted(node: Node, byKernel: ReadonlyMap<number, Source>): Node {
    const source = node.host === null ? undefined : byKernel.get(node.host);
    const host = source && this.model.node(source.stage, node.id)?.host;
    return source ? { ...node, host: host ?? source.members[0].id } : node;
  }

  private edges(graph: Graph, sources: Source[], stage: number, opened: Opened): Edge[] {
    const members = new Set([...opened.values()].flat());
    const found = new Map<string, Edge>();
    const add = (edge: Edge, src: number | null, dst: number | null) => {
      if (src !== null && dst !== null && src !== dst) {
        found.set(`${src}.${edge.out}>${dst}.${edge.arg} ${edge.kind}`, { ...edge, src, dst });
      }
    };
    for (const edge of graph.edges) {
      const [from, to] = [opened.get(edge.src), opened.get(edge.dst)];
      if (!from && !to) {
        add(edge, edge.src, edge.dst);
      } else if (edge.kind === 'order') {
        add(edge, from ? from[from.length - 1] : edge.src, to ? to[0] : edge.dst);
      }
    }
    for (const { stage: at, members: own } of sources) {
      const inside = new Set(own.map(member => member.id));
      const now = (id: number) => {
        const node = members.has(id) ? id : this.model.follow(id, at, stage);
        return node !== null && opened.has(node) ? null : node;
      };
      this.model.stages[at].graph.edges
        .filter(edge => edge.kind === 'data' && (inside.has(edge.src) || inside.has(edge.dst)))
        .forEach(edge => add(edge, now(edge.src), now(edge.dst)));
    }
    return [...found.values()];
  }
}

/** kernel -> its operators, of the kernels that are open */
export type Opened = Map<number, number[]>;
