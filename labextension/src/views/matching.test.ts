import { describe, expect, it } from 'vitest';
import { parseSpec, type Spec } from '../protocol';
import fixture from '../testdata/four_lines.json';
import { changesOf, count, differences, ofCards } from './difference';
import { match, sameLines, type Side } from './matching';
import { StageModel } from './stages';

const spec = parseSpec(fixture);
const model = new StageModel(spec);
const [WRITTEN, FOLD, FUSE, PLAN] = [0, 1, 2, 3];
const side = (stage: number): Side => ({ model, stage, cell: spec.cell });

/** The same cell with a line in front of `a`, in a process that counted on; "+ 1" is now "+ 2". */
function later(edit: (spec: Spec) => void = () => undefined): (stage: number) => Side {
  const other = parseSpec(structuredClone(fixture));
  const moved = (line: number | null) => (line === null || line < 3 ? line : line + 1);
  for (const { graph, changes } of other.stages) {
    for (const node of graph.nodes) {
      node.id += 100;
      node.line = moved(node.line);
      node.origins = node.origins.map(id => id + 100);
      node.members.forEach(member => {
        member.id += 100;
        member.line = moved(member.line);
      });
      node.label = node.label.replace('+ 1', '+ 2');
    }
    graph.edges.forEach(edge => {
      edge.src += 100;
      edge.dst += 100;
    });
    changes.forEach(change => {
      change.node += 100;
      change.into = change.into === null ? null : change.into + 100;
    });
  }
  other.cell?.lines.splice(2, 0, '# more');
  other.cell?.lines.splice(6, 1, 'd = c + 2');
  edit(other);
  const otherModel = new StageModel(other);
  return stage => ({ model: otherModel, stage, cell: other.cell });
}

const told = (of: ReadonlyMap<number, unknown>) => Object.fromEntries(of);

describe('two stages of one plan', () => {
  it('are linked by id and origin, each operator to the kernel that it is in', () => {
    const { forth, back } = match(side(WRITTEN), side(PLAN));
    expect(forth.get(0)).toEqual(new Set([0]));
    expect(forth.get(3)).toEqual(new Set([6]));
    expect(back.get(6)).toEqual(new Set([3, 4]));
    expect(back.get(5)).toEqual(new Set([1, 2]));
    expect(match(side(PLAN), side(WRITTEN)).forth.get(6)).toEqual(new Set([3, 4]));
  });

  it('are the same but for what passes did', () => {
    const [a, b] = [side(WRITTEN), side(FUSE)];
    const matching = match(a, b);
    const { a: left, b: right } = differences(a, b, matching);
    expect(told(left)).toEqual({
      0: 'same',
      1: 'changed',
      2: 'changed',
      3: 'changed',
      4: 'changed'
    });
    expect(told(right)).toEqual({ 0: 'same', 5: 'changed', 6: 'changed' });
    expect(changesOf(3, a, b, matching)).toEqual(['there it is in one kernel with 1 other']);
    const kernel = b.model.node(FUSE, 6);
    kernel?.members.push(kernel.members[0]); // the kernel counts, not what passes merged before
    expect(changesOf(3, a, b, matching)).toEqual(['there it is in one kernel with 2 others']);
    kernel?.members.pop();
    expect(changesOf(0, a, b, matching)).toEqual([]);
    expect(changesOf(6, b, a, match(b, a))).toEqual(['there it is 2 nodes']);
  });

  it('differ in nothing where the stage is the same', () => {
    const found = differences(side(FOLD), side(FOLD), match(side(FOLD), side(FOLD)));
    expect(count(found.a, 'same')).toBe(model.stages[FOLD].graph.nodes.length);
    expect(count(found.b, 'same')).toBe(model.stages[FOLD].graph.nodes.length);
  });
});

describe('two reports', () => {
  it('are linked by source line, operator and position, in every stage', () => {
    const other = later();
    expect(match(side(WRITTEN), other(WRITTEN)).forth.get(3)).toEqual(new Set([103]));
    expect(match(side(PLAN), other(WRITTEN)).forth.get(6)).toEqual(new Set([103, 104]));
    expect(match(side(WRITTEN), other(PLAN)).back.get(106)).toEqual(new Set([3, 4]));
    expect(match(side(PLAN), other(PLAN)).forth.get(6)).toEqual(new Set([106]));
  });

  it('tell an edited setting, and what one of them alone has', () => {
    const other = later(({ stages: [{ graph }] }) => {
      graph.nodes = graph.nodes.filter(node => node.id !== 100);
      graph.edges = graph.edges.filter(edge => edge.src !== 100);
      graph.nodes.push({ ...graph.nodes[0], id: 900, op: 'zeros', label: 'zeros', origins: [] });
    });
    const [a, b] = [side(WRITTEN), other(WRITTEN)];
    const matching = match(a, b);
    const found = differences(a, b, matching);
    expect(told(found.a)).toEqual({
      0: 'only A',
      1: 'same',
      2: 'same',
      3: 'changed',
      4: 'changed'
    });
    expect(found.b.get(900)).toBe('only B');
    expect(changesOf(4, a, b, matching)).toEqual(['other settings there']);
    expect(changesOf(3, a, b, matching)).toEqual(['reads other values there']);
  });

  it('have the same lines where the text is, or most of its words', () => {
    const before = ['import numpy', 'y = f(x) + 1', 'z = g(y)', 'print(z)'];
    const after = ['import numpy', '# scaled', 'x2 = x / 3', 'y = f(x2) + 1', 'z = g(y)', 'done'];
    expect(told(sameLines(before, after))).toEqual({ 1: 1, 4: 2, 5: 3 });
  });
});

describe('a card', () => {
  it('of a closed group tells of all nodes in it, of an open kernel its own difference', () => {
    const card = (id: number) => ({ ...spec.stages[WRITTEN].graph.nodes[0], id });
    const cards = [card(0), card(-1), card(-2), card(3)].map(
      node => ({ ...node, kind: 'op', opens: null, x: 0, y: 0 }) as const
    );
    const inside = new Map([
      [-1, [0, 1]],
      [-2, [1, 2]]
    ]);
    const found = ofCards(
      { cards, inside, opened: new Map([[6, [3, 4]]]) },
      new Map([
        [0, 'same'],
        [1, 'only A'],
        [2, 'only A'],
        [6, 'changed']
      ])
    );
    expect(told(found)).toEqual({ 0: 'same', '-1': 'changed', '-2': 'only A', 3: 'changed' });
  });
});
