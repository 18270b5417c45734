// Draws the edges: width by bytes, arrow heads, the shape that flows as a label.
import type { Line } from './drawn';
import { write } from './paint_text';
import { mix, type Theme } from './theme';
import type { Box } from './transition';

type Point = [number, number];
type Context = CanvasRenderingContext2D;

/** The ends of an edge, where they are now and where the layout put them. */
export interface Ends {
  src: Box;
  dst: Box;
  srcHome: Box;
  dstHome: Box;
}

/** 1.2 px for a scalar, about 6 for a gigabyte. */
export function edgeWidth(bytes: number): number {
  return Math.min(6, 1.2 + 0.52 * Math.log10(1 + Math.max(bytes, 0) / 16));
}

/** The points of an edge, moved along with its ends. */
export function route(line: Line, ends: Ends): Point[] {
  const { src, dst, srcHome, dstHome } = ends;
  const last = line.points.length - 1;
  if (src === srcHome && dst === dstHome) {
    return line.points;
  }
  return line.points.map(([x, y], i): Point => {
    const s = i / last;
    return [
      x + (1 - s) * (src.x - srcHome.x) + s * (dst.x - dstHome.x),
      y + (1 - s) * (src.y - srcHome.y) + s * (dst.y - dstHome.y)
    ];
  });
}

export function paintEdge(
  context: Context,
  edge: Line,
  points: Point[],
  look: {
    theme: Theme;
    alpha: number;
    lit: boolean;
    /** a rewrite has made it; its reader has been taken away */
    fresh: boolean;
    gone: boolean;
    scale: number;
    down: boolean;
  }
): void {
  const { theme, fresh, gone, scale } = look;
  const lit = look.lit || fresh;
  const order = edge.kind === 'order';
  const width = Math.max(order ? 1.6 : edgeWidth(edge.bytes), 0.8 / scale);
  const color = fresh
    ? theme.change
    : lit
      ? theme.accent
      : mix(theme.background, theme.muted, theme.strong ? 1 : 0.55);
  context.save();
  context.globalAlpha *= look.alpha;
  context.strokeStyle = color;
  context.fillStyle = color;
  context.lineWidth = lit ? width + 0.6 : width;
  context.lineCap = 'round';
  context.setLineDash(order ? [4, 5] : gone ? [2, 5] : []);
  const head = 5 + width;
  const tip = points[points.length - 1];
  const toward = approach(points, look.down);
  const stop: Point = [tip[0] - toward[0] * head * 0.8, tip[1] - toward[1] * head * 0.8];
  trace(context, [...points.slice(0, -1), stop], look.down);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(tip[0], tip[1]);
  const side = head * 0.5;
  context.lineTo(
    tip[0] - toward[0] * head - toward[1] * side,
    tip[1] - toward[1] * head + toward[0] * side
  );
  context.lineTo(
    tip[0] - toward[0] * head + toward[1] * side,
    tip[1] - toward[1] * head - toward[0] * side
  );
  context.closePath();
  context.fill();
  context.restore();
}

/** Writes what flows beside its line, unless it would stand in one of the `taken` boxes. */
export function paintEdgeLabel(
  context: Context,
  text: string,
  points: Point[],
  theme: Theme,
  taken: Box[]
): void {
  const [[x0, y0], [x1, y1]] = labelled(points);
  const [x, level, slant] = [(x0 + x1) / 2, (y0 + y1) / 2, x1 - x0];
  // Beside a straight edge; above or below one that crosses over, where the curve leaves room.
  const y = Math.abs(slant) < 20 ? level : slant > 0 ? level - 9 : level + 9;
  const font = `11px ${theme.uiFont}`;
  context.font = font;
  const w = context.measureText(text).width;
  const box = { x: x + 7 + w / 2, y, w: w + 6, h: 13 };
  if (taken.some(b => overlap(b, box))) {
    return;
  }
  taken.push(box);
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = theme.background;
  write(context, text, x + 7, y, font, theme.muted);
  context.strokeText(text, x + 7, y);
  context.fillText(text, x + 7, y);
}

export function overlap(a: Box, b: Box): boolean {
  return Math.abs(a.x - b.x) < (a.w + b.w) / 2 && Math.abs(a.y - b.y) < (a.h + b.h) / 2;
}

// Straight along the layers' direction, else a curve that leaves and arrives in that direction.
function trace(context: Context, points: Point[], down: boolean): void {
  context.beginPath();
  context.moveTo(points[0][0], points[0][1]);
  for (let i = 1; i < points.length; i++) {
    const [x0, y0] = points[i - 1];
    const [x1, y1] = points[i];
    if (Math.abs(down ? x1 - x0 : y1 - y0) < 1) {
      context.lineTo(x1, y1);
    } else if (down) {
      const middle = (y0 + y1) / 2;
      context.bezierCurveTo(x0, middle, x1, middle, x1, y1);
    } else {
      const middle = (x0 + x1) / 2;
      context.bezierCurveTo(middle, y0, middle, y1, x1, y1);
    }
  }
}

// The direction in which an edge reaches its end.
function approach(points: Point[], down: boolean): Point {
  const [x1, y1] = points[points.length - 1];
  const [x0, y0] = points[points.length - 2];
  return down ? [0, y1 < y0 ? -1 : 1] : [x1 < x0 ? -1 : 1, 0];
}

// The first piece with room for a label: near the card whose value it names.
function labelled(points: Point[]): [Point, Point] {
  for (let i = 1; i < points.length; i++) {
    if (Math.hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]) > 20) {
      return [points[i - 1], points[i]];
    }
  }
  return [points[0], points[points.length - 1]];
}
