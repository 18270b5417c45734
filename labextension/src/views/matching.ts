// Which nodes of two pictures are the same thing: stages of one plan by id, two plans by their text.
import type { Cell, Node } from '../spec';
import { diffLines } from './diff';
import type { StageModel } from './stages';

/** A stage of a picture. */
export interface Side {
  model: StageModel;
  stage: number;
  cell: Cell | null;
}

/** node of one side -> those of the other that stand for it */
export type Links = ReadonlyMap<number, ReadonlySet<number>>;

export interface Matching {
  /** from a to b */
  forth: Links;
  /** from b to a */
  back: Links;
}

class Pairs implements Matching {
  readonly forth = new Map<number, Set<number>>();
  readonly back = new Map<number, Set<number>>();

  add(a: number, b: number): void {
    const link = (links: Map<number, Set<number>>, from: number, to: number) =>
      links.set(from, (links.get(from) ?? new Set()).add(to));
    link(this.forth, a, b);
    link(this.back, b, a);
  }
}

export function match(a: Side, b: Side): Matching {
  const pairs = new Pairs();
  if (a.model === b.model) {
    within(pairs, a.model, a.stage, b.stage);
  } else {
    across(pairs, a, b);
  }
  return pairs;
}

function within(pairs: Pairs, model: StageModel, from: number, to: number): void {
  for (const { id } of model.stages[from].graph.nodes) {
    model.resolve([id], to).forEach(other => pairs.add(id, other));
  }
  for (const { id } of model.stages[to].graph.nodes) {
    model.resolve([id], from).forEach(other => pairs.add(other, id));
  }
}

// As written, operators are paired by their text; each stage's nodes then follow their own plan.
// What a plan alone made, such as gradients, is paired by its text where it stands.
function across(pairs: Pairs, a: Side, b: Side): void {
  const written = new Pairs();
  byText(written, nodesOf(a, 0), nodesOf(b, 0), a.cell, b.cell);
  for (const { id } of nodesOf(b)) {
    const sources = b.model
      .resolve([id], 0)
      .flatMap(source => [...(written.back.get(source) ?? [])]);
    a.model.resolve(sources, a.stage).forEach(other => pairs.add(other, id));
  }
  const restA = nodesOf(a).filter(node => !pairs.forth.has(node.id));
  const restB = nodesOf(b).filter(node => !pairs.back.has(node.id));
  byText(pairs, restA, restB, a.cell, b.cell);
}

function nodesOf({ model, stage }: Side, at = stage): Node[] {
  return model.stages[at].graph.nodes;
}

// The first of a line's operators of a kind is the other line's first, and so on.
function byText(pairs: Pairs, a: Node[], b: Node[], cellA: Cell | null, cellB: Cell | null): void {
  const waiting = new Map<string, number[]>();
  for (const node of a) {
    const key = keyOf(node, node.line);
    waiting.set(key, [...(waiting.get(key) ?? []), node.id]);
  }
  const home = cellA && cellB ? sameLines(cellA.lines, cellB.lines) : null;
  for (const node of b) {
    const line = node.line === null || !home ? node.line : (home.get(node.line) ?? -node.line);
    const other = waiting.get(keyOf(node, line))?.shift();
    if (other !== undefined) {
      pairs.add(other, node.id);
    }
  }
}

// An input is known by its name, whatever line reads it first.
function keyOf(node: Node, line: number | null): string {
  const place = node.kind === 'input' || line === null ? node.name : line;
  const op = [node.op, ...node.members.map(member => member.op)].join(' ');
  return JSON.stringify([node.kind === 'input', op, place]);
}

/**
 * Line of `b` -> line of `a`, counted from 1, for lines of the same text; and for edited ones, that
 * have half of their words from a line that stood in this place.
 */
export function sameLines(a: string[], b: string[]): Map<number, number> {
  const same = new Map<number, number>();
  let [left, right] = [0, 0];
  let [removed, added]: number[][] = [[], []];
  const edited = () => {
    for (const line of added) {
      const at = removed.findIndex(old => likeness(a[old - 1], b[line - 1]) >= 0.5);
      if (at >= 0) {
        same.set(line, removed[at]);
        removed.splice(0, at + 1); // lines keep their order
      }
    }
    [removed, added] = [[], []];
  };
  for (const { kind } of diffLines(a, b)) {
    if (kind === 'removed') {
      removed.push(++left);
    } else if (kind === 'added') {
      added.push(++right);
    } else {
      edited();
      same.set(++right, ++left);
    }
  }
  edited();
  return same;
}

// The share of two lines' words and signs that are in both, in order: 0 to 1.
function likeness(a: string, b: string): number {
  const [before, after] = [a, b].map(text => text.match(/\w+|[^\w\s]/g) ?? []);
  const common = diffLines(before, after).filter(({ kind }) => kind === 'same').length;
  return (2 * common) / Math.max(before.length + after.length, 1);
}
