// What a frame's buffers hold: little-endian records of spans, of queues and of who read whose results.
import { fault } from './decode';

export type Bytes = ArrayBuffer | ArrayBufferView;

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

/** One operator, or `count` in a row or merged, on a lane; times in milliseconds. */
export interface Span {
  start: number;
  /** from the first one's start to the last one's end, ... */
  duration: number;
  /** ... and how much of that they worked: of one that slow motion held the last part */
  busy: number;
  /** of the operator; of a wait: of the one it waits for, 0 where there are many */
  name: number;
  site: number;
  /** of a program's graph, 0: none; of a wait: the site at which what it waits for was pushed */
  node: number;
  lane: number;
  flags: number;
  count: number;
  /** of its push, which its program's other kernels share; 0: it was not queued, or is several */
  serial: number;
  /** from its push to its start, ... */
  queued: number;
  /** ... on this lane */
  pusher: number;
  /** operators whose results it read, beside those that are told */
  more: number;
  /** on the modelled clock: FLOP, and bytes that are read and written, or that cross each link ... */
  flops?: number;
  moved?: number;
  /** ... and FLOP/s that the device could reach in the kernel's type */
  peak?: number;
}

/** How long slow motion held an operator before it worked; of several that is not known: 0. */
export function heldFor({ flags, duration, busy }: Span): number {
  return flags & FLAG.artificial && !(flags & FLAG.merged) ? duration - busy : 0;
}

/** What the queue of a lane's device held from a time on. */
export interface QueueState {
  time: number;
  lane: number;
  waiting: number;
  ready: number;
  running: number;
  /** bytes of the device's memory in use, and the most since the state before */
  used: number;
  high: number;
}

/** What a modelled device's memory is used for from a time on: bytes by kind. */
export interface MemoryState {
  time: number;
  device: string;
  held: number[];
}

/** `consumer` read what `producer` wrote; both are serials of pushes. */
export interface Produced {
  producer: number;
  consumer: number;
}

/** Bytes of a span in each version of frames. */
export const SPAN_BYTES = [0, 36, 48] as const;
const QUEUE_BYTES = 40;

function recordsOf(bytes: Bytes, size: number, what: string): [DataView, number] {
  const view =
    bytes instanceof ArrayBuffer
      ? new DataView(bytes)
      : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength % size !== 0) {
    throw fault(what, `expected a multiple of ${size} bytes, got ${view.byteLength}`);
  }
  return [view, view.byteLength / size];
}

export function decodeSpans(bytes: Bytes, version: number): Span[] {
  const size = SPAN_BYTES[version];
  const [view, count] = recordsOf(bytes, size, 'spans');
  const spans: Span[] = [];
  for (let i = 0; i < count * size; i += size) {
    const start = view.getFloat64(i, true);
    const busy = view.getFloat32(i + 8, true);
    const duration = view.getFloat32(i + 12, true);
    if (!Number.isFinite(start) || !Number.isFinite(busy) || !Number.isFinite(duration)) {
      continue; // a torn record: never worth a broken picture
    }
    const isOld = version < 2;
    spans.push({
      start,
      duration: Math.max(duration, 0),
      busy: Math.min(Math.max(busy, 0), Math.max(duration, 0)),
      name: view.getUint32(i + 16, true),
      site: view.getUint32(i + 20, true),
      node: view.getUint32(i + 24, true),
      lane: view.getUint16(i + 28, true),
      flags: view.getUint16(i + 30, true),
      count: Math.max(view.getUint32(i + 32, true), 1),
      serial: isOld ? 0 : view.getUint32(i + 36, true),
      queued: isOld ? 0 : Math.max(view.getFloat32(i + 40, true), 0) || 0,
      pusher: isOld ? 0 : view.getUint16(i + 44, true),
      more: isOld ? 0 : view.getUint16(i + 46, true)
    });
  }
  return spans;
}

export function decodeQueue(bytes: Bytes): QueueState[] {
  const [view, count] = recordsOf(bytes, QUEUE_BYTES, 'queue');
  return Array.from({ length: count }, (_, i) => {
    const at = i * QUEUE_BYTES;
    return {
      time: view.getFloat64(at, true),
      lane: view.getUint32(at + 8, true),
      waiting: view.getUint32(at + 12, true),
      ready: view.getUint32(at + 16, true),
      running: view.getUint32(at + 20, true),
      used: view.getFloat64(at + 24, true),
      high: view.getFloat64(at + 32, true)
    };
  });
}

export function decodeProducers(bytes: Bytes): Produced[] {
  const [view, count] = recordsOf(bytes, 8, 'producers');
  return Array.from({ length: count }, (_, i) => ({
    producer: view.getUint32(8 * i, true),
    consumer: view.getUint32(8 * i + 4, true)
  }));
}

/** Tells the spans of a frame what they cost. */
export function decodeCosts(bytes: Bytes, spans: Span[]): void {
  const [view, count] = recordsOf(bytes, 12, 'costs');
  if (count !== spans.length) {
    throw fault('costs', `expected those of ${spans.length} spans, got ${count}`);
  }
  spans.forEach((span, i) => {
    span.flops = view.getFloat32(12 * i, true);
    span.moved = view.getFloat32(12 * i + 4, true);
    span.peak = view.getFloat32(12 * i + 8, true);
  });
}

export function decodeMemory(bytes: Bytes, kinds: number): MemoryState[] {
  const size = 8 * (2 + kinds);
  const [view, count] = recordsOf(bytes, size, 'memory');
  return Array.from({ length: count }, (_, i) => ({
    time: view.getFloat64(i * size, true),
    device: `gpu(${view.getFloat64(i * size + 8, true)})`,
    held: Array.from({ length: kinds }, (_, kind) =>
      view.getFloat64(i * size + 16 + 8 * kind, true)
    )
  }));
}
