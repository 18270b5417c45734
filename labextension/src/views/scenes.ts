// The pictures of all stages while some groups are open, each laid out when it is first shown.
import type { Spec } from '../spec';
import type { Layout, LayoutTask } from '../layout/task';
import type { LayoutRunner } from '../layout/runner';
import { draw, type Drawn } from './drawn';
import { placed, taskOf } from './layout_task';
import { cardOfGroup, groupOfCard, GroupTree } from './group_tree';
import { Kernels } from './kernels';
import type { StageModel } from './stages';
import type { StepGraph } from './step_graph';

export class Scenes {
  /** of the picture's groups, and of kernels that can be opened */
  readonly tree: GroupTree;
  /** parameters stand on their operators' cards */
  folding: boolean;
  direction: LayoutTask['direction'] = 'down';
  private readonly kernels: Kernels;
  private readonly open: Set<number>;
  private readonly known = new Map<number, Drawn | Promise<Drawn>>();
  private stepped: { step: StepGraph; scene: Drawn | Promise<Drawn> } | null = null;

  constructor(
    private readonly model: StageModel,
    private readonly runner: LayoutRunner,
    { open, fold }: Spec['initial']
  ) {
    this.kernels = new Kernels(model);
    this.tree = new GroupTree(this.kernels.groups);
    this.open = new Set(open);
    this.folding = fold;
  }

  /** The same for the cell planned again: groups that are the same stay open. */
  of(model: StageModel, initial: Spec['initial']): Scenes {
    const same = JSON.stringify(model.groups) === JSON.stringify(this.model.groups);
    const groups = model.groups.length; // kernels may be others
    const open = same ? [...this.open].filter(group => group < groups) : initial.open;
    const next = new Scenes(model, this.runner, { ...initial, open, fold: this.folding });
    next.direction = this.direction;
    return next;
  }

  /** The picture of a stage; a promise where its layout takes long. */
  at(stage: number): Drawn | Promise<Drawn> {
    let scene = this.known.get(stage);
    if (!scene) {
      scene = this.laidOut(this.kernels.expanded(stage, this.open), id => this.kernels.group(id));
      this.known.set(stage, scene);
      if (scene instanceof Promise) {
        const waiting = scene;
        void waiting.then(
          done => this.known.get(stage) === waiting && this.known.set(stage, done),
          () => this.known.get(stage) === waiting && this.known.delete(stage)
        );
      }
    }
    return scene;
  }

  /** The picture of a graph between two stages, its kernels closed; that of the last is kept. */
  between(step: StepGraph): Drawn | Promise<Drawn> {
    if (this.stepped?.step !== step) {
      this.stepped = {
        step,
        scene: this.laidOut({ graph: step.graph, opened: new Map() }, () => null)
      };
    }
    return this.stepped.scene;
  }

  /** Whether anything can be opened or closed. */
  get hasGroups(): boolean {
    return this.model.groups.length > 0;
  }

  get hasParameters(): boolean {
    return this.model.stages[0].graph.nodes.some(node => node.host !== null);
  }

  isOpen(group: number): boolean {
    return this.open.has(group);
  }

  toggle(group: number): void {
    this.change(open => {
      if (!open.delete(group)) {
        open.add(group);
      }
    });
  }

  /** Opens what is closed, or closes the innermost groups that are open. */
  step(deeper: boolean, stage: number): void {
    this.change(open => {
      const { graph } = this.kernels.expanded(stage, open);
      const chains = graph.nodes.map(node => this.tree.chain(node.group));
      const found = new Set<number>();
      for (const chain of chains) {
        const shown = chain.findIndex(group => !open.has(group));
        const at = deeper ? shown : (shown < 0 ? chain.length : shown) - 1;
        if (chain[at] !== undefined) {
          found.add(chain[at]);
        }
      }
      // The deepest alone, so that a picture closes level by level from the inside.
      const depth = (group: number) => this.tree.chain(group).length;
      const deepest = Math.max(...[...found].map(depth));
      for (const group of found) {
        if (deeper) {
          open.add(group);
        } else if (depth(group) === deepest) {
          open.delete(group);
        }
      }
    });
  }

  /** Opens the groups around a node; tells whether any was closed. */
  reveal(node: number, stage: number): boolean {
    const host = this.folding ? this.model.node(stage, node)?.host : null;
    const shown = this.model.node(stage, host ?? node);
    const closed = this.tree.chain(shown?.group ?? null).filter(group => !this.open.has(group));
    if (closed.length > 0) {
      this.change(open => closed.forEach(group => open.add(group)));
    }
    return closed.length > 0;
  }

  /** Opens the kernel that an operator is inside of; tells whether it was closed. */
  openAround(member: number, stage: number): boolean {
    const [kernel] = this.model.resolve([member], stage);
    const group = kernel === undefined || kernel === member ? null : this.kernels.group(kernel);
    const closed = group !== null && !this.open.has(group);
    if (closed) {
      this.change(open => open.add(group));
    }
    return closed;
  }

  /** Shows parameters as cards, or on those of their operators. */
  fold(folding: boolean): void {
    this.folding = folding;
    this.forget();
  }

  turn(direction: LayoutTask['direction']): void {
    this.direction = direction;
    this.forget();
  }

  private change(edit: (open: Set<number>) => void): void {
    edit(this.open);
    this.forget();
  }

  private forget(): void {
    this.known.clear();
    this.stepped = null;
  }

  private laidOut(
    expanded: ReturnType<Kernels['expanded']>,
    opens: (kernel: number) => number | null
  ): Drawn | Promise<Drawn> {
    const bare = draw(expanded, opens, this.tree, this.open, this.folding);
    const { direction } = this;
    const finish = (layout: Layout) => placed(bare, layout, direction);
    const layout = this.runner.run(taskOf(bare, direction));
    return layout instanceof Promise ? layout.then(finish) : finish(layout);
  }
}

/** The card of `to` that a card of `from` became or came from; null where there is none. */
export function counterpart(
  card: number,
  from: Pick<Drawn, 'opened'>,
  to: Drawn,
  tree: GroupTree,
  follow: (node: number) => number | null
): number | null {
  if (to.byId.has(card)) {
    return card;
  }
  const group = groupOfCard(card);
  if (group !== null) {
    const around = tree.chain(group).map(cardOfGroup);
    return around.find(id => to.byId.has(id)) ?? null;
  }
  const [kernel] = [...from.opened].find(([, members]) => members.includes(card)) ?? [card];
  const node = to.byId.has(kernel) ? kernel : follow(kernel);
  return node === null ? null : (to.standsFor.get(node) ?? null);
}
