// Pan and zoom: maps layout pixels to pixels of the canvas.
import type { Box } from './transition';

const MIN_SCALE = 0.02;
const MAX_SCALE = 4;
const READING_SCALE = 0.8;
const MARGIN = 24;

type View = { width: number; height: number };

export class Camera {
  scale = 1;
  x = 0;
  y = 0;

  /** Shows a graph of width x height: whole if it stays readable or `always`, else its top. */
  fit(width: number, height: number, view: View, always = false): void {
    const across = (view.width - 2 * MARGIN) / Math.max(width, 1);
    const down = (view.height - 2 * MARGIN) / Math.max(height, 1);
    const whole = always || Math.min(across, down) >= READING_SCALE;
    const scale = whole ? Math.min(across, down) : Math.max(READING_SCALE, across);
    this.scale = Math.min(1, Math.max(MIN_SCALE, scale));
    this.x = (view.width - width * this.scale) / 2;
    this.y = whole ? (view.height - height * this.scale) / 2 : MARGIN;
  }

  zoom(factor: number, px: number, py: number): void {
    const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.scale * factor));
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
