import { cardOfGroup, groupOfCard } from './group_tree';
import { describe, expect, it } from 'vitest';
import { LayoutRunner } from '../layout/runner';
import { parseSpec } from '../protocol';
import type { Group, Spec } from '../spec';
import fixture from '../testdata/four_lines.json';
import type { Drawn } from './drawn';
import { HitIndex } from './hit';
import { counterpart, Scenes } from './scenes';
import { Shown } from './shown';
import { StageModel } from './stages';
import { around, boxOf, Transition } from './transition';

const spec = parseSpec(fixture);
const model = new StageModel(spec);
const [WRITTEN, FOLD, FUSE, PLAN] = [0, 1, 2, 3];

function scenesOf({ stages, groups, initial }: Pick<Spec, 'stages' | 'groups' | 'initial'>) {
  return new Scenes(new StageModel({ stages, groups }), new LayoutRunner(null), initial);
}

function at(scenes: Scenes, stage: number): Drawn {
  const drawn = scenes.at(stage);
  if (drawn instanceof Promise) {
    throw new Error('a small picture is laid out at once');
  }
  return drawn;
}

/** The first stage with a product that takes a parameter, and two groups in one another. */
function grouped(open: number[], fold = false) {
  const [template] = spec.stages[WRITTEN].graph.nodes;
  const node = (id: number, kind: 'op' | 'input', group: number | null, host: number | null) => ({
    ...template,
    id,
    kind,
    group,
    host,
    label: `n${id}`
  });
  const [edge] = spec.stages[WRITTEN].graph.edges;
  const nodes = [
    node(0, 'input', null, null),
    node(1, 'input', 1, 2),
    node(2, 'op', 1, null),
    node(3, 'op', 1, null),
    node(4, 'op', 0, null),
    node(5, 'op', null, null)
  ];
  const ends = [
    [0, 2],
    [1, 2],
    [2, 3],
    [3, 4],
    [2, 4],
    [4, 5]
  ];
  const edges = ends.map(([src, dst], arg) => ({ ...edge, src, dst, out: 0, arg, label: '(3,)' }));
  const groups: Group[] = [
    { label: 'net', kind: 'block', parent: null },
    { label: 'dense', kind: 'block', parent: 0 }
  ];
  const stages = [{ ...spec.stages[WRITTEN], graph: { nodes, edges } }];
  return scenesOf({ stages, groups, initial: { stage: 0, view: 'graph', open, fold } });
}

describe('Scenes', () => {
  const ids = (drawn: Drawn) => drawn.cards.map(card => card.id).sort((a, b) => a - b);
  const ends = (drawn: Drawn) => drawn.lines.map(line => [line.src, line.dst]);

  it('draws a closed group as one card, its edges merged', () => {
    const drawn = at(grouped([]), 0);
    const net = cardOfGroup(0);
    expect(ids(drawn)).toEqual([net, 0, 5]);
    expect(drawn.byId.get(net)).toMatchObject({ label: 'net', detail: '3 operators' });
    expect(ends(drawn)).toEqual([
      [0, net],
      [net, 5]
    ]);
    expect(drawn.inside.get(net)).toEqual([1, 2, 3, 4]);
    expect(drawn.standsFor.get(3)).toBe(net);
  });

  it('draws an open group as a frame around its cards, one in the other', () => {
    const drawn = at(grouped([0, 1]), 0);
    expect(ids(drawn)).toEqual([0, 1, 2, 3, 4, 5]);
    const [outer, inner] = drawn.frames;
    expect([outer.label, inner.label, inner.parent]).toEqual(['net', 'dense', outer.id]);
    for (const id of [2, 3]) {
      const card = drawn.byId.get(id);
      expect(Math.abs((card?.x ?? NaN) - inner.x)).toBeLessThan(inner.w / 2);
      expect(Math.abs((card?.y ?? NaN) - inner.y)).toBeLessThan(inner.h / 2);
    }
  });

  it('counts the values of a line that stands for several', () => {
    const drawn = at(grouped([0]), 0);
    const dense = cardOfGroup(1);
    expect(ends(drawn)).toEqual([
      [0, dense],
      [dense, 4],
      [4, 5]
    ]);
    expect(drawn.lines.map(line => line.label)).toEqual(['(3,)', '2 values', '(3,)']);
  });

  it('writes parameters on their operator, and draws them when asked', () => {
    const scenes = grouped([0, 1], true);
    const folded = at(scenes, 0);
    expect(ids(folded)).toEqual([0, 2, 3, 4, 5]);
    expect(folded.operands.get(2)?.map(node => node.id)).toEqual([1]);
    expect(folded.standsFor.get(1)).toBe(2);
    scenes.fold(false);
    expect(ids(at(scenes, 0))).toContain(1);
  });

  it('opens and closes: one, a level, what hides a node', () => {
    const scenes = grouped([]);
    scenes.step(true, 0);
    expect([scenes.isOpen(0), scenes.isOpen(1)]).toEqual([true, false]);
    scenes.step(true, 0);
    scenes.step(false, 0);
    expect([scenes.isOpen(0), scenes.isOpen(1)]).toEqual([true, false]);
    scenes.toggle(0);
    expect(scenes.reveal(3, 0)).toBe(true);
    expect(ids(at(scenes, 0))).toContain(3);
    expect(scenes.reveal(3, 0)).toBe(false);
  });

  it('runs from left to right', () => {
    const scenes = grouped([0, 1]);
    scenes.turn('right');
    const { byId, lines } = at(scenes, 0);
    for (const { src, dst } of lines) {
      expect(byId.get(src)?.x).toBeLessThan(byId.get(dst)?.x ?? NaN);
    }
  });
});

