// What the timeline knows: the newest spans of each lane one by one, all of them as levels of slices;
// where operators were not recorded; and the counters of devices.
import { FLAG, type QueueState, type Span } from '../frame_records';
import type { Gap, Lane, Pool, Site } from '../frames';
import type { Told } from '../modelled_frame';
import { DeviceCounters } from './device_counters';
import { Producers } from './flow';
import { BusyLevels } from './levels';

const SPANS_PER_LANE = 1 << 16;
const MAX_GAPS = 4096;
const SAME_CELL_MS = 1;
const MOST_CELLS = 64;

/** One lane: its newest spans, sorted by start, and levels that have the older ones, too. */
export class LaneRing {
  /** spans that ever came in */
  total = 0;
  /** operators of those that stand for one, or for a run of inline ones, ... */
  shown = 0;
  /** ... of those that the kernel merged, since there were too many to send, ... */
  merged = 0;
  /** ... and of those that were overwritten before they could be sent */
  unrecorded = 0;
  readonly gaps: Gap[] = [];
  /** the longest span held, for searching by time */
  longest = 0;
  running: Span | null = null;
  readonly levels: BusyLevels;
  /** spans that ended before are held as slices only */
  droppedUntil = -Infinity;
  private spans: Span[] = [];
  private first = 0;

  constructor(
    readonly lane: Lane,
    private readonly capacity = SPANS_PER_LANE,
    slices?: number
  ) {
    this.levels = new BusyLevels(slices);
  }

  get length(): number {
    return this.spans.length - this.first;
  }

  at(i: number): Span {
    return this.spans[this.first + i];
  }

  /** Operators that ever ran here. */
  get operators(): number {
    return this.shown + this.merged + this.unrecorded;
  }

  push(span: Span): void {
    this.total += 1;
    if (!(span.flags & FLAG.wait)) {
      this[span.flags & FLAG.merged ? 'merged' : 'shown'] += span.count;
    }
    this.longest = Math.max(this.longest, span.duration);
    this.levels.add(span);
    this.spans.push(span);
    // Spans come as they end; one that started earlier moves to its place.
    let i = this.spans.length - 1;
    while (i > this.first && this.spans[i - 1].start > span.start) {
      this.spans[i] = this.spans[i - 1];
      i -= 1;
    }
    this.spans[i] = span;
    if (this.length > this.capacity) {
      const dropped = this.spans[this.first];
      this.droppedUntil = Math.max(this.droppedUntil, dropped.start + dropped.duration);
      this.first += 1;
      if (this.first >= this.capacity) {
        this.spans = this.spans.slice(this.first);
        this.first = 0;
      }
    }
  }

  addGap(gap: Gap): void {
    this.unrecorded += gap.count;
    const last = this.gaps.at(-1);
    if (last && (gap.start_ms <= last.end_ms || this.gaps.length >= MAX_GAPS)) {
      last.start_ms = Math.min(last.start_ms, gap.start_ms);
      last.end_ms = Math.max(last.end_ms, gap.end_ms);
      last.count += gap.count;
    } else {
      this.gaps.push({ ...gap });
    }
  }

  /** The gap at a time, if there is one. */
  gapAt(time: number, slack: number): Gap | null {
    return this.gaps.find(g => g.start_ms - slack <= time && time <= g.end_ms + slack) ?? null;
  }

  /** The index of the first span that may reach beyond `time`. */
  search(time: number): number {
    let low = 0;
    let high = this.length;
    const bound = time - this.longest;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.at(mid).start < bound) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low;
  }
}

export class SpanStore {
  readonly lanes = new Map<number, LaneRing>();
  readonly names = new Map<number, string>();
  readonly families = new Map<number, string>();
  readonly sites = new Map<number, Site>();
  pools: Pool[] = [];
  pending = 0;
  /** the kernel's clock at the last frame, and the last time that something ran or waited */
  now = 0;
  lastActivity = -Infinity;
  frames = 0;
  /** whose serials of nodes spans have */
  process = '';
  private lastStart = -Infinity;
  /** when cells began, the newest last; of those after which nothing ran only the last */
  private readonly cells: number[] = [];
  readonly producers = new Producers();
  /** its times are those of the modelled clock */
  readonly isModelled: boolean = false;
  /** cells that begin so close to each other are one, told from two clocks */
  protected readonly sameCell: number = SAME_CELL_MS;
  private readonly devices = new Map<string, DeviceCounters>();

