// What is different between two pictures, node by node, in signs and in words.
import type { Node } from '../spec';
import { plural } from './format';
import type { Drawn } from './drawn';
import type { Matching, Side } from './matching';

/** Of a node: whether the other side has it, and whether it is the same there. */
export type Difference = 'only A' | 'only B' | 'changed' | 'same';

export interface Differences {
  a: ReadonlyMap<number, Difference>;
  b: ReadonlyMap<number, Difference>;
}

export function differences(a: Side, b: Side, matching: Matching): Differences {
  const left = new Map<number, Difference>();
  const right = new Map<number, Difference>();
  const operands = { a: operandsOf(a), b: operandsOf(b) };
  for (const node of nodesOf(a)) {
    const partners = matching.forth.get(node.id);
    const same = partners && changes(node, b, matching, operands).length === 0;
    left.set(node.id, !partners ? 'only A' : same ? 'same' : 'changed');
  }
  for (const { id } of nodesOf(b)) {
    const [partner] = matching.back.get(id) ?? [];
    right.set(id, partner === undefined ? 'only B' : (left.get(partner) ?? 'changed'));
  }
  return { a: left, b: right };
}

/** In words, what is not the same of a node of `a` on the other side; nothing: it is the same. */
export function changesOf(id: number, a: Side, b: Side, matching: Matching): string[] {
  const node = a.model.node(a.stage, id);
  const operands = { a: operandsOf(a), b: operandsOf(b) };
  return node ? changes(node, b, matching, operands) : [];
}

/** The same by card: a closed group's tells of all nodes in it. */
export function ofCards(
  { cards, inside, opened }: Pick<Drawn, 'cards' | 'inside' | 'opened'>,
  ofNodes: ReadonlyMap<number, Difference>
): Map<number, Difference> {
  const kernelOf = new Map([...opened].flatMap(([id, members]) => members.map(m => [m, id])));
  const found = new Map<number, Difference>();
  for (const { id } of cards) {
    const nodes = inside.get(id) ?? [kernelOf.get(id) ?? id];
    const kinds = new Set(nodes.flatMap(node => ofNodes.get(node) ?? []));
    const [first] = kinds;
    if (first !== undefined) {
      found.set(id, kinds.size === 1 ? first : 'changed');
    }
  }
  return found;
}

export function count(of: ReadonlyMap<number, Difference>, what: Difference): number {
  return [...of.values()].filter(difference => difference === what).length;
}

type Operands = Map<number, number[]>;

function changes(
  node: Node,
  b: Side,
  { forth, back }: Matching,
  operands: { a: Operands; b: Operands }
): string[] {
  const partners = [...(forth.get(node.id) ?? [])];
  const other = b.model.node(b.stage, partners[0]);
  if (!other) {
    return [];
  }
  const shared = back.get(other.id)?.size ?? 0;
  if (partners.length > 1) {
    return [`there it is ${partners.length} nodes`];
  }
  if (shared > 1) {
    // Passes merge nodes before they fuse: of a kernel what is in it counts, not what became it.
    const fused = other.kind === 'fused';
    const others = plural((fused ? other.members.length : shared) - 1, 'other');
    const merged = `there it and ${others} are one node`;
    return [fused ? `there it is in one kernel with ${others}` : merged];
  }
  const told: string[] = [];
  if (node.op !== other.op || node.kind !== other.kind) {
    told.push(`${node.label} here, ${other.label} there`);
  } else if (settings(node) !== settings(other)) {
    told.push('other settings there');
  }
  if (String(node.shape) !== String(other.shape) || node.dtype !== other.dtype) {
    told.push('another shape or dtype there');
  }
  if (node.device !== other.device) {
    told.push('another device there');
  }
  const reads = operands.a.get(node.id) ?? [];
  const readThere = operands.b.get(other.id) ?? [];
  const equal =
    reads.length === readThere.length && reads.every((id, i) => forth.get(id)?.has(readThere[i]));
  return equal ? told : [...told, 'reads other values there'];
}

// A number of a label ("c + 1") is an operator's setting, a name in it is not.
function settings({ label, detail, members }: Node): string {
  const numbers = label.match(/(?<![\p{L}\p{N}_.])\d[\d.]*(e[+-]?\d+)?/gu) ?? [];
  return JSON.stringify([numbers, detail, members.map(member => member.op)]);
}

function nodesOf({ model, stage }: Side): Node[] {
  return model.stages[stage].graph.nodes;
}

// By node, what it reads, in order.
function operandsOf({ model, stage }: Side): Operands {
  const found: Operands = new Map();
  const edges = model.stages[stage].graph.edges.filter(edge => edge.kind === 'data');
  for (const { src, dst } of edges.sort((x, y) => x.arg - y.arg)) {
    found.set(dst, [...(found.get(dst) ?? []), src]);
  }
  return found;
}
