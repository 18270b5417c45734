// The cards of a stage while some groups are open: which stand for which nodes.
import type { Graph, Node } from '../spec';
import { subtitle, widthOf } from './card_text';
import type { Card } from './drawn';
import { plural } from './format';
import { cardOfGroup, type GroupTree, isMade } from './group_tree';

const CHARACTER = 8;
const WIDEST = 300;
const WIDEST_HOST = 350;

export class Cards {
  readonly all: Card[] = [];
  /** node -> the card that stands for it */
  readonly standsFor = new Map<number, number>();
  /** card of a closed group -> the nodes in it */
  readonly inside = new Map<number, number[]>();
  /** card -> the parameters written on it */
  readonly operands = new Map<number, Node[]>();
  /** card -> the innermost open group around it */
  readonly around = new Map<number, number | null>();
  private readonly made: number[];
  private readonly closed = new Map<number, Card>();

  /** `folding`: parameters are written on the cards of their operators. */
  constructor(
    graph: Graph,
    private readonly tree: GroupTree,
    private readonly open: ReadonlySet<number>,
    folding: boolean
  ) {
    this.made = tree.made(graph);
    const known = new Set(graph.nodes.map(node => node.id));
    const hosted = (node: Node) => folding && node.host !== null && known.has(node.host);
    graph.nodes.filter(node => !hosted(node)).forEach(node => this.add(node));
    graph.nodes.filter(hosted).forEach(node => this.write(node));
    for (const card of this.all) {
      const more = this.operands.get(card.id)?.length ?? 0;
      if (more > 0) {
        card.w = Math.max(card.w, Math.min(WIDEST_HOST, widthOf(subtitle(card, more))));
      }
    }
  }

  private add(node: Node): void {
    // One operator alone is drawn as it is, but for a part of the cell.
    const { groups } = this.tree;
    const chain = this.tree
      .chain(node.group)
      .filter(group => this.made[group] > 1 || groups[group].kind === 'part');
    const at = chain.findIndex(group => !this.open.has(group));
    const group = at < 0 ? null : chain[at];
    const id = group === null ? node.id : cardOfGroup(group);
    this.standsFor.set(node.id, id);
    this.around.set(id, (at < 0 ? chain : chain.slice(0, at)).pop() ?? null);
    if (group === null) {
      this.all.push({ ...node, opens: null, x: 0, y: 0 });
      return;
    }
    let card = this.closed.get(id);
    if (!card) {
      card = this.groupCard(node, group);
      this.closed.set(id, card);
      this.all.push(card);
      this.inside.set(id, []);
    }
    this.inside.get(id)?.push(node.id);
    if (isMade(node) && node.family !== 'gradient') {
      card.family = 'other';
    }
  }

  private write(node: Node): void {
    const card = this.standsFor.get(node.host as number);
    if (card !== undefined) {
      this.standsFor.set(node.id, card);
      this.inside.get(card)?.push(node.id);
      this.operands.set(card, [...(this.operands.get(card) ?? []), node]);
    }
  }

  private groupCard(first: Node, group: number): Card {
    const { label } = this.tree.groups[group];
    const detail = plural(this.made[group], 'operator');
    return {
      ...first,
      id: cardOfGroup(group),
      op: '',
      kind: 'group',
      family: 'gradient', // until something else is found in it
      label,
      detail,
      name: '',
      line: null,
      code: '',
      places: [],
      shape: null,
      dtype: '',
      bytes: null,
      kernel: null,
      buffer: null,
      origins: [],
      forward: [],
      members: [],
      head: false,
      body: '',
      host: null,
      w: Math.min(WIDEST, Math.max(96, CHARACTER * Math.max(label.length, detail.length) + 52)),
      h: 44,
      opens: null,
      x: 0,
      y: 0
    };
  }
}
