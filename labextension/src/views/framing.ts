// Where the camera of a picture stands: at first, and after a group was opened or closed.
import { Camera } from './camera';
import type { Drawn } from './drawn';
import type { Shown } from './shown';
import { spine } from './spine';
import { around, boxOf } from './transition';
import { under } from './under';

type View = Pick<Camera, 'scale' | 'x' | 'y'>;
type Size = { width: number; height: number };

/** The button of the steps, at the left above, with some room around it. */
const OPENER = { x: 60, y: 20, w: 120, h: 40 };

/** Shows a picture whole or from its inputs on. */
export function firstView(drawn: Drawn, size: Size): Camera {
  const camera = new Camera();
  // Of several parts the first; what several inputs begin is between them.
  const cards = drawn.cards.filter(card => card.segment === 0);
  const ids = new Set(cards.map(card => card.id));
  const way = spine({ cards, lines: drawn.lines.filter(l => ids.has(l.src) && ids.has(l.dst)) });
  const start = way[1] ?? way[0];
  const place = start ? { x: start.x, y: way[0].y } : null;
  camera.fit(drawn.width, drawn.height, size, false, place);
  // What was half scrolled away stands below the button of the steps, while the start is seen.
  for (let hidden; (hidden = under(drawn, camera, OPENER)).length > 0;) {
    const y = OPENER.h - Math.min(...hidden.map(box => box.y - box.h / 2)) * camera.scale;
    if (y <= camera.y || (place && y + place.y * camera.scale > 0.8 * size.height)) {
      break;
    }
    camera.y = y;
  }
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

/** Room for the row of steps, which stands on the picture. */
const ROW = 64;

/** The view of a step: what it touched is seen, and what of that was there stays where it was. */
export function stepView(before: Shown | null, after: Shown, from: View, size: Size): Camera {
  const camera = Object.assign(new Camera(), { scale: from.scale, x: from.x, y: from.y });
  const cards = [...after.marks.keys()].flatMap(id => after.drawn.byId.get(id) ?? []);
  if (cards.length === 0) {
    return camera;
  }
  const known = cards.find(card => before?.drawn.byId.has(card.id));
  const was = known && before?.drawn.byId.get(known.id);
  if (known && was) {
    camera.pan((was.x - known.x) * camera.scale, (was.y - known.y) * camera.scale);
  }
  const first = cards.find(card => !after.step?.gone.has(card.id)) ?? cards[0];
  const all = around(cards.map(boxOf));
  const fits =
    all.w * camera.scale + 2 * ROW < size.width && all.h * camera.scale + 2 * ROW < size.height;
  camera.reveal(fits ? all : boxOf(first), size, Math.min(ROW, size.height / 5));
  return camera;
}
