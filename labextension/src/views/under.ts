// What of a picture is under something that stands on it.
import type { Camera } from './camera';
import type { Drawn } from './drawn';
import { overlap } from './paint_edge';
import { TITLE } from './paint_graph';
import type { Box } from './transition';

/** Of a title, in layout pixels; few are longer. */
const LONG = 160;

/** Cards and titles of frames; `place`: its middle and size, in pixels of the canvas. */
export function under(
  { cards, frames }: Pick<Drawn, 'cards' | 'frames'>,
  { scale, x, y }: Pick<Camera, 'scale' | 'x' | 'y'>,
  place: Box
): Box[] {
  const at = {
    x: (place.x - x) / scale,
    y: (place.y - y) / scale,
    w: place.w / scale,
    h: place.h / scale
  };
  const titles = frames.map(f => {
    const w = Math.min(f.w, LONG);
    return { x: f.x - (f.w - w) / 2, y: f.y - (f.h - TITLE) / 2, w, h: TITLE };
  });
  return [...cards, ...titles].filter(box => overlap(box, at));
}
