// Draws the timeline: the time axis, a row of bars for each lane, and the tracks of devices.
import { FLAG } from '../frame_records';
import { barsOf, type Bar, type Window } from './aggregate';
import type { Family } from '../spec';
import { FAMILY } from './palette';
import { fitText, strokeLine, write } from './paint_text';
import type { Lane } from '../frames';
import type { SpanStore } from './span_store';
import { mix, type Theme } from './theme';
import { total } from './device_memory';
import { bytes } from './format';
import { counterTitle, counterUnder } from './counter_words';
import { paintHeld, paintTrack, type Bound } from './paint_counters';
import { paintTitle } from './paint_title';
import { ModelledStore } from './modelled_store';
import { shortNames } from './modelled_words';
import {
  AXIS_HEIGHT,
  LABEL_WIDTH,
  LANE_HEIGHT,
  rowsOf,
  type HeldRow,
  type LaneRow,
  type TrackRow
} from './timeline_rows';

type Context = CanvasRenderingContext2D;

export interface TimelineLook {
  theme: Theme;
  width: number;
  height: number;
  /** the kernel's time now: running spans reach to it */
  now: number;
  hatch: CanvasPattern | null;
  /** lines over the tracks of devices */
  bound: (row: TrackRow) => Bound | null;
}

/** As in the graph; of a kernel that does not tell: of no family in particular. */
export function familyColor(family: string | undefined): string {
  return (FAMILY[family as Family] ?? FAMILY.other).color;
}

export function paintTimeline(
  context: Context,
  store: SpanStore,
  window: Window,
  look: TimelineLook
): void {
  const { theme, width, height } = look;
  context.clearRect(0, 0, width, height);
  paintAxis(context, window, look, store.isModelled);
  for (const row of rowsOf(store)) {
    if (row.kind === 'lane') {
      paintLane(context, store, row, window, look);
    } else if (row.kind === 'title') {
      if (store instanceof ModelledStore) {
        paintTitle(context, store, row, window.width, theme);
      }
    } else if (row.kind === 'held') {
      heldLabel(context, row, theme);
      const bound = heldBound(store, row);
      paintHeld(context, row, window, { theme, now: look.now, bound, least: mostHeld(store) });
    } else {
      label(context, counterTitle(row), counterUnder(row), row.top + row.height / 2 - 7, theme);
      paintTrack(context, row, window, { theme, now: look.now, bound: look.bound(row) });
    }
  }
}

function paintAxis(context: Context, window: Window, look: TimelineLook, modelled: boolean): void {
  const { theme, height } = look;
  const length = window.end - window.start;
  const raw = (length * 80) / Math.max(window.width, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= raw) ?? raw;
  const font = `11px ${theme.uiFont}`;
  if (modelled) {
    write(context, 'modelled', 4, AXIS_HEIGHT / 2, font, theme.muted);
  }
  for (let t = Math.max(0, Math.ceil(window.start / step) * step); t <= window.end; t += step) {
    const x = LABEL_WIDTH + ((t - window.start) / length) * window.width;
    context.strokeStyle = mix(theme.background, theme.line, 0.55);
    context.lineWidth = 1;
    const tick = Math.round(x) + 0.5;
    strokeLine(context, tick, AXIS_HEIGHT - 4, tick, height);
    if (x > LABEL_WIDTH + 18 && x < LABEL_WIDTH + window.width - 18) {
      write(context, axisWords(t, step, modelled), x, AXIS_HEIGHT / 2, font, theme.muted, 'center');
    }
  }
}

// Modelled time is short: a thousandth of it is not worth the zeros of seconds.
function axisWords(time: number, step: number, modelled: boolean): string {
  const [unit, name] = modelled && step < 100 ? [1, 'ms'] : [1e3, 's'];
  const digits = modelled ? -Math.log10(step / unit) : 3 - Math.log10(step);
  const decimals = Math.min(6, Math.max(0, Math.ceil(digits - 1e-9)));
  return `${(time / unit).toFixed(decimals)} ${name}`;
}

