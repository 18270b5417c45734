// The messages of the live comm: JSON headers, and binary frames that frame_records.ts reads.
import { parseModelled, type ModelledFrame } from './modelled_frame';
import { parseStageRan, type StageRan } from './stage_ran';
import {
  boolean,
  choice,
  code,
  exact,
  fault,
  integer,
  list,
  map,
  number,
  object,
  or,
  string
} from './decode';
import {
  decodeProducers,
  decodeQueue,
  decodeSpans,
  type Bytes,
  type Produced,
  type QueueState,
  type Span
} from './frame_records';

export const LIVE_TARGET = 'jupyter_hybrid.live';
/** Of frames. The first had no states of queues, and spans did not know their push. */
const VERSION = 2;

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
  /** of a file: relative to the kernel's working directory where it is in it, or to ~ */
  file: string;
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
  /** of the operators of these names */
  families: Map<number, string>;
  sites: Map<number, Site>;
  engine: EngineState | null;
  pending: number;
  pools: Pool[];
  spans: Span[];
  queue: QueueState[];
  producers: Produced[];
}

export interface Status {
  type: 'status';
  mode: (typeof MODES)[number];
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

/** How a cell's last run went. */
export interface Ran {
  type: 'ran';
  cell: string;
  mode: Status['mode'];
  /** the mode was asked for by a magic of its own */
  explicit: boolean;
  failed: '' | 'refused' | 'raised';
  way: 'recorded' | 'compiled' | 'written' | 'skipped' | 'nothing';
  /** in mode auto: what each way took; of one that failed: the error */
  why: string;
}

export type LiveMessage =
  (Frame | ModelledFrame) | (Status | ViewerState | Planned | Refused | Ran | StageRan);

const MODES = ['symbolic', 'imperative', 'auto'] as const;
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

type Header = Omit<Frame, 'type' | 'spans' | 'queue' | 'producers' | 'now'>;
const header = object<Header & { version: number; now_ms: number }>({
  version: or(integer, 1),
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
  families: map(text),
  sites: map(
    object<Site>({
      cell: or(exact, null),
      line: or(integer, null),
      text,
      file: or(exact, ''),
      code: or(code, '')
    })
  ),
  engine,
  pending: total,
  pools: list(object<Pool>({ device: text, used: total, reserved: total }))
});

const status = object<Omit<Status, 'type'>>({
  mode: or(choice(MODES), 'imperative'),
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
  mode: or(choice(MODES), 'auto'),
  explicit: or(boolean, false),
  way: or(choice(['recorded', 'compiled', 'written', 'skipped', 'nothing'] as const), 'written'),
  failed: or(choice(['', 'refused', 'raised'] as const), ''),
  why: text
});
const TYPES = [
  ...(['frame', 'modelled_frame', 'status', 'viewer'] as const),
  ...(['spec', 'refused', 'ran', 'stage_ran'] as const)
] as const;
const envelope = object({ type: choice(TYPES) });

function parseFrame(data: unknown, buffers: readonly Bytes[]): Frame {
  const { version, now_ms, ...rest } = header(data, 'frame');
  if (version < 1 || version > VERSION) {
    throw fault('frame.version', `expected 1 to ${VERSION}, got ${version}`);
  }
  const [spans, queue, producers] = buffers;
  return {
    type: 'frame',
    ...rest,
    now: now_ms,
    spans: spans ? decodeSpans(spans, version) : [],
    queue: queue && version > 1 ? decodeQueue(queue) : [],
    producers: producers ? decodeProducers(producers) : []
  };
}

/** Reads one message of the live comm; throws a ProtocolError that names the fault. */
export function parseLive(data: unknown, buffers: readonly Bytes[] = []): LiveMessage {
  const { type } = envelope(data, 'message');
  switch (type) {
    case 'frame':
      return parseFrame(data, buffers);
    case 'modelled_frame':
      return parseModelled(data, parseFrame(data, buffers), buffers[3], buffers[4]);
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
