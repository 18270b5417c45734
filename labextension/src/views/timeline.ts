// The live timeline: queue depth and a lane for each device, moving while the engine works.
import type { EngineState, Frame, Site } from '../frames';
import { spanAt, type Window } from './aggregate';
import { h, keepKeys } from './dom';
import {
  AXIS_HEIGHT,
  DEPTH_HEIGHT,
  LABEL_WIDTH,
  LANE_HEIGHT,
  makeHatch,
  paintTimeline
} from './paint_timeline';
import type { Traced } from './serials';
import { isOfNode, paintMarks, type Marks, type Place } from './paint_marks';
import { SpanStore, type LaneRing } from './span_store';
import { Surface } from './surface';
import { readTheme, watchTheme, type Theme } from './theme';
import { TimeWindow } from './time_window';
import { watchPlot } from './timeline_pointer';
import { timelineLegend, tool } from './timeline_tools';
import {
  engineWords,
  laneWords,
  placeWords,
  poolWords,
  spanWords,
  type Hit
} from './timeline_words';
import { Tooltip } from './tooltip';
import { WorkTable } from './work_table';

/** 30 frames a second: smooth for bars, and cheap. */
const FRAME_MS = 1000 / 30;
const WORDS_MS = 250;

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
  private readonly message = h('p.hyb-message', { role: 'status', 'aria-live': 'polite' });
  private readonly engine = h('p.hyb-engine');
  private readonly pools = h('p.hyb-engine', { 'aria-label': 'Memory pools' });
  private readonly laneList = h('ul.hyb-hidden', { 'aria-label': 'Device lanes' });
  private readonly followButton: HTMLButtonElement;
  private readonly work = new WorkTable(site => this.events.site?.(site));
  private readonly tableButton = tool(
    'table',
    'What ran in the time that is shown, by operator and line',
    () => this.showTable(this.work.element.hidden),
    { 'aria-pressed': 'false' }
  );
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
      tool('clear', 'Forget what was drawn', () => this.clear())
    );
    this.element = h(
      'div.hyb-root.hyb-timeline',
      { 'data-frames': 0, 'data-spans': '{}', 'data-operators': '{}' },
      tools,
      this.message,
      this.plot,
      this.work.element,
      this.laneList,
      this.engine,
      this.pools,
      timelineLegend()
    );
    this.plot.tabIndex = 0;
    this.plot.setAttribute('role', 'img');
    this.plot.setAttribute('aria-label', 'Timeline: W and S zoom, A and D move');
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
    this.engine.textContent = engineWords(engine);
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
    this.message.textContent = message ?? '';
    this.message.hidden = message === null;
  }

  clear(): void {
    const { lanes, names, sites, process } = this.store;
    this.store = new SpanStore();
    this.store.process = process;
    // What the kernel told once it will not tell again.
    names.forEach((name, id) => this.store.names.set(id, name));
    sites.forEach((site, id) => this.store.sites.set(id, site));
    this.store.add(emptyFrame([...lanes.values()], this.window.now(performance.now())));
    this.surface.draw();
  }

  /** Another kernel: nothing of the last one is kept. */
  reset(): void {
    this.store = new SpanStore();
    this.marks = { nodes: new Set(), place: null };
    this.window.reset();
    this.engine.textContent = '';
    this.pools.textContent = '';
    this.laneList.replaceChildren();
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
      hatch: this.hatch
    });
    const marked = paintMarks(context, this.store, this.view, this.marks, this.theme);
    this.element.dataset.marked = String(marked);
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

  // The lanes as words, for screen readers; the memory of the pools, for everyone.
  private words(): void {
    const { start, end } = this.view;
    const items = this.store.rings.map(ring => laneWords(ring, start, end));
    while (this.laneList.children.length > items.length) {
      this.laneList.lastElementChild?.remove();
    }
    items.forEach((text, i) => {
      const item = this.laneList.children[i] ?? this.laneList.appendChild(h('li'));
      if (item.textContent !== text) {
        item.textContent = text;
      }
    });
    if (!this.work.element.hidden) {
      this.work.show(this.store, this.view);
    }
    this.pools.textContent = poolWords(this.store);
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
    this.window.zoom(factor, x === null ? 0.5 : this.share(x), this.end);
    this.surface.draw();
  }

  private resize(): void {
    const rows = Math.max(1, this.store.lanes.size);
    this.plot.style.height = `${DEPTH_HEIGHT + AXIS_HEIGHT + rows * LANE_HEIGHT + 4}px`;
  }

  private share(x: number): number {
    return Math.min(1, Math.max(0, (x - LABEL_WIDTH) / this.view.width));
  }

  private hit(at: { x: number; y: number }): Hit | null {
    const y = at.y - DEPTH_HEIGHT - AXIS_HEIGHT;
    const ring = this.store.rings[Math.floor(y / LANE_HEIGHT)];
    if (!ring || y < 0) {
      return null;
    }
    const { start, end, width } = this.view;
    const time = start + this.share(at.x) * (end - start);
    const slack = (3 * (end - start)) / width;
    const span = spanAt(ring, time, slack, this.window.now(performance.now()));
    return { ring, time, slack, span };
  }

  private click(at: { x: number; y: number }): void {
    const span = this.hit(at)?.span;
    if (span && isOfNode(span)) {
      this.events.choose?.(this.store.process, span.node);
    }
    const site = span && this.store.sites.get(span.site);
    if (site) {
      this.events.site?.(site);
    }
  }

  private point(at: { x: number; y: number } | null): void {
    const hit = at && this.hit(at);
    this.pointAt(hit?.span && isOfNode(hit.span) ? hit.span.node : null);
    const lines = hit ? (hit.span ? spanWords(hit.span, this.store) : placeWords(hit)) : [];
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

function emptyFrame(rings: LaneRing[], now: number): Frame {
  return {
    type: 'frame',
    seq: 0,
    now,
    process: '',
    cell_ms: null,
    gaps: [],
    lanes: rings.map(ring => ring.lane),
    names: new Map(),
    sites: new Map(),
    engine: null,
    pending: 0,
    pools: [],
    spans: [],
    depth: new Float64Array(0)
  };
}