function paintLane(
  context: Context,
  store: SpanStore,
  row: LaneRow,
  window: Window,
  look: TimelineLook
): void {
  const { theme } = look;
  const { ring, top, height } = row;
  const middle = top + height / 2;
  const air = airOf(row);
  context.fillStyle = mix(theme.background, theme.text, 0.035);
  context.fillRect(LABEL_WIDTH, top + air, window.width, height - 2 * air);
  laneLabel(context, store, row, theme);
  context.save();
  context.beginPath();
  context.rect(LABEL_WIDTH, top, window.width, height);
  context.clip();
  paintGaps(context, row, window, look);
  const full = height - 2 * air - (air > 1 ? 4 : 0);
  for (const bar of barsOf(ring, window, look.now)) {
    paintBar(context, bar, { ...barColor(store, ring.lane, bar, theme), middle, full }, look);
  }
  context.restore();
}

function airOf({ height }: LaneRow): number {
  return height < LANE_HEIGHT ? 1 : 3;
}

function laneLabel(context: Context, store: SpanStore, row: LaneRow, theme: Theme): void {
  const { lane } = row.ring;
  const middle = row.top + row.height / 2;
  if (!(store instanceof ModelledStore)) {
    const kind = lane.virtual ? 'virtual' : lane.kind;
    label(context, lane.name || lane.device, kind, middle - (kind ? 7 : 0), theme);
    return;
  }
  let room = LABEL_WIDTH - 12;
  if (store.lagging.has(lane.id)) {
    const bold = (context.font = `600 11px ${theme.uiFont}`);
    write(context, 'lagging', LABEL_WIDTH - 6, middle + 1, bold, theme.change, 'right');
    room -= context.measureText('lagging').width + 4;
  }
  const isHost = lane.kind === 'host'; // it stands for itself, as a device's title does
  const font = (context.font = `${isHost ? '600 11.5px' : '11px'} ${theme.uiFont}`);
  const names = shortNames(lane);
  const name =
    names.find(text => context.measureText(text).width <= room) ?? names[names.length - 1];
  write(context, fitText(context, name, room), isHost ? 4 : 8, middle + 1, font, theme.text);
}

/** Of whom a bar tells, and its colour: by the operator's family, but the host and links have theirs. */
function barColor(
  store: SpanStore,
  { kind }: Lane,
  bar: Bar,
  theme: Theme
): { name: string; color: string } {
  const name = bar.name > 0 ? (store.names.get(bar.name) ?? `operator ${bar.name}`) : '';
  if (store.isModelled && kind !== 'compute') {
    // What the host pushes at last is not what it does.
    return kind === 'host'
      ? { name: '', color: theme.muted }
      : { name, color: familyColor('copy') };
  }
  return { name, color: name === '' ? theme.muted : familyColor(store.families.get(bar.name)) };
}

/** Where operators ran that nobody saw: never blank, as if the device had been idle. */
function paintGaps(context: Context, row: LaneRow, window: Window, look: TimelineLook): void {
  const { theme } = look;
  const { ring, top, height } = row;
  const air = airOf(row);
  const scale = window.width / (window.end - window.start);
  for (const gap of ring.gaps) {
    if (gap.end_ms < window.start || gap.start_ms > window.end) {
      continue;
    }
    const x = LABEL_WIDTH + Math.max(0, (gap.start_ms - window.start) * scale);
    const right = LABEL_WIDTH + Math.min(window.width, (gap.end_ms - window.start) * scale);
    const w = Math.max(right - x, 2);
    context.fillStyle = look.hatch ?? mix(theme.background, theme.text, 0.2);
    context.fillRect(x, top + air, w, height - 2 * air);
    const words = 'not recorded';
    const font = (context.font = `600 11px ${theme.uiFont}`);
    const length = context.measureText(words).width;
    if (w > length + 12) {
      context.fillStyle = theme.background;
      context.fillRect(x + (w - length) / 2 - 4, top + height / 2 - 8, length + 8, 16);
      write(context, words, x + w / 2, top + height / 2 + 1, font, theme.text, 'center');
    }
  }
}

interface BarLook {
  name: string;
  color: string;
  middle: number;
  /** the height of a bar that is not thin */
  full: number;
}

