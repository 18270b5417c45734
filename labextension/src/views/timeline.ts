// The live timeline: a lane for each device's work, its queue and its memory, moving while the engine works.
import type { Span } from '../frame_records';
import type { EngineState, Frame, Site } from '../frames';
import type { Window } from './aggregate';
import { counterWords } from './counter_words';
import { h, keepKeys } from './dom';
import type { Bound } from './paint_counters';
import { makeHatch, paintTimeline } from './paint_timeline';
import type { Traced } from './serials';
import { isOfNode, paintMarks, type Marks, type Place as LinePlace } from './paint_marks';
import { SpanFinder } from './span_finder';
import { SpanStore, type LaneRing } from './span_store';
import { hitAt, shareOf, type Hit, type Place } from './timeline_hit';
import { Surface } from './surface';
import { readTheme, watchTheme, type Theme } from './theme';
import { TimeWindow } from './time_window';
import { watchPlot } from './timeline_pointer';
import { timelineLegend, tool } from './timeline_tools';
import { heightOf, LABEL_WIDTH, rowsOf, type TrackRow } from './timeline_rows';
import { TimelineStatus } from './timeline_status';
import { placeWords } from './timeline_words';
import { Tooltip } from './tooltip';
import { WorkTable } from './work_table';

/** 30 frames a second: smooth for bars, and cheap. */
const FRAME_MS = 1000 / 30;
const WORDS_MS = 250;
/** A hit of the search is shown so wide at least. */
const SEEN_PIXELS = 8;

export interface TimelineEvents {
  /** a span was clicked: where the user's code pushed it, or waited */
  site?: (site: Site) => void;
  /** a person points at a span of a program's node; null: at none */
  hover?: (process: string, serial: number | null) => void;
  /** such a span was clicked */
  choose?: (process: string, serial: number) => void;
}

