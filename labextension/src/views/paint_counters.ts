// Draws a device's queue and memory over time: steps, their parts on each other.
import type { Window } from './aggregate';
import { bytes } from './format';
import { fitText, strokeLine, write } from './paint_text';
import { mix, type Theme } from './theme';
import type { CounterTrack } from './counter_track';
import { LABEL_WIDTH, type HeldRow, type Placed, type TrackRow } from './timeline_rows';

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
  /** how much the track is high at least */
  least?: number;
}

/** What modelled memory is used for, in the order in which the kernel tells it: as in a saved one. */
export const HELD_COLORS = [
  ...(['#009e73', '#cc79a7', '#f0e442', '#56b4e9', '#e69f00', '#9aa0ab'] as const)
];

/** Of the parts of a queue (`QUEUE_PARTS`), of memory, and of what it is used for. */
export function partColors(theme: Theme): { queue: string[]; memory: string[]; held: string[] } {
  const tone = (color: string, share: number) => mix(theme.background, color, share);
  return {
    queue: [theme.accent, tone('#e69f00', 0.8), tone(theme.muted, 0.45)],
    memory: [tone('#009e73', 0.6)],
    held: HELD_COLORS.map(color => tone(color, 0.75))
  };
}

export function paintTrack(context: Context, row: TrackRow, window: Window, look: TrackLook): void {
  const told = row.kind === 'memory' ? bytes : (count: number) => count.toLocaleString('en');
  const colors = partColors(look.theme)[row.kind];
  paintParts(context, row, { track: row.counters[row.kind], colors, told }, window, look);
}

export function paintHeld(context: Context, row: HeldRow, window: Window, look: TrackLook): void {
  const { track } = row.memory;
  paintParts(
    context,
    row,
    { track, colors: partColors(look.theme).held, told: bytes },
    window,
    look
  );
}

interface Parts {
  track: CounterTrack;
  colors: readonly string[];
  /** how high the highest is, in words */
  told: (highest: number) => string;
}

function paintParts(
  context: Context,
  { top, height }: Placed,
  { track, colors, told }: Parts,
  window: Window,
  look: TrackLook
): void {
  const { theme, now } = look;
  const end = Math.min(window.end, now);
  const width = ((end - window.start) / (window.end - window.start)) * window.width;
  context.fillStyle = mix(theme.background, theme.text, 0.035);
  context.fillRect(LABEL_WIDTH, top + 3, window.width, height - 6);
  const columns = width > 0 ? track.columns({ ...window, end, width }) : new Float64Array(0);
  const highest = highestOf(columns, track.parts);
  const bound = look.bound && look.bound.value <= 2 * highest ? look.bound : null;
  const scale = (height - 10) / Math.max(1, highest, look.least ?? 0, bound?.value ?? 0);
  const bottom = top + height - 4;
  paintSteps(context, columns, colors, bottom, scale, width);
  if (bound) {
    paintBound(context, bound, bottom - bound.value * scale, window.width, theme);
  }
  if (highest > 0) {
    paintScale(context, told(highest), top + 11, theme);
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
