// Draws a device's queue and memory over time: steps, their parts on each other.
import type { Window } from './aggregate';
import { bytes } from './format';
import { fitText, strokeLine, write } from './paint_text';
import { mix, type Theme } from './theme';
import { LABEL_WIDTH, type TrackRow } from './timeline_rows';

type Context = CanvasRenderingContext2D;

/** A line that the counter does not pass, or not for long. */
export interface Bound {
  value: number;
  label: string;
}

export interface TrackLook {
  theme: Theme;
  /** nothing is known of what comes later */
  now: number;
  bound: Bound | null;
}

/** Of the parts of a queue (`QUEUE_PARTS`), and of memory. */
export function partColors(theme: Theme): { queue: string[]; memory: string[] } {
  const tone = (color: string, share: number) => mix(theme.background, color, share);
  return {
    queue: [theme.accent, tone('#e69f00', 0.8), tone(theme.muted, 0.45)],
    memory: [tone('#009e73', 0.6)]
  };
}

export function paintTrack(context: Context, row: TrackRow, window: Window, look: TrackLook): void {
  const { theme, now } = look;
  const { kind, counters, top, height } = row;
  const track = counters[kind];
  const colors = partColors(theme)[kind];
  const end = Math.min(window.end, now);
  const width = ((end - window.start) / (window.end - window.start)) * window.width;
  context.fillStyle = mix(theme.background, theme.text, 0.035);
  context.fillRect(LABEL_WIDTH, top + 3, window.width, height - 6);
  const columns = width > 0 ? track.columns({ ...window, end, width }) : new Float64Array(0);
  const highest = highestOf(columns, track.parts);
  const bound = look.bound && look.bound.value <= 2 * highest ? look.bound : null;
  const scale = (height - 10) / Math.max(1, highest, bound?.value ?? 0);
  const bottom = top + height - 4;
  paintSteps(context, columns, colors, bottom, scale, width);
  if (bound) {
    paintBound(context, bound, bottom - bound.value * scale, window.width, theme);
  }
  if (highest > 0) {
    const text = kind === 'memory' ? bytes(highest) : highest.toLocaleString('en');
    paintScale(context, text, top + 11, theme);
  }
}

function highestOf(columns: Float64Array, parts: number): number {
  let highest = 0;
  for (let i = 0; i < columns.length; i += parts) {
    let total = 0;
    for (let part = 0; part < parts; part++) {
      total += columns[i + part];
    }
    highest = total > highest ? total : highest; // NaN is not
  }
  return highest;
}

// One rectangle for pixels that are alike.
function paintSteps(
  context: Context,
  columns: Float64Array,
  colors: readonly string[],
  bottom: number,
  scale: number,
  width: number
): void {
  const parts = colors.length;
  const count = columns.length / parts;
  const isLike = (a: number, b: number) =>
    colors.every((_, part) => columns[a * parts + part] === columns[b * parts + part]);
  for (let x = 0, next = 1; x < count; x = next, next += 1) {
    while (next < count && isLike(x, next)) {
      next += 1;
    }
    let y = bottom;
    for (let part = 0; part < parts; part++) {
      const tall = columns[x * parts + part] * scale;
      if (tall > 0) {
        const shown = Math.max(tall, 1);
        context.fillStyle = colors[part];
        context.fillRect(LABEL_WIDTH + x, y - shown, Math.min(next, width) - x, shown);
        y -= tall;
      }
    }
  }
}

function paintBound(
  context: Context,
  { label }: Bound,
  y: number,
  width: number,
  theme: Theme
): void {
  context.strokeStyle = theme.muted;
  context.lineWidth = 1;
  context.setLineDash([5, 3]);
  const line = Math.round(y) + 0.5;
  strokeLine(context, LABEL_WIDTH, line, LABEL_WIDTH + width, line);
  context.setLineDash([]);
  const font = (context.font = `11px ${theme.uiFont}`);
  const length = context.measureText(label).width;
  if (length + 90 < width) {
    const right = LABEL_WIDTH + width - 4;
    context.fillStyle = theme.background;
    context.fillRect(right - length - 4, line - 7, length + 8, 14);
    write(context, label, right, line + 0.5, font, theme.muted, 'right');
  }
}

/** What the highest step in sight is. */
function paintScale(context: Context, text: string, y: number, theme: Theme): void {
  const font = (context.font = `11px ${theme.uiFont}`);
  const fitted = fitText(context, text, 100);
  const length = context.measureText(fitted).width;
  context.fillStyle = theme.background;
  context.fillRect(LABEL_WIDTH + 2, y - 7, length + 6, 14);
  write(context, fitted, LABEL_WIDTH + 5, y + 0.5, font, theme.muted);
}
