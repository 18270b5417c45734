// The spans of the timeline: one ring per lane, sorted by start, and a ring of queue depths.
import { FLAG, type Frame, type Lane, type Pool, type Site, type Span } from '../frames';

const SPANS_PER_LANE = 1 << 16;
const DEPTH_POINTS = 1 << 15;

/** The spans of one lane, sorted by start; the oldest go when it is full. */
export class LaneRing {
  /** spans that ever came in */
  total = 0;
  /** operators that ever came in: a coalesced span stands for many */
  operators = 0;
  /** the longest span held, for searching by time */
  longest = 0;
  running: Span | null = null;
  private spans: Span[] = [];
  private first = 0;

  constructor(
    readonly lane: Lane,
    private readonly capacity = SPANS_PER_LANE
  ) {}

  get length(): number {
    return this.spans.length - this.first;
  }

  at(i: number): Span {
    return this.spans[this.first + i];
  }

  push(span: Span): void {
    this.total += 1;
    this.operators += span.count;
    this.longest = Math.max(this.longest, span.duration);
    this.spans.push(span);
    // Spans come as they end; one that started earlier moves to its place.
    let i = this.spans.length - 1;
    while (i > this.first && this.spans[i - 1].start > span.start) {
      this.spans[i] = this.spans[i - 1];
      i -= 1;
    }
    this.spans[i] = span;
    if (this.length > this.capacity) {
      this.first += 1;
      if (this.first >= this.capacity) {
        this.spans = this.spans.slice(this.first);
        this.first = 0;
      }
    }
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
  readonly sites = new Map<number, Site>();
  pools: Pool[] = [];
  pending = 0;
  lost = 0;
  /** the kernel's clock at the last frame, and the last time that something ran or waited */
  now = 0;
  lastActivity = -Infinity;
  frames = 0;
  private depthPoints: number[] = [];

  /** Takes in a frame; tells whether a lane is new. */
  add(frame: Frame): boolean {
    const before = this.lanes.size;
    frame.lanes.forEach(lane => this.lane(lane));
    frame.names.forEach((name, id) => this.names.set(id, name));
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
    }
    for (let i = 0; i < frame.depth.length; i += 2) {
      this.addDepth(frame.depth[i], frame.depth[i + 1]);
    }
    this.addDepth(frame.now, frame.pending);
    if (this.depthPoints.length > 4 * DEPTH_POINTS) {
      this.depthPoints = this.depthPoints.slice(-2 * DEPTH_POINTS);
    }
    this.pools = frame.pools.length > 0 ? frame.pools : this.pools;
    this.pending = frame.pending;
    this.lost = frame.lost;
    this.now = frame.now;
    this.frames += 1;
    if (frame.pending > 0 || [...this.lanes.values()].some(ring => ring.running)) {
      this.lastActivity = Math.max(this.lastActivity, frame.now);
    }
    return this.lanes.size > before;
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

  get depthLength(): number {
    return this.depthPoints.length / 2;
  }

  depthAt(i: number): { time: number; pending: number } {
    return { time: this.depthPoints[2 * i], pending: this.depthPoints[2 * i + 1] };
  }

  get spans(): number {
    return [...this.lanes.values()].reduce((sum, ring) => sum + ring.total, 0);
  }

  // Several threads tell depths: a point may be older than the last one.
  private addDepth(time: number, pending: number): void {
    const points = this.depthPoints;
    let i = points.length;
    points.push(time, pending);
    for (; i > 0 && points[i - 2] > time; i -= 2) {
      points[i] = points[i - 2];
      points[i + 1] = points[i - 1];
    }
    points[i] = time;
    points[i + 1] = pending;
  }

  private lane(lane: Lane): LaneRing {
    const known = this.lanes.get(lane.id);
    if (known && known.lane.name === lane.name) {
      return known;
    }
    const ring = new LaneRing(lane);
    this.lanes.set(lane.id, ring);
    return ring;
  }
}

function unnamed(id: number): Lane {
  return { id, name: `lane ${id}`, device: '', virtual: false, kind: '' };
}