  /** Takes in a frame; tells whether a lane is new. */
  add(frame: Told): boolean {
    const before = this.lanes.size;
    frame.lanes.forEach(lane => this.lane(lane));
    frame.names.forEach((name, id) => this.names.set(id, name));
    frame.families.forEach((family, id) => this.families.set(id, family));
    frame.sites.forEach((site, id) => this.sites.set(id, site));
    this.lanes.forEach(ring => (ring.running = null));
    for (const span of frame.spans) {
      const ring = this.lanes.get(span.lane) ?? this.lane(unnamed(span.lane));
      if (span.flags & FLAG.running) {
        ring.running = span;
      } else {
        ring.push(span);
      }
      this.lastActivity = Math.max(this.lastActivity, span.start + span.duration);
      this.lastStart = Math.max(this.lastStart, span.start);
    }
    for (const gap of frame.gaps) {
      (this.lanes.get(gap.lane) ?? this.lane(unnamed(gap.lane))).addGap(gap);
      this.lastActivity = Math.max(this.lastActivity, gap.end_ms);
    }
    this.producers.add(frame.producers);
    frame.queue.forEach(state => this.addState(state));
    this.process = frame.process || this.process;
    if (frame.cell_ms !== null) {
      this.addCell(frame.cell_ms);
    }
    this.pools = frame.pools.length > 0 ? frame.pools : this.pools;
    this.pending = frame.pending;
    this.now = frame.now;
    this.frames += 1;
    if (frame.pending > 0 || [...this.lanes.values()].some(ring => ring.running)) {
      this.lastActivity = Math.max(this.lastActivity, frame.now);
    }
    return this.lanes.size > before;
  }

  /** A store without history: with what the kernel told once and will not tell again. */
  afresh(now: number): SpanStore {
    const made = this.empty();
    this.names.forEach((name, id) => made.names.set(id, name));
    this.families.forEach((family, id) => made.families.set(id, family));
    this.sites.forEach((site, id) => made.sites.set(id, site));
    this.lanes.forEach(({ lane }) => made.lane(lane));
    for (const { last } of this.counters) {
      made.addState(last && { ...last, time: now, high: last.used });
    }
    made.process = this.process;
    made.pools = this.pools;
    made.pending = this.pending;
    made.now = now;
    made.frames = 1;
    return made;
  }

  protected empty(): SpanStore {
    return new SpanStore();
  }

  /** Rings of lanes whose work counts as such. */
  get working(): LaneRing[] {
    return this.rings;
  }

  /** Rings as they are drawn: the main thread, then device by device in the order of arrival. */
  get rings(): LaneRing[] {
    const rings = [...this.lanes.values()].sort((a, b) => a.lane.id - b.lane.id);
    const devices = [...new Set(rings.map(ring => ring.lane.device))];
    const rank = ({ lane }: LaneRing) =>
      lane.kind === 'main'
        ? -1
        : devices.indexOf(lane.device) * 2 + Number(lane.kind !== 'compute');
    return rings.sort((a, b) => rank(a) - rank(b) || a.lane.id - b.lane.id);
  }

  /** What is counted on each device, in the order of their lanes. */
  get counters(): DeviceCounters[] {
    const devices = new Set(this.rings.map(ring => ring.lane.device));
    return [...devices].flatMap(device => this.devices.get(device) ?? []);
  }

  /** From the start of the last cell that had the engine work to the end of that; null: none. */
  get lastCell(): { start: number; end: number } | null {
    const start = this.cells.filter(began => began <= this.lastStart).at(-1);
    return start === undefined ? null : { start, end: this.lastActivity };
  }

  // Every frame tells it anew, from two clocks.
  private addCell(began: number): void {
    const last = this.cells.at(-1);
    if (last !== undefined && Math.abs(began - last) <= this.sameCell) {
      return;
    }
    if (last !== undefined && last > this.lastStart) {
      this.cells.pop();
    }
    this.cells.push(began);
    if (this.cells.length > MOST_CELLS) {
      this.cells.shift();
    }
  }

  get spans(): number {
    return [...this.lanes.values()].reduce((sum, ring) => sum + ring.total, 0);
  }

  private addState(state: QueueState | null): void {
    const ring = state && this.lanes.get(state.lane);
    if (ring) {
      this.devices.get(ring.lane.device)?.add(state);
    }
  }

  private lane(lane: Lane): LaneRing {
    const known = this.lanes.get(lane.id);
    if (known && known.lane.name === lane.name) {
      return known;
    }
    const ring = new LaneRing(lane);
    this.lanes.set(lane.id, ring);
    if (lane.device !== '' && !this.devices.has(lane.device)) {
      this.devices.set(lane.device, new DeviceCounters(lane.device));
    }
    return ring;
  }
}

function unnamed(id: number): Lane {
  return { id, name: `lane ${id}`, device: '', virtual: false, kind: '' };
}
