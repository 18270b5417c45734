// The messages of the live comm: JSON headers and binary frames of spans and queue depths.
import { parseStageRan, type StageRan } from './stage_ran';
import { boolean, choice, fault, integer, list, map, number, object, or, string } from './decode';

export const LIVE_TARGET = 'jupyter_hybrid.live';
export const SPAN_BYTES = 36;

/** What the flag bits of a span mean. */
export const FLAG = {
  inline: 1,
  coalesced: 2,
  artificial: 4,
  error: 8,
  wait: 16,
  running: 32,
  merged: 64
} as const;

/** The flags of several spans together: what one of them had, but `inline` only if all were. */
export function mergedFlags(a: number, b: number): number {
  const all = FLAG.inline | FLAG.coalesced;
  return (a & b & all) | ((a | b) & ~all) | FLAG.merged;
}

export interface Lane {
  id: number;
  name: string;
  device: string;
  virtual: boolean;
  kind: string;
}

/** Where an operator was pushed: a line of a cell, or of the file and function in `text`. */
export interface Site {
  cell: string | null;
  line: number | null;
  text: string;
  /** the line as it was compiled, '' where nobody has it */
  code: string;
}

export interface EngineState {
  kind: string;
  inline: boolean;
  limit: number | null;
  slow: number;
}

export interface Pool {
  device: string;
  used: number;
  reserved: number;
}

/** One operator, or `count` in a row or merged, on a lane; times in milliseconds. */
export interface Span {
  start: number;
  /** from the first one's start to the last one's end, ... */
  duration: number;
  /** ... and how much of that they worked */
  busy: number;
  /** of the operator; of a wait: of the one it waits for, 0 where there are many */
  name: number;
  site: number;
  /** of a program's graph, 0: none; of a wait: the site at which what it waits for was pushed */
  node: number;
  lane: number;
  flags: number;
  count: number;
}

/** Operators of a lane that were recorded, but overwritten before anybody read them. */
export interface Gap {
  lane: number;
  count: number;
  start_ms: number;
  end_ms: number;
}

export interface Frame {
  type: 'frame';
  seq: number;
  now: number;
  /** whose serials of nodes spans have */
  process: string;
  /** when the last cell began, in milliseconds; null: not known */
  cell_ms: number | null;
  gaps: Gap[];
  lanes: Lane[];
  names: Map<number, string>;
  sites: Map<number, Site>;
  engine: EngineState | null;
  pending: number;
  pools: Pool[];
  spans: Span[];
  /** Pairs: time in milliseconds, operators pending. */
  depth: Float64Array;
}

export interface Status {
  type: 'status';
  mode: 'symbolic' | 'imperative' | 'auto';
  engine: EngineState | null;
}

export interface ViewerState {
  type: 'viewer';
  id: string;
  stage: number | null;
  selected: number[] | null;
}

/** The cell of a picture planned for another choice of names; `spec` is not read yet. */
export interface Planned {
  type: 'spec';
  id: string;
  spec: unknown;
}

/** Why there is no such plan. */
export interface Refused {
  type: 'refused';
  id: string;
  why: string;
}

/** How a cell went in mode auto, and what each way took. */
export interface Ran {
  type: 'ran';
  cell: string;
  way: 'recorded' | 'compiled' | 'written' | 'skipped';
  why: string;
}

export type LiveMessage = Frame | Status | ViewerState | Planned | Refused | Ran | StageRan;
type Bytes = ArrayBuffer | ArrayBufferView;

const text = or(string, '');
const total = or(number, 0);

const engine = or(
  object<EngineState>({
    kind: or(string, 'threaded'),
    inline: or(boolean, true),
    limit: or(number, null),
    slow: total
  }),
  null
);

