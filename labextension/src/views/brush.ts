// A part of the time, selected on the timeline by a drag, or by two handles that keys move.
import type { Window } from './aggregate';
import { h } from './dom';
import { mix, type Theme } from './theme';
import { timeAt, xOf } from './timeline_hit';
import { LABEL_WIDTH } from './timeline_rows';
import { rangeWords, timeWords } from './timeline_words';
import { tool } from './timeline_tools';
import type { Range } from './work';

/** Of the time in sight: a key's step, and what the first key selects. */
const STEP = 0.01;
const FIRST = { start: 0.25, end: 0.75 };

type Edge = keyof Range;

export interface BrushEvents {
  /** the time in sight */
  view: () => Window;
  /** another part is selected, or none */
  changed: () => void;
  /** this part alone is to be in sight */
  zoom: (range: Range) => void;
  /** nothing is selected any more: the keyboard goes back to the picture */
  left: () => void;
}

export class Brush {
  range: Range | null = null;
  /** lie over the plot */
  readonly handles: HTMLElement[];
  /** what is selected, in words */
  readonly element: HTMLElement;
  private readonly words = h('span', { role: 'status' });
  private readonly edges: Record<Edge, HTMLElement>;

  constructor(private readonly events: BrushEvents) {
    this.edges = { start: this.handle('start', 'Start'), end: this.handle('end', 'End') };
    this.handles = [this.edges.start, this.edges.end];
    this.element = h(
      'div.hyb-range',
      { hidden: true },
      this.words,
      tool('zoom in', 'Show this time alone', () => this.range && events.zoom(this.range)),
      tool('×', 'Select no time (Escape)', () => this.leave())
    );
  }

  /** Selects the time between two pixels. */
  drag(from: number, to: number): void {
    const view = this.events.view();
    const times = [timeAt(from, view), timeAt(to, view)];
    this.set({ start: Math.min(...times), end: Math.max(...times) });
  }

  /** Selects the middle of the time in sight if nothing is selected; keys go on from there. */
  begin(): void {
    if (!this.range) {
      const { start, end } = this.events.view();
      const at = (share: number) => start + share * (end - start);
      this.set({ start: at(FIRST.start), end: at(FIRST.end) });
    }
    this.edges.start.focus({ preventScroll: true });
  }

  /** Selects nothing any more; tells whether something was. */
  clear(): boolean {
    const was = this.range !== null;
    if (was) {
      this.set(null);
    }
    return was;
  }

  /** Draws what is selected, and puts the handles there. */
  paint(context: CanvasRenderingContext2D, view: Window, theme: Theme, height: number): void {
    const { range } = this;
    if (!range) {
      return;
    }
    this.place('start', range, view);
    this.place('end', range, view);
    if (range.end < view.start || range.start > view.end) {
      return;
    }
    const left = Math.max(xOf(range.start, view), LABEL_WIDTH);
    const right = Math.min(xOf(range.end, view), LABEL_WIDTH + view.width);
    context.save();
    context.fillStyle = mix(theme.background, theme.accent, 0.9);
    context.globalAlpha = theme.strong ? 0.3 : 0.16;
    context.fillRect(left, 0, Math.max(right - left, 1), height);
    context.restore();
  }

  private set(range: Range | null): void {
    this.range = range;
    this.words.textContent = range ? rangeWords(range) : '';
    this.element.hidden = range === null;
    this.handles.forEach(handle => (handle.hidden = range === null));
    this.events.changed();
  }

  private leave(): void {
    this.clear();
    this.events.left();
  }

  private handle(edge: Edge, label: string): HTMLElement {
    const handle = h('div.hyb-range-edge', {
      role: 'slider',
      tabindex: 0,
      hidden: true,
      'aria-label': `${label} of the selected time`,
      onkeydown: (event: KeyboardEvent) => this.key(edge, event),
      onpointerdown: (event: PointerEvent) => {
        handle.setPointerCapture(event.pointerId);
        handle.focus({ preventScroll: true });
        event.preventDefault();
      },
      onpointermove: (event: PointerEvent) => {
        if (handle.hasPointerCapture(event.pointerId)) {
          this.move(edge, timeAt(handle.offsetLeft + event.offsetX, this.events.view()));
        }
      }
    });
    return handle;
  }

  private key(edge: Edge, event: KeyboardEvent): void {
    const { start, end } = this.events.view();
    const step = (end - start) * STEP * (event.shiftKey ? 10 : 1);
    const now = this.range?.[edge] ?? start;
    const to = { ArrowLeft: now - step, ArrowRight: now + step, Home: start, End: end }[event.key];
    if (to !== undefined) {
      this.move(edge, to);
    } else if (event.key === 'Escape') {
      this.leave();
    } else {
      return;
    }
    event.preventDefault();
  }

  // An edge does not pass the other one.
  private move(edge: Edge, time: number): void {
    if (this.range) {
      const { start, end } = this.range;
      this.set(
        edge === 'start'
          ? { start: Math.min(time, end), end }
          : { start, end: Math.max(time, start) }
      );
    }
  }

  private place(edge: Edge, range: Range, view: Window): void {
    const [handle, time] = [this.edges[edge], range[edge]];
    const isSeen = time >= view.start && time <= view.end;
    handle.classList.toggle('hyb-away', !isSeen);
    handle.style.left = `${xOf(Math.min(Math.max(time, view.start), view.end), view)}px`;
    handle.setAttribute('aria-valuemin', String(view.start));
    handle.setAttribute('aria-valuemax', String(view.end));
    handle.setAttribute('aria-valuenow', String(time));
    handle.setAttribute('aria-valuetext', timeWords(time, (view.end - view.start) / 100));
  }
}