function paintBar(
  context: Context,
  bar: Bar,
  { name, color, middle, full }: BarLook,
  look: TimelineLook
): void {
  const { theme } = look;
  const thin = Boolean(bar.flags & (FLAG.inline | FLAG.coalesced));
  const x = LABEL_WIDTH + bar.x;
  if (!bar.alone && !(bar.flags & FLAG.wait)) {
    // Many spans together: the bar's height is the share of the time in which they worked.
    const height = Math.max(3, (thin ? full * 0.45 : full) * bar.share);
    if (bar.flags & FLAG.artificial) {
      paintHold(context, x, middle - full / 2, Math.max(bar.w, 1), full, look);
    }
    context.fillStyle = mix(theme.background, color, 0.75);
    context.fillRect(x, middle - height / 2, Math.max(bar.w, 1), height);
    return;
  }
  const height = thin ? full * 0.45 : full;
  const top = middle - height / 2;
  const w = Math.max(bar.w - (bar.w > 3 ? 0.7 : 0), 1);
  if (bar.flags & FLAG.wait) {
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.strokeRect(x + 0.5, top + 0.5, Math.max(w - 1, 1), height - 1);
    context.setLineDash([]);
  } else {
    const held = Math.max(0, Math.min(bar.held, w - 1)); // its work is never too thin to be seen
    context.fillStyle = mix(theme.background, color, theme.dark ? 0.62 : 0.5);
    context.fillRect(x + held, top, w - held, height);
    context.fillStyle = color;
    context.fillRect(x, top, w, 2);
    if (held > 0) {
      paintHold(context, x, top + 2, held, height - 2, look);
    }
  }
  if (bar.flags & FLAG.error) {
    context.strokeStyle = theme.text;
    context.lineWidth = 2;
    context.strokeRect(x + 1, top + 1, Math.max(w - 2, 1), height - 2);
    context.fillStyle = theme.text;
  }
  if (bar.flags & FLAG.running) {
    context.fillStyle = theme.accent;
    context.fillRect(x + w - 2, top - 2, 2, height + 4);
  }
  if (w > 26 && !thin && bar.alone) {
    const prefix = bar.flags & FLAG.error ? '✕ ' : '';
    const words =
      bar.flags & FLAG.wait ? (name ? `waits for ${name}` : 'waits') : `${prefix}${name}`;
    const font = (context.font = `600 11px ${theme.uiFont}`);
    const start = Math.max(x, LABEL_WIDTH);
    const text = fitText(context, words, w - (start - x) - 8);
    if (bar.held > 0 && text) {
      context.fillStyle = theme.background;
      context.fillRect(start + 2, middle - 7, context.measureText(text).width + 4, 15);
    }
    write(context, text, start + 4, middle + 1, font, theme.text);
  }
}

/** Time that is no work. */
function paintHold(
  context: Context,
  x: number,
  top: number,
  width: number,
  height: number,
  { hatch, theme }: TimelineLook
): void {
  context.fillStyle = hatch ?? mix(theme.background, theme.text, 0.2);
  context.fillRect(x, top, width, height);
}

function label(context: Context, title: string, under: string, y: number, theme: Theme): void {
  const bold = (context.font = `600 11.5px ${theme.uiFont}`);
  write(context, fitText(context, title, LABEL_WIDTH - 12), 4, y, bold, theme.text);
  const plain = (context.font = `11px ${theme.uiFont}`);
  write(context, fitText(context, under, LABEL_WIDTH - 12), 4, y + 14, plain, theme.muted);
}

function heldLabel(context: Context, { memory, top, height }: HeldRow, theme: Theme): void {
  const font = (context.font = `11px ${theme.uiFont}`);
  const middle = top + height / 2;
  write(context, 'memory', 8, middle - 6, font, theme.text);
  const used = fitText(context, `${bytes(total(memory.held))} in use`, LABEL_WIDTH - 12);
  write(context, used, 8, middle + 8, font, theme.muted);
}

// Devices are drawn to one scale.
function mostHeld(store: SpanStore): number {
  const memories = store instanceof ModelledStore ? [...store.memories.values()] : [];
  return Math.max(0, ...memories.map(({ most }) => most));
}

function heldBound(store: SpanStore, { memory: { device } }: HeldRow): Bound | null {
  const sheet = store instanceof ModelledStore ? store.sheet(device) : undefined;
  return sheet ? { value: sheet.memory, label: `all of its memory, ${bytes(sheet.memory)}` } : null;
}

/** Stripes for time that slow motion added. */
export function makeHatch(context: Context, color: string): CanvasPattern | null {
  const tile = document.createElement('canvas');
  tile.width = 8;
  tile.height = 8;
  const ink = tile.getContext('2d');
  if (!ink) {
    return null;
  }
  ink.strokeStyle = color;
  ink.globalAlpha = 0.55;
  ink.lineWidth = 1.6;
  for (const shift of [-8, 0, 8]) {
    ink.beginPath();
    ink.moveTo(shift, 8);
    ink.lineTo(shift + 8, 0);
    ink.stroke();
  }
  return context.createPattern(tile, 'repeat');
}