const header = object<Omit<Frame, 'type' | 'spans' | 'depth' | 'now'> & { now_ms: number }>({
  seq: or(integer, 0),
  now_ms: total,
  process: text,
  cell_ms: or(number, null),
  gaps: list(object<Gap>({ lane: integer, count: integer, start_ms: number, end_ms: number })),
  lanes: list(
    object<Lane>({
      id: integer,
      name: text,
      device: text,
      virtual: or(boolean, false),
      kind: text
    })
  ),
  names: map(text),
  sites: map(object<Site>({ cell: or(string, null), line: or(integer, null), text, code: text })),
  engine,
  pending: total,
  pools: list(object<Pool>({ device: text, used: total, reserved: total }))
});

const status = object<Omit<Status, 'type'>>({
  mode: or(choice(['symbolic', 'imperative', 'auto'] as const), 'imperative'),
  engine
});

const viewer = object<Omit<ViewerState, 'type'>>({
  id: string,
  stage: or(integer, null),
  selected: or(list(integer), null)
});

const planned = object<Omit<Planned, 'type'>>({ id: string, spec: value => value });
const refused = object<Omit<Refused, 'type'>>({ id: string, why: text });
const ran = object<Omit<Ran, 'type'>>({
  cell: string,
  way: or(choice(['recorded', 'compiled', 'written', 'skipped'] as const), 'written'),
  why: text
});
const TYPES = ['frame', 'status', 'viewer', 'spec', 'refused', 'ran', 'stage_ran'] as const;
const envelope = object({ type: choice(TYPES) });

/** Reads one message of the live comm; throws a ProtocolError that names the fault. */
export function parseLive(data: unknown, buffers: readonly Bytes[] = []): LiveMessage {
  const { type } = envelope(data, 'message');
  switch (type) {
    case 'frame': {
      const { now_ms, ...rest } = header(data, 'frame');
      return {
        type,
        ...rest,
        now: now_ms,
        spans: buffers.length > 0 ? decodeSpans(buffers[0]) : [],
        depth: buffers.length > 1 ? decodeDepth(buffers[1]) : new Float64Array(0)
      };
    }
    case 'status':
      return { type, ...status(data, 'status') };
    case 'viewer':
      return { type, ...viewer(data, 'viewer') };
    case 'spec':
      return { type, ...planned(data, 'spec') };
    case 'refused':
      return { type, ...refused(data, 'refused') };
    case 'ran':
      return { type, ...ran(data, 'ran') };
    case 'stage_ran':
      return parseStageRan(data);
  }
}

/** Spans from little-endian records of 36 bytes. */
export function decodeSpans(bytes: Bytes): Span[] {
  const view = viewOf(bytes);
  if (view.byteLength % SPAN_BYTES !== 0) {
    throw fault('spans', `expected a multiple of ${SPAN_BYTES} bytes, got ${view.byteLength}`);
  }
  const spans: Span[] = [];
  for (let i = 0; i < view.byteLength; i += SPAN_BYTES) {
    const start = view.getFloat64(i, true);
    const busy = view.getFloat32(i + 8, true);
    const duration = view.getFloat32(i + 12, true);
    if (!Number.isFinite(start) || !Number.isFinite(busy) || !Number.isFinite(duration)) {
      continue; // a torn record: never worth a broken picture
    }
    spans.push({
      start,
      duration: Math.max(duration, 0),
      busy: Math.min(Math.max(busy, 0), Math.max(duration, 0)),
      name: view.getUint32(i + 16, true),
      site: view.getUint32(i + 20, true),
      node: view.getUint32(i + 24, true),
      lane: view.getUint16(i + 28, true),
      flags: view.getUint16(i + 30, true),
      count: Math.max(view.getUint32(i + 32, true), 1)
    });
  }
  return spans;
}

function decodeDepth(bytes: Bytes): Float64Array {
  const view = viewOf(bytes);
  if (view.byteLength % 16 !== 0) {
    throw fault('depth', `expected pairs of 8-byte numbers, got ${view.byteLength} bytes`);
  }
  const depth = new Float64Array(view.byteLength / 8);
  for (let i = 0; i < depth.length; i++) {
    depth[i] = view.getFloat64(i * 8, true);
  }
  return depth;
}

function viewOf(bytes: Bytes): DataView {
  return bytes instanceof ArrayBuffer
    ? new DataView(bytes)
    : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
