// Pan and zoom: maps layout pixels to pixels of the canvas.
import type { Box } from './transition';

const MIN_SCALE = 0.02;
const MAX_SCALE = 4;
const READING_SCALE = 0.8;
const MARGIN = 24;

type View = { width: number; height: number };
type Place = { x: number; y: number };

export class Camera {
  scale = 1;
  x = 0;
  y = 0;
  /** the smallest scale: that of the whole graph, however tall */
  private least = MIN_SCALE;

  /** Shows a graph of width x height: whole if it stays readable or `always`, else its beginning
   * at reading size, the start of its spine in the middle. */
  fit(width: number, height: number, view: View, always = false, start: Place | null = null): void {
    const across = (view.width - 2 * MARGIN) / Math.max(width, 1);
    const down = (view.height - 2 * MARGIN) / Math.max(height, 1);
    const fitting = Math.min(across, down);
    this.least = Math.max(Math.min(MIN_SCALE, fitting), Number.MIN_VALUE);
    const whole = always || fitting >= READING_SCALE;
    this.scale = Math.min(
      1,
      Math.max(this.least, whole ? fitting : Math.max(READING_SCALE, across))
    );
    this.x = (view.width - width * this.scale) / 2;
    this.y = whole ? (view.height - height * this.scale) / 2 : MARGIN;
    if (!whole && start) {
      const centred = view.width / 2 - start.x * this.scale;
      // No void beside the graph where it is wider than the view.
      const least = view.width - MARGIN - width * this.scale;
      this.x = least < MARGIN ? Math.min(MARGIN, Math.max(least, centred)) : this.x;
      this.y = Math.min(MARGIN, view.height / 3 - start.y * this.scale);
    }
  }

  zoom(factor: number, px: number, py: number): void {
    const scale = Math.min(MAX_SCALE, Math.max(this.least, this.scale * factor));
    this.x = px - ((px - this.x) * scale) / this.scale;
    this.y = py - ((py - this.y) * scale) / this.scale;
    this.scale = scale;
  }

  pan(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
  }

  /** Moves as little as needed to bring a box into view; tells whether it moved. */
  reveal(box: Box, view: View, margin = 32): boolean {
    const x = this.x + box.x * this.scale;
    const y = this.y + box.y * this.scale;
    const w = (box.w * this.scale) / 2 + margin;
    const h = (box.h * this.scale) / 2 + margin;
    const dx = x < w ? w - x : x > view.width - w ? view.width - w - x : 0;
    const dy = y < h ? h - y : y > view.height - h ? view.height - h - y : 0;
    this.pan(dx, dy);
    return dx !== 0 || dy !== 0;
  }

  /** Layout position of a point of the canvas. */
  locate(px: number, py: number): { x: number; y: number } {
    return { x: (px - this.x) / this.scale, y: (py - this.y) / this.scale };
  }

  sees(box: Box, view: View): boolean {
    const x = this.x + box.x * this.scale;
    const y = this.y + box.y * this.scale;
    const w = (box.w * this.scale) / 2;
    const h = (box.h * this.scale) / 2;
    return x + w > -8 && x - w < view.width + 8 && y + h > -8 && y - h < view.height + 8;
  }
}