describe('HitIndex', () => {
  it('finds cards, handles and titles', () => {
    const closed = at(grouped([]), 0);
    const card = closed.byId.get(cardOfGroup(0));
    const hits = new HitIndex(closed);
    expect(hits.at(card?.x ?? 0, card?.y ?? 0)).toEqual({ card: cardOfGroup(0), toggles: null });
    const handle = (card?.x ?? 0) - (card?.w ?? 0) / 2 + 5;
    expect(hits.at(handle, card?.y ?? 0)).toEqual({ card: cardOfGroup(0), toggles: 0 });
    expect(hits.at(-500, -500)).toBeNull();
    const open = at(grouped([0, 1]), 0);
    const [, inner] = open.frames;
    const title = new HitIndex(open).at(inner.x, inner.y - inner.h / 2 + 3);
    expect(title).toEqual({ card: inner.id, toggles: 1 });
    expect(groupOfCard(inner.id)).toBe(1);
  });
});

describe('Transition', () => {
  const scenes = scenesOf(spec);
  const way = (from: number, to: number) => {
    const [before, after] = [at(scenes, from), at(scenes, to)];
    return new Transition(
      before,
      after,
      id => counterpart(id, before, after, scenes.tree, node => model.follow(node, from, to)),
      id => counterpart(id, after, before, scenes.tree, node => model.follow(node, to, from))
    );
  };
  const fused = at(scenes, FUSE).byId.get(6);

  it('grows a fused node out of its members', () => {
    const transition = way(FOLD, FUSE);
    const members = at(scenes, FOLD).cards.filter(card => card.id === 3 || card.id === 4);
    const born = transition.at(0).find(actor => actor.card.id === 6);
    expect(born).toMatchObject({ ...around(members.map(boxOf)), alpha: 0 });
    const grown = transition.at(1).find(actor => actor.card.id === 6);
    expect(grown).toMatchObject({ x: fused?.x, y: fused?.y, alpha: 1 });
  });

  it('moves members into the node that took them and lets them fade', () => {
    const gone = way(FOLD, FUSE)
      .at(1)
      .find(actor => actor.card.id === 4);
    expect(gone).toMatchObject({ x: fused?.x, y: fused?.y, alpha: 0 });
  });

  it('keeps nodes that stay, and works backwards', () => {
    const back = way(PLAN, WRITTEN);
    expect(back.at(0.5).find(actor => actor.card.id === 0)?.alpha).toBe(1);
    const end = back.at(1).filter(actor => actor.alpha > 0);
    expect(end.map(actor => actor.card.id).sort()).toEqual([0, 1, 2, 3, 4]);
    for (const actor of end) {
      expect(actor).toMatchObject(boxOf(actor.card));
    }
  });

  it('lets go of lines that the next stage has not', () => {
    expect(way(FOLD, FUSE).linesBefore.map(line => [line.src, line.dst])).toEqual([
      [5, 3],
      [0, 3],
      [3, 4]
    ]);
  });

  it('grows the cards of a group out of its card, and back into it', () => {
    const scenes = grouped([]);
    const closed = at(scenes, 0);
    scenes.toggle(0);
    const open = at(scenes, 0);
    const to = (drawn: Drawn) => (id: number) =>
      counterpart(id, drawn, drawn, scenes.tree, node => node);
    const net = closed.byId.get(cardOfGroup(0));
    const opening = new Transition(closed, open, to(open), to(closed));
    const born = opening.at(0).find(actor => actor.card.id === 4);
    expect(born).toMatchObject({ x: net?.x, y: net?.y, alpha: 0 });
    const closing = new Transition(open, closed, to(closed), to(open));
    const gone = closing.at(1).find(actor => actor.card.id === 4);
    expect(gone).toMatchObject({ x: net?.x, y: net?.y, alpha: 0 });
  });
});

it('marks the card that stands for what a stage changed', () => {
  const scenes = scenesOf(spec);
  const shown = new Shown(at(scenes, FUSE), model, FUSE);
  expect(shown.marks.get(6)).toMatchObject({ action: 'fused', count: 2 });
  expect([...shown.cards([6, 12345])]).toEqual([6]);
});
