// Made-up frames for the page: two virtual devices, slow motion, inline runs, an idle gap.
import { FLAG, type QueueState, type Span } from '../src/frame_records';
import type { Frame } from '../src/frames';

const NAMES = ['dot', 'multiply', 'add_scalar', 'Convolution', 'copy', 'relu'];
const FAMILIES = ['linear', 'elementwise', 'elementwise', 'conv', 'copy', 'elementwise'];

export function demoFrame(): Frame {
  const spans: Span[] = [];
  const queue: QueueState[] = [];
  const add = (lane: number, start: number, duration: number, name: number, flags = 0, count = 1) =>
    spans.push({
      ...{ start, duration, busy: duration, name, site: 0, node: 0, lane, flags, count },
      ...{ serial: spans.length + 1, queued: lane > 0 ? 40 : 0, pusher: 0, more: 0 }
    });
  for (let i = 0; i < 9; i++) {
    add(1, 1000 + i * 170, 150, i % 4);
    add(2, 1060 + i * 190, 120 + (i % 3) * 20, (i + 1) % 4, i > 5 ? FLAG.artificial : 0);
  }
  add(1, 3100, 400, 3, FLAG.error);
  add(0, 1000, 60, 1, FLAG.inline | FLAG.coalesced, 240);
  add(0, 1100, 1500, 0, FLAG.wait);
  for (let i = 0; i < 4000; i++) {
    add(0, 3000 + i * 0.3, 0.1 + 0.15 * Math.sin(i / 200) ** 2, 4);
  }
  add(2, 3900, 600, 0, FLAG.running);
  for (let t = 900; t < 4500; t += 10) {
    const depth = Math.max(0, Math.round(20 * Math.sin((t - 900) / 1100)) + (t % 70 === 0 ? 3 : 0));
    const running = Math.min(1, depth);
    const ready = Math.round((depth - running) / 3);
    const used = (20 + depth) << 17;
    const high = t % 210 === 0 ? 2 * used : used;
    for (const lane of [1, 2]) {
      queue.push({ time: t, lane, running, ready, waiting: depth - running - ready, used, high });
    }
  }
  // Each reads what the one before on the other device wrote.
  const producers = spans
    .slice(1, 18)
    .map(({ serial }) => ({ producer: serial - 1, consumer: serial }));
  return {
    type: 'frame',
    seq: 1,
    now: 4500,
    process: '',
    cell_ms: null,
    gaps: [{ lane: 2, count: 1234, start_ms: 2950, end_ms: 3700 }],
    lanes: [
      { id: 0, name: 'main', device: 'cpu(0)', virtual: false, kind: 'host' },
      { id: 1, name: 'gpu(0) compute', device: 'gpu(0)', virtual: true, kind: 'compute' },
      { id: 2, name: 'gpu(1) compute', device: 'gpu(1)', virtual: true, kind: 'compute' }
    ],
    names: new Map(NAMES.map((name, i) => [i, name])),
    families: new Map(FAMILIES.map((family, i) => [i, family])),
    sites: new Map([
      [
        0,
        { cell: null, line: 4, text: 'train.py:step', file: 'train.py', code: 'y = nd.dot(x, w)' }
      ]
    ]),
    engine: { kind: 'threaded', inline: true, limit: 4096, slow: 0.05 },
    pending: 3,
    pools: [{ device: 'gpu(0)', used: 3_400_000, reserved: 8 << 20 }],
    spans,
    queue,
    producers
  };
}
