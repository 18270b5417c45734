import { describe, expect, it } from 'vitest';
import type { QueueState } from '../frame_records';
import { frame, lane } from '../testdata/live_frames';
import { CounterTrack } from './counter_track';
import { SpanStore } from './span_store';

function state(time: number, more: Partial<QueueState> = {}): QueueState {
  return { time, lane: 0, waiting: 0, ready: 0, running: 0, used: 0, high: 0, ...more };
}

describe('CounterTrack', () => {
  it('shows the parts of the highest point of a pixel, and carries the last on', () => {
    const track = new CounterTrack(2);
    [
      [-5, 1, 0],
      [2, 4, 5],
      [2.5, 0, 3],
      [6, 0, 0]
    ].forEach(([time, ...parts]) => track.add(time, parts));
    expect([...track.columns({ start: 0, end: 8, width: 8 })]).toEqual([
      1, 0, 1, 0, 4, 5, 0, 3, 0, 3, 0, 3, 0, 3, 0, 0
    ]);
    expect([...track.columns({ start: -8, end: -6, width: 2 })]).toEqual(Array(4).fill(NaN));
    expect(track.at(2.2)).toEqual([4, 5]);
    expect(track.at(-6)).toBeNull();
  });

  it('takes points in any order', () => {
    const track = new CounterTrack(1);
    [3, 1, 2].forEach(time => track.add(time, [10 * time]));
    expect([1, 2, 3].map(time => track.at(time))).toEqual([[10], [20], [30]]);
  });

  it('has the highest of every pixel where points are not kept one by one, and at every zoom', () => {
    const track = new CounterTrack(3);
    const points = 400_000;
    for (let i = 0; i < points; i++) {
      track.add(i * 0.25, [1, i % 100, i % 1000 === 7 ? 500 : 0]);
    }
    const columns = track.columns({ start: 0, end: 16_000, width: 40 });
    expect([...columns.slice(0, 39 * 3)]).toEqual(Array(39).fill([1, 7, 500]).flat());
    for (const start of [0, (points - 8000) * 0.25]) {
      for (const width of [8000, 997, 40, 1]) {
        const found = track.columns({ start, end: start + 2000, width });
        const totals = Array.from({ length: width }, (_, x) => found[3 * x + 1] + found[3 * x + 2]);
        expect(Math.max(...totals)).toBe(507);
      }
    }
  });
});

describe('SpanStore', () => {
  it('counts by device, whatever lane tells of it', () => {
    const store = new SpanStore();
    const copies = { ...lane, id: 1, name: 'gpu(0) copy-in', device: 'gpu(0)' };
    const queue = [
      state(1, { waiting: 3, ready: 2, running: 1, used: 64, high: 640 }),
      state(2, { lane: 1, ready: 4 })
    ];
    store.add(frame([], { lanes: [lane, copies], queue }));
    const [cpu, gpu] = store.counters;
    expect([cpu.device, gpu.device]).toEqual(['cpu(0)', 'gpu(0)']);
    expect(cpu.queue.at(5)).toEqual([1, 2, 3]);
    expect(gpu.queue.at(5)).toEqual([0, 4, 0]);
    expect(cpu.memory.at(5)).toEqual([64]);
    expect([...cpu.memory.columns({ start: 0, end: 3, width: 3 })]).toEqual([NaN, 640, 64]);
  });

  it('keeps what the kernel tells once when its history is forgotten', () => {
    const store = new SpanStore();
    const names = new Map([[1, 'dot']]);
    store.add(frame([], { queue: [state(1, { ready: 2, used: 64, high: 640 })], names }));
    const fresh = store.afresh(50);
    expect(fresh.rings.map(ring => ring.lane)).toEqual([lane]);
    expect(fresh.names.get(1)).toBe('dot');
    expect(fresh.counters[0].queue.at(49)).toBeNull();
    expect(fresh.counters[0].queue.at(51)).toEqual([0, 2, 0]);
    expect([...fresh.counters[0].memory.columns({ start: 49, end: 51, width: 2 })]).toEqual([
      NaN,
      64
    ]);
  });
});
