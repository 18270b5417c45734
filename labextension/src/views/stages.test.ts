import { describe, expect, it } from 'vitest';
import { parseSpec } from '../protocol';
import fixture from '../testdata/four_lines.json';
import { linesOf, nodesOfLine, ownName, StageModel } from './stages';
import { around, boxOf, Transition } from './transition';

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

describe('Transition', () => {
  it('grows a fused node out of its members', () => {
    const transition = new Transition(model, FOLD, FUSE);
    const members = model.stages[FOLD].graph.nodes.filter(n => n.id === 3 || n.id === 4);
    const born = transition.at(0).find(actor => actor.node.id === 6);
    expect(born).toMatchObject({ ...around(members.map(boxOf)), alpha: 0 });
    const grown = transition.at(1).find(actor => actor.node.id === 6);
    expect(grown).toMatchObject({ x: 165, y: 110, alpha: 1 });
  });

  it('moves members into the node that took them and lets them fade', () => {
    const gone = new Transition(model, FOLD, FUSE).at(1).find(actor => actor.node.id === 4);
    expect(gone).toMatchObject({ x: 165, y: 110, alpha: 0 });
  });

  it('keeps nodes that stay, and works backwards', () => {
    const back = new Transition(model, PLAN, WRITTEN);
    expect(back.at(0.5).find(actor => actor.node.id === 0)?.alpha).toBe(1);
    const end = back.at(1).filter(actor => actor.alpha > 0);
    expect(end.map(actor => actor.node.id).sort()).toEqual([0, 1, 2, 3, 4]);
    for (const actor of end) {
      expect(actor).toMatchObject(boxOf(actor.node));
    }
  });

  it('lets go of edges that the next stage has not', () => {
    const { edgesBefore } = new Transition(model, FOLD, FUSE);
    expect(edgesBefore.map(e => [e.src, e.dst])).toEqual([
      [5, 3],
      [0, 3],
      [3, 4]
    ]);
  });
});
