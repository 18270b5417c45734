// The way from one stage's picture to another's, keyed by node id: where each node is at time t.
import type { Edge, Node } from '../spec';
import type { StageModel } from './stages';

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A node in motion: its box, and how much of it is there (0 to 1). */
export interface Actor extends Box {
  node: Node;
  alpha: number;
}

interface Path {
  node: Node;
  from: Box;
  to: Box;
  kind: 'stays' | 'enters' | 'leaves';
}

export const DURATION_MS = 650;

export class Transition {
  private readonly paths: Path[] = [];
  readonly edgesBefore: Edge[];
  readonly edgesAfter: Edge[];

  constructor(model: StageModel, from: number, to: number) {
    const before = model.stages[from].graph;
    const after = model.stages[to].graph;
    const stay = new Set(after.edges.map(edgeKey));
    this.edgesAfter = after.edges;
    this.edgesBefore = before.edges.filter(edge => !stay.has(edgeKey(edge)));
    const sources = new Map<number, Box[]>();
    for (const node of before.nodes) {
      if (model.node(to, node.id) === undefined) {
        const heir = model.follow(node.id, from, to);
        const target = heir === null ? undefined : model.node(to, heir);
        if (heir !== null) {
          sources.set(heir, [...(sources.get(heir) ?? []), boxOf(node)]);
        }
        this.paths.push({
          node,
          from: boxOf(node),
          to: target ? boxOf(target) : shrunk(boxOf(node)),
          kind: 'leaves'
        });
      }
    }
    for (const node of after.nodes) {
      const old = model.node(from, node.id);
      if (old) {
        this.paths.push({ node, from: boxOf(old), to: boxOf(node), kind: 'stays' });
        continue;
      }
      // A node grows out of the box around the nodes it is made of.
      const merged = sources.get(node.id);
      const parent = model.node(from, model.follow(node.id, to, from) ?? -1);
      const start = merged ? around(merged) : parent ? boxOf(parent) : shrunk(boxOf(node));
      this.paths.push({ node, from: start, to: boxOf(node), kind: 'enters' });
    }
  }

  /** Where every node is at time t in [0, 1]; those that leave come first, below the others. */
  at(t: number): Actor[] {
    const eased = ease(Math.min(Math.max(t, 0), 1));
    return this.paths.map(({ node, from, to, kind }) => ({
      node,
      ...blend(from, to, eased),
      alpha: kind === 'stays' ? 1 : kind === 'enters' ? fadeIn(eased) : fadeOut(eased)
    }));
  }
}

export function edgeKey(edge: Edge): string {
  return `${edge.src}.${edge.out}>${edge.dst}.${edge.arg}`;
}

export function boxOf(node: Node): Box {
  return { x: node.x ?? 0, y: node.y ?? 0, w: node.w, h: node.h };
}

export function around(boxes: Box[]): Box {
  const left = Math.min(...boxes.map(b => b.x - b.w / 2));
  const right = Math.max(...boxes.map(b => b.x + b.w / 2));
  const top = Math.min(...boxes.map(b => b.y - b.h / 2));
  const bottom = Math.max(...boxes.map(b => b.y + b.h / 2));
  return { x: (left + right) / 2, y: (top + bottom) / 2, w: right - left, h: bottom - top };
}

function blend(a: Box, b: Box, t: number): Box {
  const mid = (p: number, q: number) => p + (q - p) * t;
  return { x: mid(a.x, b.x), y: mid(a.y, b.y), w: mid(a.w, b.w), h: mid(a.h, b.h) };
}

function shrunk(box: Box): Box {
  return { ...box, w: box.w * 0.6, h: box.h * 0.6 };
}

function ease(t: number): number {
  return t < 0.5 ? 4 * t * t * t : 1 - (-2 * t + 2) ** 3 / 2;
}

function fadeIn(t: number): number {
  return Math.min(1, Math.max(0, (t - 0.15) / 0.6));
}

function fadeOut(t: number): number {
  return Math.min(1, Math.max(0, 1 - t / 0.8));
}
