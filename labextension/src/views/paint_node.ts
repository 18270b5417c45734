// Draws one card of the graph, a node's or a closed group's: its texts, marks and rings.
import { subtitle } from './card_text';
import type { Difference } from './difference';
import type { Card } from './drawn';
import { warmthTexts, type Warmth } from './heat';
import { ACTION, DIFFERENCE, FAMILY, HOT, bufferColor } from './palette';
import { fitText, roundRect, strokeLine, write } from './paint_text';
import { ownName, type Mark } from './stages';
import { mix, onColor, type Theme } from './theme';
import type { Actor } from './transition';

export interface NodeLook {
  theme: Theme;
  /** colour by buffer (the plan) instead of by operator family */
  byBuffer: boolean;
  scale: number;
  selected: boolean;
  hovered: boolean;
  mark: Mark | undefined;
  /** a rewrite has taken it away: an outline with a struck title */
  gone: boolean;
  /** how many parameters the card stands for, too */
  operands: number;
  /** what it has of the last run's time; null: nothing; undefined: that is not shown */
  warmth?: Warmth | null;
  /** to the other of two pictures; undefined: there is none, or it tells nothing of the card */
  difference?: Difference;
}

const LONG_NAME = 18;

type Context = CanvasRenderingContext2D;

export function colorOf(node: Card, { difference, byBuffer }: NodeLook): string {
  return difference ? DIFFERENCE[difference].color : nodeColor(node, byBuffer);
}

/** Without another picture beside it. */
export function nodeColor(node: Card, byBuffer: boolean): string {
  return byBuffer && node.buffer !== null ? bufferColor(node.buffer) : FAMILY[node.family].color;
}

/** The colour of a card that heat is shown on. */
export function warmColor(theme: Theme, warmth: Warmth | null): string {
  const level = warmth ? 0.05 + 0.5 * Math.sqrt(warmth.level) : 0;
  return mix(mix(theme.background, theme.text, 0.04), HOT, level);
}

function borderOf(color: string, theme: Theme): string {
  return theme.strong
    ? mix(color, theme.text, 0.6)
    : mix(theme.background, color, theme.dark ? 0.75 : 0.62);
}

export function paintNode(context: Context, actor: Actor, look: NodeLook): void {
  const { card: node, x, y, w, h, alpha } = actor;
  const { theme } = look;
  const color = colorOf(node, look);
  const left = x - w / 2;
  const top = y - h / 2;
  context.save();
  context.globalAlpha *= alpha;
  rings(context, actor, look);
  const { warmth } = look;
  const fill = look.gone
    ? theme.background
    : warmth === undefined
      ? mix(theme.background, color, theme.dark ? 0.24 : 0.11)
      : warmColor(theme, warmth);
  const border = look.gone || warmth !== undefined ? theme.faint : borderOf(color, theme);
  context.lineWidth = 1.2;
  context.strokeStyle = border;
  if ((node.kind === 'fused' || node.kind === 'group') && !look.gone) {
    outline(context, node, left + 4, top + 4, w, h);
    context.fillStyle =
      warmth === undefined
        ? mix(theme.background, color, theme.dark ? 0.16 : 0.06)
        : theme.background;
    context.fill();
    context.stroke();
  }
  outline(context, node, left, top, w, h);
  context.fillStyle = fill;
  context.fill();
  const dashed = node.kind === 'effect' || node.family === 'copy';
  if (look.difference) {
    differenceBorder(context, look.difference);
  } else {
    context.setLineDash(look.gone || node.kind === 'constant' ? [4, 3] : dashed ? [7, 3] : []);
    context.lineWidth = node.head ? 2.6 : node.kind === 'effect' ? 1.8 : 1.2;
  }
  context.stroke();
  context.setLineDash([]);
  texts(context, actor, look, color);
  if (look.difference && look.difference !== 'same') {
    const sign = DIFFERENCE[look.difference];
    paintSign(context, left + w, top, sign.glyph, sign.color, theme);
  } else if (look.mark) {
    const { count, action } = look.mark;
    const text = ACTION[action].mark + (count > 1 ? count : '');
    paintSign(context, left + w, top, text, theme.change, theme);
  }
  context.restore();
}

// So that nobody has to tell colours apart: what one side has alone is dashed or thick.
function differenceBorder(context: Context, difference: Difference): void {
  context.setLineDash(difference === 'only A' ? [6, 3] : []);
  context.lineWidth = { 'only A': 2.2, 'only B': 2.8, changed: 1.8, same: 1 }[difference];
}

function outline(context: Context, node: Card, x: number, y: number, w: number, h: number): void {
  if (node.kind === 'effect') {
    const notch = Math.min(10, w / 4);
    context.beginPath();
    context.moveTo(x + notch, y);
    context.lineTo(x + w - notch, y);
    context.lineTo(x + w, y + h / 2);
    context.lineTo(x + w - notch, y + h);
    context.lineTo(x + notch, y + h);
    context.lineTo(x, y + h / 2);
    context.closePath();
  } else {
    roundRect(context, x, y, w, h, node.kind === 'input' ? h / 2 : 7);
  }
}

