// What lies under a point of a picture, without a look at every card.
import { groupOfCard } from './group_tree';
import type { Drawn } from './drawn';
import { TITLE } from './paint_graph';

export interface Hit {
  card: number;
  /** the group that a click there opens or closes; null: none */
  toggles: number | null;
}

/** The width of the handle, at the left of a card that opens something. */
const HANDLE = 30;

export class HitIndex {
  private readonly cards: Drawn['cards'];
  private readonly tallest: number;

  constructor(private readonly drawn: Drawn) {
    this.cards = [...drawn.cards].sort((a, b) => a.y - b.y);
    this.tallest = drawn.cards.reduce((most, card) => Math.max(most, card.h), 0);
  }

  /** What is at a point in layout pixels; null: nothing. */
  at(x: number, y: number): Hit | null {
    for (let i = this.first(y - this.tallest / 2); i < this.cards.length; i++) {
      const card = this.cards[i];
      if (card.y - this.tallest / 2 > y) {
        break;
      }
      if (Math.abs(x - card.x) <= card.w / 2 && Math.abs(y - card.y) <= card.h / 2) {
        return { card: card.id, toggles: x - card.x + card.w / 2 < HANDLE ? card.opens : null };
      }
    }
    // Of frames in one another the innermost is the last.
    const [title] = this.drawn.frames
      .filter(
        f => Math.abs(x - f.x) <= f.w / 2 && Math.abs(y - (f.y - f.h / 2 + TITLE / 2)) <= TITLE / 2
      )
      .slice(-1);
    return title ? { card: title.id, toggles: groupOfCard(title.id) } : null;
  }

  // The first card whose centre is not above y.
  private first(y: number): number {
    let [low, high] = [0, this.cards.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.cards[middle].y < y) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
