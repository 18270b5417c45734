// What is drawn of a stage while some groups are open: its cards, lines and frames, and where.
import type { Edge, Graph, Node, NodeKind } from '../spec';
import type { Layout, LayoutTask } from '../layout/task';
import { plural } from './format';
import { isMade, type GroupTree } from './group_tree';

/** A node's card, or that of a closed group. x and y are its centre, in layout pixels. */
export interface Card extends Omit<Node, 'kind'> {
  kind: NodeKind | 'group';
  /** the open group whose frame it stands in */
  group: number | null;
  x: number;
  y: number;
}

/** An edge between cards, with its way; of a closed group it may stand for several. */
export interface Line extends Edge {
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
}

/** The id of a group's card or frame; nodes have none below 0. */
export const cardOfGroup = (group: number) => -2 - group;
/** The group of a card; null: the card is a node's. */
export const groupOfCard = (card: number) => (card <= -2 ? -2 - card : null);

const CHARACTER = 8;
const SMALL_CHARACTER = 6.4;
const WIDEST = 300;
const WIDEST_HOST = 350;

/** The cards, lines and frames of a stage, not placed yet. `folding`: parameters stand on cards. */
export function draw(
  graph: Graph,
  tree: GroupTree,
  open: ReadonlySet<number>,
  folding: boolean
): Drawn {
  const made = tree.made(graph);
  const frameOf = new Map<number, number | null>();
  const standsFor = new Map<number, number>();
  const inside = new Map<number, number[]>();
  const operands = new Map<number, Node[]>();
  const cards: Card[] = [];
  const known = new Set(graph.nodes.map(node => node.id));
  const hosted = (node: Node) => folding && node.host !== null && known.has(node.host);
  for (const node of graph.nodes) {
    if (hosted(node)) {
      continue;
    }
    let frame: number | null = null;
    let closed: number | null = null;
    for (const group of tree.chain(node.group)) {
      // One operator alone is drawn as it is.
      if (made[group] < 2) {
        break;
      }
      if (!open.has(group)) {
        closed = group;
        break;
      }
      frame = group;
    }
    const id = closed === null ? node.id : cardOfGroup(closed);
    standsFor.set(node.id, id);
    if (closed === null) {
      cards.push({ ...node, x: 0, y: 0 });
    } else if (!inside.has(id)) {
      inside.set(id, []);
      cards.push(groupCard(node, tree, closed, made[closed]));
    }
    inside.get(id)?.push(node.id);
    frameOf.set(id, frame);
  }
  for (const node of graph.nodes) {
    const card = hosted(node) ? standsFor.get(node.host as number) : undefined;
    if (card !== undefined) {
      standsFor.set(node.id, card);
      inside.get(card)?.push(node.id);
      operands.set(card, [...(operands.get(card) ?? []), node]);
    }
  }
  for (const card of cards) {
    const more = operands.get(card.id)?.length ?? 0;
    card.w =
      more > 0 ? Math.max(card.w, Math.min(WIDEST_HOST, widthOf(card.detail, more))) : card.w;
  }
  const frames = framesOf(cards, tree, frameOf);
  return {
    cards,
    lines: merged(graph.edges, standsFor),
    frames,
    width: 0,
    height: 0,
    direction: 'down',
    coarse: false,
    byId: new Map(),
    standsFor,
    inside,
    operands
  };
}

// With how many parameters it has behind its detail.
function widthOf(detail: string, parameters: number): number {
  return SMALL_CHARACTER * (detail.length + plural(parameters, 'parameter').length + 3) + 24;
}

function groupCard(first: Node, tree: GroupTree, group: number, made: number): Card {
  const { label } = tree.groups[group];
  const detail = plural(made, 'operator');
  return {
    ...first,
    id: cardOfGroup(group),
    op: '',
    kind: 'group',
    family: 'other',
    label,
    detail,
    name: '',
    line: null,
    code: '',
    shape: null,
    dtype: '',
    bytes: null,
    kernel: null,
    buffer: null,
    origins: [],
    members: [],
    head: false,
    body: '',
    group: tree.groups[group].parent,
    host: null,
    w: Math.min(WIDEST, Math.max(96, CHARACTER * Math.max(label.length, detail.length) + 52)),
    h: 44,
    x: 0,
    y: 0
  };
}

