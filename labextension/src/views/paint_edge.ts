// Draws the edges: width by bytes, arrow heads, the shape that flows as a label.
import type { Edge } from '../spec';
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

/** The points of an edge, moved along with its ends and cut at their borders. */
export function route(edge: Edge, ends: Ends): Point[] {
  const { src, dst, srcHome, dstHome } = ends;
  const raw: Point[] =
    edge.points.length >= 2
      ? edge.points
      : [
          [srcHome.x, srcHome.y + srcHome.h / 2],
          [dstHome.x, dstHome.y - dstHome.h / 2]
        ];
  const last = raw.length - 1;
  const moved = raw.map(([x, y], i): Point => {
    const s = i / last;
    return [
      x + (1 - s) * (src.x - srcHome.x) + s * (dst.x - dstHome.x),
      y + (1 - s) * (src.y - srcHome.y) + s * (dst.y - dstHome.y)
    ];
  });
  moved[0] = clip(moved[0], moved[1], src);
  moved[last] = clip(moved[last], moved[last - 1], dst);
  return moved;
}

export function paintEdge(
  context: Context,
  edge: Edge,
  points: Point[],
  look: { theme: Theme; alpha: number; lit: boolean; scale: number }
): void {
  const { theme, lit, scale } = look;
  const order = edge.kind === 'order';
  const width = Math.max(order ? 1.6 : edgeWidth(edge.bytes), 0.8 / scale);
  const color = lit ? theme.accent : mix(theme.background, theme.muted, 0.55);
  context.save();
  context.globalAlpha *= look.alpha;
  context.strokeStyle = color;
  context.fillStyle = color;
  context.lineWidth = lit ? width + 0.6 : width;
  context.lineCap = 'round';
  context.setLineDash(order ? [4, 5] : []);
  const head = 5 + width;
  const tip = points[points.length - 1];
  const toward = approach(points);
  const stop: Point = [tip[0] - toward[0] * head * 0.8, tip[1] - toward[1] * head * 0.8];
  trace(context, [...points.slice(0, -1), stop]);
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

export function paintEdgeLabel(
  context: Context,
  text: string,
  points: Point[],
  theme: Theme
): void {
  const [x, level] = middle(points);
  const slant = points[points.length - 1][0] - points[0][0];
  // Beside a straight edge; above or below one that crosses over, where the curve leaves room.
  const y = Math.abs(slant) < 20 ? level : slant > 0 ? level - 9 : level + 9;
  const font = `10.5px ${theme.uiFont}`;
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = theme.background;
  write(context, text, x + 7, y, font, theme.muted);
  context.strokeText(text, x + 7, y);
  context.fillText(text, x + 7, y);
}

function trace(context: Context, points: Point[]): void {
  context.beginPath();
  context.moveTo(points[0][0], points[0][1]);
  if (points.length === 2) {
    const [[x1, y1], [x2, y2]] = points;
    const bend = (y2 - y1) * 0.5;
    if (Math.abs(x2 - x1) < 2 || bend <= 0) {
      context.lineTo(x2, y2);
    } else {
      context.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
    }
    return;
  }
  for (let i = 1; i < points.length - 1; i++) {
    const [x, y] = points[i];
    const next = points[i + 1];
    const end = i === points.length - 2 ? next : [(x + next[0]) / 2, (y + next[1]) / 2];
    context.quadraticCurveTo(x, y, end[0], end[1]);
  }
}

/** The direction in which an edge reaches its end. */
function approach(points: Point[]): Point {
  const tip = points[points.length - 1];
  const before = points[points.length - 2];
  if (points.length === 2 && tip[1] - before[1] > 2) {
    // A bezier with vertical tangents arrives from above, whatever its start.
    return Math.abs(tip[0] - before[0]) < 2 ? unit(tip, before) : [0, 1];
  }
  return unit(tip, before);
}

function unit(to: Point, from: Point): Point {
  const dx = to[0] - from[0];
  const dy = to[1] - from[1];
  const length = Math.hypot(dx, dy) || 1;
  return [dx / length, dy / length];
}

function middle(points: Point[]): Point {
  if (points.length === 2) {
    return [(points[0][0] + points[1][0]) / 2, (points[0][1] + points[1][1]) / 2];
  }
  const at = (points.length - 1) / 2;
  const a = points[Math.floor(at)];
  const b = points[Math.ceil(at)];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

/** Where the way from `outside` to `end` enters the box, if `end` lies in it. */
function clip(end: Point, outside: Point, box: Box): Point {
  const dx = outside[0] - box.x;
  const dy = outside[1] - box.y;
  const inside =
    Math.abs(end[0] - box.x) <= box.w / 2 + 0.5 && Math.abs(end[1] - box.y) <= box.h / 2 - 0.5;
  if (!inside || (dx === 0 && dy === 0)) {
    return end;
  }
  const ex = outside[0] - end[0];
  const ey = outside[1] - end[1];
  const tx = ex === 0 ? Infinity : ((Math.sign(ex) * box.w) / 2 - (end[0] - box.x)) / ex;
  const ty = ey === 0 ? Infinity : ((Math.sign(ey) * box.h) / 2 - (end[1] - box.y)) / ey;
  const t = Math.min(1, Math.max(0, Math.min(tx, ty)));
  return [end[0] + ex * t, end[1] + ey * t];
}
