// What is drawn of a stage while some groups are open: its cards, lines and frames, and where.
import type { Edge, Graph, Node, NodeKind } from '../spec';
import type { LayoutTask } from '../layout/task';
import { Cards } from './cards';
import { cardOfGroup, groupOfCard, type GroupTree } from './group_tree';
import type { Opened } from './kernels';
import { linesOfCards } from './lines';

/** A node's card, or that of a closed group. x and y are its centre, in layout pixels. */
export interface Card extends Omit<Node, 'kind'> {
  kind: NodeKind | 'group';
  /** the open group whose frame it stands in */
  group: number | null;
  /** the group that it opens: its own, or that of its kernel; null: it opens nothing */
  opens: number | null;
  x: number;
  y: number;
}

/** An edge between cards, with its way; of a closed group it may stand for several. */
export interface Line extends Edge {
  /** how many values it stands for */
  values: number;
  points: [number, number][];
}

/** The frame of an open group; x and y are its centre. */
export interface Frame {
  id: number;
  label: string;
  parent: number | null;
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Drawn {
  cards: Card[];
  lines: Line[];
  frames: Frame[];
  width: number;
  height: number;
  direction: LayoutTask['direction'];
  /** the layout took too long: it is a simple one */
  coarse: boolean;
  byId: ReadonlyMap<number, Card>;
  /** node -> the card that stands for it */
  standsFor: ReadonlyMap<number, number>;
  /** card of a closed group -> the nodes in it */
  inside: ReadonlyMap<number, number[]>;
  /** card -> the parameters written on it */
  operands: ReadonlyMap<number, Node[]>;
  /** open kernel -> its operators, which are cards */
  opened: Opened;
}

/**
 * The cards, lines and frames of a graph, not placed yet. `opens`: the group that opens a kernel;
 * `folding`: parameters stand on cards.
 */
export function draw(
  { graph, opened }: { graph: Graph; opened: Opened },
  opens: (kernel: number) => number | null,
  tree: GroupTree,
  open: ReadonlySet<number>,
  folding: boolean
): Drawn {
  const cards = new Cards(graph, tree, open, folding);
  for (const card of cards.all) {
    card.opens = card.kind === 'group' ? groupOfCard(card.id) : opens(card.id);
  }
  return {
    cards: cards.all,
    lines: linesOfCards(graph.edges, cards.standsFor),
    frames: framesOf(cards, tree),
    width: 0,
    height: 0,
    direction: 'down',
    coarse: false,
    byId: new Map(),
    standsFor: cards.standsFor,
    inside: cards.inside,
    operands: cards.operands,
    opened
  };
}

// A frame of one card says nothing, but for a part of the cell.
function framesOf({ all, around: innermost }: Cards, tree: GroupTree): Frame[] {
  const held = new Map<number, number>();
  for (const { id } of all) {
    for (const group of tree.chain(innermost.get(id) ?? null)) {
      held.set(group, (held.get(group) ?? 0) + 1);
    }
  }
  const isFrame = (group: number) =>
    (held.get(group) ?? 0) > (tree.groups[group].kind === 'part' ? 0 : 1);
  const around = (group: number | null) => {
    const chain = tree.chain(group).filter(isFrame);
    return chain.length > 0 ? cardOfGroup(chain[chain.length - 1]) : null;
  };
  for (const card of all) {
    const frame = around(innermost.get(card.id) ?? null);
    card.group = frame === null ? null : groupOfCard(frame);
  }
  return [...held.keys()]
    .filter(isFrame)
    .sort((a, b) => a - b)
    .map(group => ({
      id: cardOfGroup(group),
      label: tree.groups[group].label,
      parent: around(tree.groups[group].parent),
      x: 0,
      y: 0,
      w: 7 * tree.groups[group].label.length + 56,
      h: 0
    }));
}