export class Timeline {
  readonly element: HTMLElement;
  private store = new SpanStore();
  private readonly window = new TimeWindow();
  private readonly plot = h('div.hyb-plot.hyb-timeline-plot');
  private readonly status = new TimelineStatus();
  private limit: number | null = null;
  private readonly followButton: HTMLButtonElement;
  private readonly work = new WorkTable(site => this.events.site?.(site));
  private readonly tableButton = tool(
    'table',
    'What ran in the time that is shown, by operator and line',
    () => this.showTable(this.work.element.hidden),
    { 'aria-pressed': 'false' }
  );
  private readonly finder = new SpanFinder(() => this.store, {
    draw: () => this.surface.draw(),
    reveal: span => this.reveal(span),
    closed: () => this.plot.focus({ preventScroll: true })
  });
  private readonly surface: Surface;
  private readonly tooltip: Tooltip;
  private readonly stop: (() => void)[] = [];
  private theme: Theme | null = null;
  private hatch: CanvasPattern | null = null;
  private marks: Marks = { nodes: new Set(), place: null };
  private pointed: number | null = null;
  private drawn = 0;
  private lastDraw = -Infinity;
  private lastWords = -Infinity;
  private end = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly events: TimelineEvents = {}) {
    this.followButton = h('button.hyb-follow', {
      type: 'button',
      onclick: () => this.setFollowing(!this.window.following)
    });
    const tools = h(
      'div.hyb-timeline-tools',
      {},
      this.followButton,
      tool('+', 'Show less time', () => this.zoom(0.5, Infinity)),
      tool('−', 'Show more time', () => this.zoom(2, Infinity)),
      tool('last cell', 'Show all that the last cell had the engine do', () => this.showLastCell()),
      this.tableButton,
      tool('find', 'Find operators by name, line or code (/ or Ctrl+F)', () =>
        this.finder.bar.open()
      ),
      tool('clear', 'Forget what was drawn', () => this.clear())
    );
    this.element = h(
      'div.hyb-root.hyb-timeline',
      {
        ...{ 'data-frames': 0, 'data-spans': '{}', 'data-operators': '{}' },
        onkeydown: (event: KeyboardEvent) => {
          if ((event.ctrlKey || event.metaKey) && event.key === 'f') {
            this.finder.bar.open();
            event.preventDefault();
          }
        }
      },
      tools,
      this.status.message,
      this.finder.bar.element,
      this.plot,
      this.finder.note,
      this.work.element,
      ...this.status.elements,
      timelineLegend()
    );
    this.plot.tabIndex = 0;
    this.plot.setAttribute('role', 'img');
    this.plot.setAttribute('aria-label', 'Timeline: W and S zoom, A and D move, / finds operators');
    keepKeys(this.element);
    this.surface = new Surface(this.plot, (context, now) => this.paint(context, now));
    this.tooltip = new Tooltip(this.plot);
    this.stop.push(
      watchTheme(() => {
        this.theme = null;
        this.hatch = null;
        this.surface.draw();
      })
    );
    watchPlot(this.plot, {
      drag: dx => this.move((-dx * this.window.span) / this.view.width),
      zoom: (factor, x) => this.zoom(factor, x),
      step: widths => this.move(widths * this.window.span),
      search: () => this.finder.bar.open(),
      leave: () => this.finder.choose(null),
      hover: at => this.point(at),
      click: at => this.click(at)
    });
    this.showFollowing();
    this.resize();
    this.say('No kernel: open a notebook, and its queue appears here.');
  }

  /** Takes in a frame of the live comm. */
  push(frame: Frame): void {
    const now = performance.now();
    this.window.synchronize(frame.now, now);
    if (this.store.add(frame)) {
      this.resize();
    }
    if (frame.engine) {
      this.setEngine(frame.engine);
    }
    this.say(this.store.spans > 0 ? null : 'Connected. Nothing has run on the engine yet.');
    const { rings } = this.store;
    const told = (of: (ring: LaneRing) => unknown) =>
      JSON.stringify(Object.fromEntries(rings.map(ring => [ring.lane.name, of(ring)])));
    this.element.dataset.spans = told(ring => ring.total);
    this.element.dataset.operators = told(r => [r.shown, r.merged, r.unrecorded]);
    this.schedule();
  }

  setEngine(engine: EngineState): void {
    this.limit = engine.limit;
    this.status.setEngine(engine);
  }

  /** Marks the spans of programs' nodes; none where they ran in another process. */
  markNodes({ process, serials }: Traced): void {
    this.marks = { ...this.marks, nodes: new Set(process === this.store.process ? serials : []) };
    this.surface.draw();
  }

  /** Marks the spans that a line of a cell pushed; null: those of none. */
  markLine(place: LinePlace | null): void {
    this.marks = { ...this.marks, place };
    this.surface.draw();
  }

  /** Words in place of data, e.g. that there is no kernel; null: data comes. */
  say(message: string | null): void {
    this.status.say(message);
  }

  clear(): void {
    this.store = this.store.afresh(this.window.now(performance.now()));
    this.finder.clear();
    this.surface.draw();
  }

  /** Another kernel: nothing of the last one is kept. */
  reset(): void {
    this.store = new SpanStore();
    this.marks = { nodes: new Set(), place: null };
    this.finder.clear();
    this.window.reset();
    this.status.clear();
    this.element.dataset.spans = '{}';
    this.element.dataset.operators = '{}';
    this.showFollowing();
    this.resize();
    this.surface.draw();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.stop.forEach(stop => stop());
    this.surface.dispose();
    this.element.remove();
  }

  private schedule(): void {
    if (this.timer !== undefined) {
      return;
    }
    const wait = Math.max(0, this.lastDraw + FRAME_MS - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.surface.draw();
    }, wait);
  }

  private get view(): Window {
    const width = Math.max(1, this.surface.width - LABEL_WIDTH - 8);
    return { start: this.end - this.window.span, end: this.end, width };
  }

  private paint(context: CanvasRenderingContext2D, now: number): void {
    this.theme ??= readTheme(this.element);
    this.hatch ??= makeHatch(context, this.theme.text);
    this.end = this.window.end(now, this.store.lastActivity);
    this.lastDraw = now;
    paintTimeline(context, this.store, this.view, {
      theme: this.theme,
      width: this.surface.width,
      height: this.surface.height,
      now: Math.max(this.store.now, this.window.now(now)),
      hatch: this.hatch,
      bound: row => this.bound(row)
    });
    const marked = paintMarks(context, this.store, this.view, this.marks, this.theme);
    this.element.dataset.marked = String(marked);
    const { found, arrows } = this.finder.paint(context, this.view, this.theme, now);
    this.element.dataset.found = String(found);
    this.element.dataset.arrows = arrows;
    this.drawn += 1;
    this.element.dataset.frames = String(this.drawn);
    if (now - this.lastWords > WORDS_MS) {
      this.lastWords = now;
      this.words();
    }
    if (this.window.moving(now, this.store.lastActivity)) {
      this.schedule();
    } else if (this.store.frames > 0) {
      this.words();
    }
  }

  private reveal({ start, duration }: Span): void {
    this.window.reveal(start, start + duration, SEEN_PIXELS / this.view.width, this.end);
    this.showFollowing();
  }

  private words(): void {
    const { start, end } = this.view;
    this.status.show(this.store, start, end);
    this.finder.again();
    if (!this.work.element.hidden) {
      this.work.show(this.store, this.view);
    }
  }

  private bound({ kind, counters }: TrackRow): Bound | null {
    if (kind === 'queue') {
      return this.limit === null ? null : { value: this.limit, label: 'limit, all queues' };
    }
    const pool = this.store.pools.find(({ device }) => device === counters.device);
    return pool ? { value: pool.reserved, label: 'held from the system' } : null;
  }

  private setFollowing(following: boolean): void {
    if (following) {
      this.window.follow();
    } else {
      this.window.stop(this.end);
    }
    this.showFollowing();
    this.surface.draw();
  }

  private showFollowing(): void {
    const { following } = this.window;
    this.followButton.textContent = following ? 'Pause' : 'Follow';
    this.followButton.title = following ? 'Hold the picture still' : 'Follow the queue again';
    this.followButton.setAttribute('aria-pressed', String(!following));
  }

  private showLastCell(): void {
    const cell = this.store.lastCell;
    if (cell) {
      this.window.show(cell.start, cell.end);
      this.showFollowing();
      this.surface.draw();
    }
  }

  private showTable(on: boolean): void {
    this.work.element.hidden = !on;
    this.tableButton.setAttribute('aria-pressed', String(on));
    this.words();
  }

  private move(milliseconds: number): void {
    this.window.pan(milliseconds, this.end);
    this.end += milliseconds;
    this.showFollowing();
    this.surface.draw();
  }

  private zoom(factor: number, x: number | null): void {
    this.window.zoom(factor, x === null ? 0.5 : shareOf(x, this.view), this.end);
    this.surface.draw();
  }

  private resize(): void {
    this.plot.style.height = `${heightOf(rowsOf(this.store))}px`;
  }

  private hit(at: Place): Hit | null {
    return hitAt(this.store, at, this.view, this.window.now(performance.now()));
  }

  private wordsOf(hit: Hit): string[] {
    if (hit.row.kind !== 'lane') {
      return counterWords(hit.row, hit.time);
    }
    return hit.span ? this.finder.lines(hit.span) : placeWords(hit.row.ring, hit);
  }

  private click(at: Place): void {
    const span = this.hit(at)?.span;
    this.finder.choose(span ?? null);
    if (span && isOfNode(span)) {
      this.events.choose?.(this.store.process, span.node);
    }
    const site = span && this.store.sites.get(span.site);
    if (site) {
      this.events.site?.(site);
    }
  }

  private point(at: Place | null): void {
    const hit = at && this.hit(at);
    this.pointAt(hit?.span && isOfNode(hit.span) ? hit.span.node : null);
    this.finder.point(hit?.span ?? null);
    const lines = hit ? this.wordsOf(hit) : [];
    if (!at || lines.length === 0) {
      this.tooltip.hide();
    } else {
      this.tooltip.show(lines, at.x, at.y);
    }
  }

  private pointAt(serial: number | null): void {
    if (serial !== this.pointed) {
      this.pointed = serial;
      this.events.hover?.(this.store.process, serial);
    }
  }
}
