// The way from one picture to another, keyed by card: where each card is at time t.
import type { Card, Drawn, Line } from './drawn';

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A card in motion: its box, and how much of it is there (0 to 1). */
export interface Actor extends Box {
  card: Card;
  alpha: number;
}

/** The card of the other picture that a card became or came from; null: there is none. */
export type Counterpart = (card: number) => number | null;

interface Path {
  card: Card;
  from: Box;
  to: Box;
  kind: 'stays' | 'enters' | 'leaves';
}

export const DURATION_MS = 650;

export class Transition {
  private readonly paths: Path[] = [];
  readonly linesBefore: Line[];
  readonly entering: ReadonlySet<Line>;

  constructor(before: Drawn, after: Drawn, heir: Counterpart, origin: Counterpart) {
    const old = new Set(before.lines.map(lineKey));
    const stay = new Set(after.lines.map(lineKey));
    this.linesBefore = before.lines.filter(line => !stay.has(lineKey(line)));
    this.entering = new Set(after.lines.filter(line => !old.has(lineKey(line))));
    const sources = new Map<number, Box[]>();
    for (const card of before.cards) {
      if (!after.byId.has(card.id)) {
        const id = heir(card.id);
        const target = id === null ? undefined : after.byId.get(id);
        if (target) {
          sources.set(target.id, [...(sources.get(target.id) ?? []), boxOf(card)]);
        }
        const to = target ? boxOf(target) : shrunk(boxOf(card));
        this.paths.push({ card, from: boxOf(card), to, kind: 'leaves' });
      }
    }
    for (const card of after.cards) {
      const old = before.byId.get(card.id);
      if (old) {
        this.paths.push({ card, from: boxOf(old), to: boxOf(card), kind: 'stays' });
        continue;
      }
      // A card grows out of the box around those it is made of.
      const made = sources.get(card.id);
      const parent = before.byId.get(origin(card.id) ?? NaN);
      const start = made ? around(made) : parent ? boxOf(parent) : shrunk(boxOf(card));
      this.paths.push({ card, from: start, to: boxOf(card), kind: 'enters' });
    }
  }

  /** Where every card is at time t in [0, 1]; those that leave come first, below the others. */
  at(t: number): Actor[] {
    const eased = ease(Math.min(Math.max(t, 0), 1));
    return this.paths.map(({ card, from, to, kind }) => ({
      card,
      ...blend(from, to, eased),
      alpha: kind === 'stays' ? 1 : kind === 'enters' ? fadeIn(eased) : fadeOut(eased)
    }));
  }
}

function lineKey(line: Line): string {
  return `${line.src}.${line.out}>${line.dst}.${line.arg}`;
}

export function boxOf({ x, y, w, h }: Box): Box {
  return { x, y, w, h };
}

export function around(boxes: Box[]): Box {
  const left = Math.min(...boxes.map(b => b.x - b.w / 2));
  const right = Math.max(...boxes.map(b => b.x + b.w / 2));
  const top = Math.min(...boxes.map(b => b.y - b.h / 2));
  const bottom = Math.max(...boxes.map(b => b.y + b.h / 2));
  return { x: (left + right) / 2, y: (top + bottom) / 2, w: right - left, h: bottom - top };
}

function blend(a: Box, b: Box, t: number): Box {
  const mid = (p: number, q: number) => p + (q - p) * t;
  return { x: mid(a.x, b.x), y: mid(a.y, b.y), w: mid(a.w, b.w), h: mid(a.h, b.h) };
}

function shrunk(box: Box): Box {
  return { ...box, w: box.w * 0.6, h: box.h * 0.6 };
}

function ease(t: number): number {
  return t < 0.5 ? 4 * t * t * t : 1 - (-2 * t + 2) ** 3 / 2;
}

function fadeIn(t: number): number {
  return Math.min(1, Math.max(0, (t - 0.15) / 0.6));
}

function fadeOut(t: number): number {
  return Math.min(1, Math.max(0, 1 - t / 0.8));
}
