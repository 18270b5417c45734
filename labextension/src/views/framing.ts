// Where the camera of a picture stands: at first, and after a group was opened or closed.
import { Camera } from './camera';
import type { Drawn } from './drawn';
import type { Shown } from './shown';
import { spine } from './spine';

type View = Pick<Camera, 'scale' | 'x' | 'y'>;

/** Shows a picture whole or from its inputs on. */
export function firstView(drawn: Drawn, size: { width: number; height: number }): Camera {
  const camera = new Camera();
  // Of several parts the first; what several inputs begin is between them.
  const cards = drawn.cards.filter(card => card.segment === 0);
  const ids = new Set(cards.map(card => card.id));
  const way = spine({ cards, lines: drawn.lines.filter(l => ids.has(l.src) && ids.has(l.dst)) });
  const start = way[1] ?? way[0];
  const place = start ? { x: start.x, y: way[0].y } : null;
  camera.fit(drawn.width, drawn.height, size, false, place);
  return camera;
}

/** The view in which a group that was opened or closed stays where it is; null: it is in neither. */
export function held(group: number, before: Shown, after: Shown, { scale, x, y }: View) {
  const [from, to] = [before.place(group), after.place(group)];
  if (!from || !to) {
    return null;
  }
  const down = from.y - from.h / 2 - (to.y - to.h / 2);
  return { scale, x: x + (from.x - to.x) * scale, y: y + down * scale };
}
