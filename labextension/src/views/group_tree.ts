// The groups that nodes can be collapsed into: who is in whom.
import type { Graph, Group, Node } from '../spec';

export class GroupTree {
  private readonly chains = new Map<number, number[]>();

  constructor(readonly groups: Group[]) {}

  /** A group and those around it, outermost first. */
  chain(group: number | null): readonly number[] {
    if (group === null) {
      return [];
    }
    let chain = this.chains.get(group);
    if (!chain) {
      chain = [...this.chain(this.groups[group].parent), group];
      this.chains.set(group, chain);
    }
    return chain;
  }

  /** "features / stage1 / res0" */
  path(group: number): string {
    return this.chain(group)
      .map(g => this.groups[g].label)
      .join(' / ');
  }

  /** For each group how many operators of a stage it holds. */
  made(graph: Graph): number[] {
    const made = this.groups.map(() => 0);
    for (const node of graph.nodes) {
      if (node.group !== null && isMade(node)) {
        made[node.group] += 1;
      }
    }
    for (let group = made.length - 1; group >= 0; group--) {
      const { parent } = this.groups[group];
      if (parent !== null) {
        made[parent] += made[group]; // a parent stands before its children
      }
    }
    return made;
  }
}

/** The id of a group's card or frame; nodes have none below 0. */
export const cardOfGroup = (group: number) => -2 - group;
/** The group of a card; null: the card is a node's. */
export const groupOfCard = (card: number) => (card <= -2 ? -2 - card : null);

/** False for inputs and constants, which nothing computes. */
export function isMade(node: { kind: Node['kind'] | 'group' }): boolean {
  return node.kind !== 'input' && node.kind !== 'constant';
}
