import { describe, expect, it } from 'vitest';
import { parseSpec } from '../protocol';
import fixture from '../testdata/four_lines.json';
import { linesOf, nodesOfLine, ownName, StageModel } from './stages';

const model = new StageModel(parseSpec(fixture));
const [WRITTEN, FOLD, FUSE, PLAN] = [0, 1, 2, 3];

describe('StageModel', () => {
  it('follows a node to what it became', () => {
    expect(model.follow(3, WRITTEN, PLAN)).toBe(6);
    expect(model.follow(1, WRITTEN, FOLD)).toBe(5);
    expect(model.follow(0, WRITTEN, PLAN)).toBe(0);
  });

  it('follows a node back to where it came from', () => {
    expect([3, 4]).toContain(model.follow(6, PLAN, WRITTEN));
    expect([1, 2]).toContain(model.follow(5, FOLD, WRITTEN));
  });

  it('resolves a selection in any stage', () => {
    expect(model.resolve([4], FUSE)).toEqual([6]);
    expect(model.resolve([6], WRITTEN).sort()).toEqual([3, 4]);
    expect(model.resolve([5], WRITTEN).sort()).toEqual([1, 2]);
    expect(model.resolve([12345], PLAN)).toEqual([]);
  });

  it('marks what a stage changed', () => {
    expect(model.marks(WRITTEN).size).toBe(0);
    expect(model.marks(FUSE).get(6)).toMatchObject({ action: 'fused', count: 2 });
    expect(model.marks(PLAN).get(6)).toMatchObject({ action: 'moved', count: 1 });
  });

  it('tells the history of a node', () => {
    const fused = model.node(PLAN, 6);
    const events = fused ? model.history(fused, PLAN) : [];
    expect(events.map(e => e.stage.name)).toEqual(['fuse', 'fuse', 'plan']);
  });

  it('links nodes of any stage to buffers of the plan, and back', () => {
    expect(model.buffersOf([3])).toEqual([2]);
    expect(model.buffersOf([0, 1])).toEqual([0, 1]);
    const buffer = parseSpec(fixture).memory?.buffers[2] ?? null;
    expect(model.nodesOf(buffer)).toEqual([6]);
    expect(model.nodesOf(null)).toEqual([]);
  });

  it('does not repeat a name that the label says', () => {
    const node = model.stages[WRITTEN].graph.nodes[3];
    expect(ownName(node)).toBe('c');
    expect(ownName({ ...node, label: 'c = multiply' })).toBe('');
  });

  it('names nodes that are gone', () => {
    expect(model.describe(3, FUSE)).toBe('multiply (c)');
    expect(model.describe(77, FUSE)).toBe('node 77');
  });

  it('links lines to nodes', () => {
    const { graph } = model.stages[FUSE];
    expect(nodesOfLine(graph, 5)).toEqual([6]);
    expect(nodesOfLine(graph, 6)).toEqual([6]);
    expect(nodesOfLine(graph, 2)).toEqual([]);
    expect(linesOf(graph.nodes[2])).toEqual([5, 6]);
  });
});