// A frame of one card says nothing.
function framesOf(cards: Card[], tree: GroupTree, frameOf: Map<number, number | null>): Frame[] {
  const held = new Map<number, number>();
  for (const { id } of cards) {
    for (const group of tree.chain(frameOf.get(id) ?? null)) {
      held.set(group, (held.get(group) ?? 0) + 1);
    }
  }
  const isFrame = (group: number) => (held.get(group) ?? 0) > 1;
  const around = (group: number | null) => {
    const chain = tree.chain(group).filter(isFrame);
    return chain.length > 0 ? cardOfGroup(chain[chain.length - 1]) : null;
  };
  for (const card of cards) {
    const frame = around(frameOf.get(card.id) ?? null);
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

// Several values between two cards are one line, as soon as either stands for a group.
function merged(edges: Edge[], standsFor: ReadonlyMap<number, number>): Line[] {
  const lines = new Map<string, Line>();
  const values = new Map<string, Set<string>>();
  for (const edge of edges) {
    const src = standsFor.get(edge.src);
    const dst = standsFor.get(edge.dst);
    if (src === undefined || dst === undefined || src === dst) {
      continue;
    }
    const plain = src === edge.src && dst === edge.dst;
    const key = plain ? `${src}.${edge.out}>${dst}.${edge.arg}` : `${src}>${dst} ${edge.kind}`;
    const value = `${edge.src}.${edge.out}`;
    const line = lines.get(key);
    if (!line) {
      const out = src === edge.src ? edge.out : 0;
      lines.set(key, { ...edge, src, dst, out, arg: plain ? edge.arg : -1, points: [] });
      values.set(key, new Set([value]));
    } else if (!values.get(key)?.has(value)) {
      values.get(key)?.add(value);
      line.bytes += edge.bytes;
      line.label = plural(values.get(key)?.size ?? 0, 'value');
    }
  }
  return [...lines.values()];
}

/** What the layout is asked for. */
export function taskOf(drawn: Drawn, direction: LayoutTask['direction']): LayoutTask {
  return {
    boxes: drawn.cards.map(card => ({
      id: card.id,
      w: card.w,
      h: card.h,
      late: !isMade(card),
      frame: card.group === null ? null : cardOfGroup(card.group)
    })),
    frames: drawn.frames.map(({ id, parent, w }) => ({ id, parent, w })),
    edges: [...drawn.lines.map(({ src, dst, out }) => ({ src, dst, out })), ...inOrder(drawn)],
    direction
  };
}

// The parts of a cell stand one below the other, in the order in which they ran.
function inOrder({ cards, frames }: Drawn): LayoutTask['edges'] {
  const parts = new Map<number, Card[]>();
  for (const card of cards.filter(isMade)) {
    parts.set(card.segment, [...(parts.get(card.segment) ?? []), card]);
  }
  const framed = new Set(frames.map(frame => frame.id));
  const whole = (card: Card) => card.group !== null && framed.has(cardOfGroup(card.group));
  const order = [...parts.keys()].sort((a, b) => a - b);
  return order.slice(1).flatMap((segment, i) => {
    const before = parts.get(order[i]) as Card[];
    const own = parts.get(segment) as Card[];
    const last = before[before.length - 1].id;
    const first = own.every(whole) ? own.slice(0, 1) : own;
    return first.map(({ id }) => ({ src: last, dst: id, out: -1 }));
  });
}

/** The same, placed. */
export function placed(drawn: Drawn, layout: Layout, direction: LayoutTask['direction']): Drawn {
  const cards = drawn.cards.map((card, i) => {
    const [x, y] = layout.centres[i];
    return { ...card, x, y };
  });
  return {
    ...drawn,
    cards,
    byId: new Map(cards.map(card => [card.id, card])),
    lines: drawn.lines.map((line, i) => ({ ...line, points: layout.lines[i] })),
    frames: drawn.frames.map((frame, i) => ({ ...frame, ...layout.frames[i] })),
    width: layout.width,
    height: layout.height,
    direction,
    coarse: layout.coarse
  };
}
