import { expect, it } from 'vitest';
import type { Drawn } from './drawn';
import { firstView } from './framing';
import { under } from './under';

const card = (id: number, x: number, y: number) => ({ id, x, y, w: 130, h: 44, segment: 0 });
const frames = [{ id: -1, x: 400, y: 1_000, w: 780, h: 1_900, label: 'part 1' }];
const seen = { scale: 1, x: 0, y: 0 };

it('is a card or a title, not the rest of a frame', () => {
  const drawn = { cards: [card(1, 300, 200)], frames } as unknown as Drawn;
  expect(under(drawn, seen, { x: 300, y: 230, w: 20, h: 20 })).toHaveLength(1);
  expect(under(drawn, seen, { x: 600, y: 230, w: 20, h: 20 })).toEqual([]);
  expect(under(drawn, seen, { x: 60, y: 60, w: 20, h: 20 })).toHaveLength(1);
  expect(under(drawn, { scale: 0.5, x: 0, y: -100 }, { x: 60, y: 20, w: 20, h: 20 })).toEqual([]);
});

it('is nothing under the button of the steps when a picture opens', () => {
  const size = { width: 620, height: 520 };
  const button = { x: 52, y: 21, w: 88, h: 26 };
  for (let y = 100; y < 400; y += 7) {
    const cards = [card(1, 300, y), card(2, 300, y + 90), card(3, 90, 120)];
    const lines = [{ src: 1, dst: 2 }];
    const drawn = { cards, lines, frames, width: 800, height: 2_000 } as unknown as Drawn;
    expect(under(drawn, firstView(drawn, size), button)).toEqual([]);
  }
});