/** The glow of a change, the ring of the selection. */
export function rings(context: Context, actor: Actor, look: NodeLook): void {
  const { x, y, w, h, card: node } = actor;
  const ring = (grow: number, width: number, color: string, alpha: number) => {
    context.save();
    context.globalAlpha *= alpha;
    context.strokeStyle = color;
    context.lineWidth = width;
    const left = x - w / 2 - grow;
    const top = y - h / 2 - grow;
    if (node.kind === 'effect') {
      outline(context, node, left, top, w + 2 * grow, h + 2 * grow);
    } else {
      const radius = node.kind === 'input' ? h / 2 + grow : 7 + grow;
      roundRect(context, left, top, w + 2 * grow, h + 2 * grow, radius);
    }
    context.stroke();
    context.restore();
  };
  const size = Math.max(1, 0.6 / look.scale);
  if (look.mark) {
    ring(5 * size, 7 * size, look.theme.change, 0.14);
    ring(3 * size, 3.5 * size, look.theme.change, 0.4);
  }
  if (look.selected) {
    ring(4 * size, 2.6 * size, look.theme.accent, 1);
  } else if (look.hovered) {
    ring(3.5 * size, 1.6 * size, look.theme.accent, 0.75);
  }
}

function texts(context: Context, actor: Actor, look: NodeLook, color: string): void {
  const { card: node, x, y, w, h } = actor;
  const { theme } = look;
  const left = x - w / 2;
  const inset = node.kind === 'input' || node.kind === 'effect' ? 16 : 9;
  const ink = look.warmth ? theme.text : mix(theme.text, color, 0.35);
  const unders = look.warmth ? warmthTexts(look.warmth) : [subtitle(node, look.operands)];
  const two = h >= 32 && look.scale >= 0.5 && unders[0] !== '';
  const titleY = two ? y - 7.5 : y + 0.5;

  const title = (context.font = `600 12.5px ${theme.uiFont}`);
  const start = left + inset;
  let room = w - 2 * inset;
  const needed = context.measureText(node.label).width;
  const glyph = node.opens !== null ? '⊞' : FAMILY[node.family].glyph;
  const shift = context.measureText(glyph).width + 5;
  if (needed + shift <= room) {
    write(context, glyph, start, titleY, title, ink);
    room -= shift;
  }
  const label = fitText(context, node.label, room);
  const at = start + w - 2 * inset - room;
  write(context, label, at, titleY, title, look.gone ? theme.muted : theme.text);
  if (look.gone) {
    context.strokeStyle = theme.muted;
    context.lineWidth = 1.2;
    context.font = title;
    strokeLine(context, at, titleY, at + context.measureText(label).width, titleY);
  }
  // The variable that the user gave the value, at the right, as code, where there is room.
  const font = (context.font = `600 11px ${theme.codeFont}`);
  const tag = nameEnd(ownName(node));
  if (needed + context.measureText(tag).width + 8 <= room) {
    write(context, tag, start + w - 2 * inset, titleY, font, ink, 'right');
  }
  if (!two) {
    return;
  }
  let below = w - 2 * inset;
  if (look.byBuffer && node.buffer !== null && look.warmth === undefined) {
    const small = (context.font = `600 11px ${theme.uiFont}`);
    const chip = `buffer ${node.buffer}`;
    const width = context.measureText(chip).width + 10;
    if (width < below) {
      context.fillStyle = color;
      roundRect(context, start + below - width + 4, y + 2.5, width, 15, 7.5);
      context.fill();
      write(context, chip, start + below - width + 9, y + 10.5, small, onColor(color));
      below -= width + 4;
    }
  }
  const plain = (context.font = `11px ${theme.uiFont}`);
  const pale = look.warmth ? theme.text : theme.muted;
  const under = unders.find(text => context.measureText(text).width <= below) ?? unders.at(-1)!;
  write(context, fitText(context, under, below), start, y + 10, plain, pale);
}

// The end of a long name says most: its block is in the frame's title.
function nameEnd(name: string): string {
  return name.length > LONG_NAME ? name.split('_').slice(-2).join('_') : name;
}

function paintSign(
  context: Context,
  x: number,
  y: number,
  text: string,
  color: string,
  theme: Theme
): void {
  context.font = `700 11px ${theme.uiFont}`;
  const width = Math.max(18, context.measureText(text).width + 10);
  roundRect(context, x - width + 7, y - 9, width, 18, 9);
  context.fillStyle = color;
  context.fill();
  context.strokeStyle = theme.background;
  context.lineWidth = 1.5;
  context.stroke();
  const font = context.font;
  write(context, text, x - width / 2 + 7, y + 0.5, font, onColor(color), 'center');
}
