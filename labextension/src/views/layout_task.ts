// A picture as the layout is asked for it, and with the answer.
import type { Layout, LayoutTask } from '../layout/task';
import type { Card, Drawn } from './drawn';
import { cardOfGroup, isMade } from './group_tree';

/** What the layout is asked for. */
export function taskOf(drawn: Drawn, direction: LayoutTask['direction']): LayoutTask {
  return {
    boxes: drawn.cards.map(card => ({
      id: card.id,
      w: card.w,
      h: card.h,
      late: !isMade(card),
      frame: card.group === null ? null : cardOfGroup(card.group)
    })),
    frames: drawn.frames.map(({ id, parent, w }) => ({ id, parent, w })),
    edges: [...drawn.lines.map(({ src, dst, out }) => ({ src, dst, out })), ...inOrder(drawn)],
    direction
  };
}

// The parts of a cell stand one below the other, in the order in which they ran.
function inOrder({ cards, frames }: Drawn): LayoutTask['edges'] {
  const parts = new Map<number, Card[]>();
  for (const card of cards.filter(isMade)) {
    parts.set(card.segment, [...(parts.get(card.segment) ?? []), card]);
  }
  const framed = new Set(frames.map(frame => frame.id));
  const whole = (card: Card) => card.group !== null && framed.has(cardOfGroup(card.group));
  const order = [...parts.keys()].sort((a, b) => a - b);
  return order.slice(1).flatMap((segment, i) => {
    const before = parts.get(order[i]) as Card[];
    const own = parts.get(segment) as Card[];
    const last = before[before.length - 1].id;
    const first = own.every(whole) ? own.slice(0, 1) : own;
    return first.map(({ id }) => ({ src: last, dst: id, out: -1 }));
  });
}

/** The same, placed. */
export function placed(drawn: Drawn, layout: Layout, direction: LayoutTask['direction']): Drawn {
  const cards = drawn.cards.map((card, i) => {
    const [x, y] = layout.centres[i];
    return { ...card, x, y };
  });
  return {
    ...drawn,
    cards,
    byId: new Map(cards.map(card => [card.id, card])),
    lines: drawn.lines.map((line, i) => ({ ...line, points: layout.lines[i] })),
    frames: drawn.frames.map((frame, i) => ({ ...frame, ...layout.frames[i] })),
    width: layout.width,
    height: layout.height,
    direction,
    coarse: layout.coarse
  };
}
