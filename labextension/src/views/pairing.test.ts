import { describe, expect, it } from 'vitest';
import { parseSpec } from '../protocol';
import fixture from '../testdata/four_lines.json';
import { pairing } from './pairing';
import { StageModel } from './stages';

const model = new StageModel(parseSpec(fixture));
const [WRITTEN, FOLD, FUSE, PLAN] = [0, 1, 2, 3];

const marks = (of: ReturnType<typeof pairing>['left']) =>
  [...of].map(([id, { action, count }]) => [id, action, count]).sort();

describe('pairing', () => {
  it('tells what only one side has, what was fused, what changed and what is the same', () => {
    const { left, right, words } = pairing(model, WRITTEN, FUSE);
    expect(marks(left)).toEqual([
      [1, 'rewritten', 1],
      [2, 'rewritten', 1],
      [3, 'fused', 1],
      [4, 'fused', 1]
    ]);
    expect(marks(right)).toEqual([
      [5, 'rewritten', 1],
      [6, 'fused', 2]
    ]);
    expect(words).toBe('⊕ 2 in 1 fused kernel · ~ 1 changed · 1 the same');
  });

  it('is the same from both sides', () => {
    for (const [a, b] of [
      [WRITTEN, FOLD],
      [FOLD, FUSE],
      [WRITTEN, PLAN]
    ]) {
      const [there, back] = [pairing(model, a, b), pairing(model, b, a)];
      expect([...back.left.keys()].sort()).toEqual([...there.right.keys()].sort());
      expect([...back.right.keys()].sort()).toEqual([...there.left.keys()].sort());
    }
  });

  it('finds nothing between a stage and itself', () => {
    const { left, right, words } = pairing(model, FUSE, FUSE);
    expect([left.size, right.size, words]).toEqual([0, 0, '3 the same']);
  });

  it('tells what is only on one side', () => {
    const { stages, groups } = parseSpec(fixture);
    const [written] = stages;
    const kept = written.graph.nodes.filter(node => node.id !== 4);
    const edges = written.graph.edges.filter(edge => edge.dst !== 4);
    const fewer = { ...written, graph: { nodes: kept, edges }, changes: [] };
    const both = new StageModel({ stages: [written, fewer], groups });
    expect(pairing(both, 0, 1).words).toBe('− 1 only left · 4 the same');
    expect(pairing(both, 1, 0).words).toBe('+ 1 only right · 4 the same');
    expect(marks(pairing(both, 1, 0).right)).toEqual([[4, 'added', 1]]);
  });
});
