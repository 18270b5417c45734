import { describe, expect, it } from 'vitest';
import { LayoutRunner } from '../layout/runner';
import { parseSpec } from '../protocol';
import fixture from '../testdata/four_lines.json';
import type { Drawn } from './drawn';
import { Heat } from './heat';
import { HitIndex } from './hit';
import { Kernels } from './kernels';
import { counterpart, Scenes } from './scenes';
import { Shown } from './shown';
import { StageModel } from './stages';

const spec = parseSpec(fixture);
const model = new StageModel(spec);
const [FOLD, FUSE, PLAN] = [1, 2, 3];
const KERNEL = 6; // of multiply (3) and + 1 (4)

function at(scenes: Scenes, stage: number): Drawn {
  const drawn = scenes.at(stage);
  if (drawn instanceof Promise) {
    throw new Error('a small picture is laid out at once');
  }
  return drawn;
}

const ids = (drawn: Drawn) => drawn.cards.map(card => card.id).sort((a, b) => a - b);
const ends = (drawn: Drawn) => drawn.lines.map(line => `${line.src}>${line.dst}`).sort();

function opened(stage = FUSE) {
  const scenes = new Scenes(model, new LayoutRunner(null), spec.initial);
  const closed = at(scenes, stage);
  const group = closed.byId.get(KERNEL)?.opens ?? null;
  if (group === null) {
    throw new Error('the kernel opens');
  }
  scenes.toggle(group);
  return { scenes, closed, drawn: at(scenes, stage), group };
}

describe('a fused kernel', () => {
  it('opens as the operators that it is made of, in one frame, with all their lines', () => {
    const { closed, drawn, group, scenes } = opened();
    expect(ids(closed)).toEqual([0, 5, 6]);
    expect(ids(drawn)).toEqual([0, 3, 4, 5]);
    expect(ends(drawn)).toEqual(['0>3', '3>4', '5>3']);
    expect(drawn.frames.map(frame => frame.label)).toEqual(['1 kernel: multiply, + 1']);
    expect(drawn.cards.filter(card => card.group === group).map(card => card.id)).toEqual([3, 4]);
    scenes.toggle(group);
    expect(ids(at(scenes, FUSE))).toEqual([0, 5, 6]);
  });

  it('stays open in later stages, and is closed with the innermost groups', () => {
    const { scenes } = opened();
    expect(ids(at(scenes, PLAN))).toEqual([0, 3, 4, 5]);
    expect(ids(at(scenes, FOLD))).toEqual([0, 3, 4, 5]);
    scenes.step(false, FUSE);
    expect(ids(at(scenes, FUSE))).toEqual([0, 5, 6]);
  });

  it('is opened by the handle of its card, by no other', () => {
    const { closed, group } = opened();
    const card = closed.byId.get(KERNEL);
    const hits = new HitIndex(closed);
    const handle = (card?.x ?? 0) - (card?.w ?? 0) / 2 + 4;
    expect(hits.at(handle, card?.y ?? 0)).toEqual({ card: KERNEL, toggles: group });
    expect(closed.byId.get(0)?.opens).toBeNull();
  });

  it('is chosen as a whole, or one of its operators', () => {
    const { drawn } = opened();
    const shown = new Shown(drawn, model, FUSE);
    expect([...shown.cards([KERNEL])]).toEqual([3, 4]);
    expect([...shown.cards([KERNEL], [4])]).toEqual([4]);
    expect(model.resolve([4], FUSE)).toEqual([KERNEL]);
  });

  it('shares its time among them', () => {
    const { drawn } = opened(PLAN);
    const members: [number, number][] = [
      [3, 0.25],
      [4, 0.75]
    ];
    const heat = new Heat([{ node: KERNEL, s: 0.004, flop: 0, bytes: 0, members }], model);
    const cards = heat.cards(drawn, PLAN);
    expect([cards.get(3)?.s, cards.get(4)?.s]).toEqual([0.001, 0.003]);
    expect(cards.get(4)?.estimated).toBe(true);
  });

  it('comes apart and together again on the way between pictures', () => {
    const { closed, drawn, scenes } = opened();
    const follow = (node: number) => node;
    expect(counterpart(3, drawn, closed, scenes.tree, follow)).toBe(KERNEL);
    expect(counterpart(KERNEL, closed, drawn, scenes.tree, follow)).toBeNull();
  });

  it('opens only where its operators are known', () => {
    const late = new StageModel({ stages: spec.stages.slice(FUSE), groups: [] });
    expect(new Kernels(late).group(KERNEL)).toBeNull();
    expect(new Kernels(model).group(0)).toBeNull();
  });
});
