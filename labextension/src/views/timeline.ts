// The live timeline: a lane for each device's work, its queue and its memory, moving while the engine works.
import type { Span } from '../frame_records';
import type { EngineState } from '../frames';
import type { Told } from '../modelled_frame';
import type { Window } from './aggregate';
import { h, keepKeys } from './dom';
import type { Bound } from './paint_counters';
import { makeHatch, paintTimeline } from './paint_timeline';
import type { Traced } from './serials';
import { paintMarks, type Marks, type Place } from './paint_marks';
import { SpanFinder } from './span_finder';
import { SpanStore, type LaneRing } from './span_store';
import { shareOf } from './timeline_hit';
import { Surface } from './surface';
import { readTheme, watchTheme, type Theme } from './theme';
import { TimeWindow } from './time_window';
import { watchPlot } from './timeline_pointer';
import { Pointing, type TimelineEvents } from './timeline_pointing';
import { TimelineRange } from './timeline_range';
import { FollowButton, timelineLegend, tool } from './timeline_tools';
import { heightOf, LABEL_WIDTH, rowsOf, type TrackRow } from './timeline_rows';
import { TimelineStatus } from './timeline_status';
import { NOTHING_YET } from './timeline_words';
import type { Range } from './work';

/** 30 frames a second: smooth for bars, and cheap. */
const FRAME_MS = 1000 / 30;
const WORDS_MS = 250;
/** The clock of a timeline: what it keeps, how it moves, what it says of itself. */
export interface Clock {
  store: () => SpanStore;
  window: TimeWindow;
  legend: () => HTMLElement;
  /** in place of a picture */
  nothing: string;
  /** before words of what is in sight are told; whether it has to be drawn anew */
  refresh?: (store: SpanStore, range: Range) => boolean;
}

const REAL = (): Clock => ({
  store: () => new SpanStore(),
  window: new TimeWindow(),
  legend: timelineLegend,
  nothing: NOTHING_YET
});

/** A hit of the search is shown so wide at least. */
const SEEN_PIXELS = 8;

export class Timeline {
  readonly element: HTMLElement;
  private store: SpanStore;
  private readonly window: TimeWindow;
  private readonly plot = h('div.hyb-plot.hyb-timeline-plot');
  private readonly status = new TimelineStatus();
  private limit: number | null = null;
  private readonly followButton = new FollowButton(() => this.setFollowing(!this.window.following));
  private readonly range: TimelineRange;
  private readonly finder = new SpanFinder(() => this.store, {
    draw: () => this.surface.draw(),
    reveal: span => this.reveal(span),
    closed: () => this.plot.focus({ preventScroll: true })
  });
  private readonly surface: Surface;
  private readonly pointing: Pointing;
  private readonly stop: (() => void)[] = [];
  private theme: Theme | null = null;
  private hatch: CanvasPattern | null = null;
  private marks: Marks = { nodes: new Set(), place: null };
  private drawn = 0;
  private lastDraw = -Infinity;
  private lastWords = -Infinity;
  private end = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    events: TimelineEvents = {},
    private readonly clock: Clock = REAL()
  ) {
    this.store = clock.store();
    this.window = clock.window;
    this.range = new TimelineRange({
      store: () => this.store,
      view: () => this.view,
      hold: () => this.window.following && this.setFollowing(false),
      zoom: range => this.showRange(range),
      draw: () => this.surface.draw(),
      left: () => this.plot.focus({ preventScroll: true }),
      site: site => events.site?.(site)
    });
    const tools = h(
      'div.hyb-timeline-tools',
      {},
      this.followButton.element,
      tool('+', 'Show less time', () => this.zoom(0.5, Infinity)),
      tool('−', 'Show more time', () => this.zoom(2, Infinity)),
      tool('last cell', 'Show all that the last cell had the engine do', () => this.showLastCell()),
      ...this.range.buttons,
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
      h('div.hyb-timeline-frame', {}, this.plot, ...this.range.handles),
      this.finder.note,
      ...this.range.elements,
      ...this.status.elements,
      clock.legend()
    );
    this.plot.tabIndex = 0;
    this.plot.setAttribute('role', 'img');
    this.plot.setAttribute('aria-label', 'Timeline: W and S zoom, A and D move, / finds operators');
    keepKeys(this.element);
    this.surface = new Surface(this.plot, (context, now) => this.paint(context, now));
    this.pointing = new Pointing(
      this.plot,
      () => ({
        store: this.store,
        view: this.view,
        now: this.window.now(performance.now())
      }),
      this.finder,
      events
    );
    this.stop.push(
      watchTheme(() => {
        this.theme = null;
        this.hatch = null;
        this.surface.draw();
      })
    );
    watchPlot(this.plot, {
      drag: dx => this.move((-dx * this.window.span) / this.view.width),
      selects: event => event.shiftKey || this.range.selecting,
      select: pixels => this.range.select(pixels),
      zoom: (factor, x) => this.zoom(factor, x),
      step: widths => this.move(widths * this.window.span),
      search: () => this.finder.bar.open(),
      leave: () => this.range.clear() || this.finder.choose(null),
      hover: at => this.pointing.point(at),
      click: at => this.pointing.click(at)
    });
    this.showFollowing();
    this.resize();
    this.say('No kernel: open a notebook, and its queue appears here.');
  }

  /** Takes in a frame of the live comm. */
  push(frame: Told): void {
    const now = performance.now();
    this.window.synchronize(frame.now, now);
    if (this.store.add(frame)) {
      this.resize();
    }
    if (frame.engine) {
      this.setEngine(frame.engine);
    }
    this.say(this.store.spans > 0 ? null : this.clock.nothing);
    this.count();
    this.schedule();
  }

  /** What it knows now. */
  get spans(): SpanStore {
    return this.store;
  }

  private count(): void {
    const { rings } = this.store;
    const told = (of: (ring: LaneRing) => unknown) =>
      JSON.stringify(Object.fromEntries(rings.map(ring => [ring.lane.name, of(ring)])));
    this.element.dataset.spans = told(ring => ring.total);
    this.element.dataset.operators = told(r => [r.shown, r.merged, r.unrecorded]);
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
  markLine(place: Place | null): void {
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
    this.range.clear();
    this.count();
    this.surface.draw();
  }

  /** Another kernel: nothing of the last one is kept. */
  reset(): void {
    this.store = this.clock.store();
    this.marks = { nodes: new Set(), place: null };
    this.finder.clear();
    this.range.clear();
    this.window.reset();
    this.status.clear();
    this.count();
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
    this.range.paint(context, this.theme, this.surface.height);
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
    if (this.clock.refresh?.(this.store, { start, end })) {
      this.schedule();
    }
    this.status.show(this.store, start, end);
    this.finder.again();
    this.range.words();
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
    this.followButton.show(this.window.following);
  }

  private showLastCell(): void {
    const cell = this.store.lastCell;
    if (cell) {
      this.showRange(cell);
    }
  }

  private showRange({ start, end }: Range): void {
    this.window.show(start, end);
    this.showFollowing();
    this.surface.draw();
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

  /** As high as its rows. */
  resize(): void {
    this.plot.style.height = `${heightOf(rowsOf(this.store))}px`;
  }
}
