// The spine of a picture: its longest way from an input to an output, along which it is read.

interface Graph<Card> {
  cards: Card[];
  lines: { src: number; dst: number }[];
}

/** The cards of the longest way, in order; of several as long, that of the first cards. */
export function spine<Card extends { id: number }>({ cards, lines }: Graph<Card>): Card[] {
  const byId = new Map(cards.map(card => [card.id, card]));
  const children = new Map<number, number[]>();
  const waitsFor = new Map<number, number>();
  for (const { src, dst } of lines) {
    const known = children.get(src);
    if (known) {
      known.push(dst);
    } else {
      children.set(src, [dst]);
    }
    waitsFor.set(dst, (waitsFor.get(dst) ?? 0) + 1);
  }
  const depth = new Map<number, number>();
  const before = new Map<number, number>();
  const ready = cards.filter(card => !waitsFor.has(card.id)).map(card => card.id);
  let deepest: number | null = null;
  for (let i = 0; i < ready.length; i++) {
    const id = ready[i];
    const here = depth.get(id) ?? 0;
    if (deepest === null || here > (depth.get(deepest) ?? 0)) {
      deepest = id;
    }
    for (const child of children.get(id) ?? []) {
      if (here + 1 > (depth.get(child) ?? 0)) {
        depth.set(child, here + 1);
        before.set(child, id);
      }
      const left = (waitsFor.get(child) ?? 1) - 1;
      waitsFor.set(child, left);
      if (left === 0) {
        ready.push(child);
      }
    }
  }
  const way: Card[] = [];
  for (let id = deepest; id !== null; id = before.get(id) ?? null) {
    way.push(byId.get(id) as Card);
  }
  return way.reverse();
}
