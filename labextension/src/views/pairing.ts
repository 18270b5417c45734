// Two stages beside each other: which nodes are the same in both, and what differs.
import type { Action } from '../spec';
import { plural } from './format';
import type { Mark, StageModel } from './stages';

export interface Pairing {
  /** by node: what is not the same on the other side */
  left: Map<number, Mark>;
  right: Map<number, Mark>;
  words: string;
}

/** What became of the nodes of stage `left` in stage `right`, which may be the earlier one. */
export function pairing(model: StageModel, left: number, right: number): Pairing {
  const [a, b] = [model.stages[left].graph.nodes, model.stages[right].graph.nodes];
  const found: Pairing = { left: new Map(), right: new Map(), words: '' };
  const reached = new Set<number>();
  let same = 0;
  for (const node of a) {
    const id = model.follow(node.id, left, right);
    const other = id === null ? undefined : model.node(right, id);
    if (!other) {
      note(found.left, node.id, 'removed');
      continue;
    }
    reached.add(other.id);
    if (other.id === node.id && isSame(node, other)) {
      same += 1;
      continue;
    }
    const action = other.kind === 'fused' ? 'fused' : 'rewritten';
    note(found.left, node.id, action);
    note(found.right, other.id, action);
  }
  for (const node of b.filter(n => !reached.has(n.id))) {
    const parts = model.resolve([node.id], left).filter(id => model.node(left, id));
    const action = parts.length > 0 ? 'rewritten' : 'added';
    note(found.right, node.id, action);
    parts.forEach(id => note(found.left, id, action));
  }
  found.words = words(found, same);
  return found;
}

function note(marks: Map<number, Mark>, id: number, action: Action): void {
  const mark = marks.get(id);
  if (mark) {
    mark.count += Number(mark.action === action && action === 'fused');
  } else {
    marks.set(id, { action, count: 1, changes: [] });
  }
}

function isSame(a: SameNode, b: SameNode): boolean {
  const told = ({ kind, op, label, detail, shape, dtype, members }: SameNode) =>
    JSON.stringify([kind, op, label, detail, shape, dtype, members.map(m => m.id)]);
  return told(a) === told(b);
}
type SameNode = NonNullable<ReturnType<StageModel['node']>>;

function words({ left, right }: Pairing, same: number): string {
  const count = (marks: Map<number, Mark>, action: Action) =>
    [...marks.values()].filter(mark => mark.action === action).length;
  const fused = [count(left, 'fused'), count(right, 'fused')];
  const parts = [
    [count(left, 'removed'), (n: number) => `− ${n} only left`],
    [count(right, 'added'), (n: number) => `+ ${n} only right`],
    [fused[0], (n: number) => `⊕ ${n} in ${plural(fused[1], 'fused kernel')}`],
    [count(right, 'rewritten'), (n: number) => `~ ${n} changed`],
    [same, (n: number) => `${n} the same`]
  ] as const;
  return parts
    .filter(([n]) => n > 0)
    .map(([n, say]) => say(n))
    .join(' · ');
}
