import { describe, expect, it } from 'vitest';
import { frame, lane, span } from '../testdata/live_frames';
import { flowOf, type Flow } from './flow';
import { flowWords } from './flow_words';
import { SpanStore } from './span_store';

const main = { ...lane, id: 1, name: 'main', kind: 'main' };
const names = new Map([
  [1, 'dot'],
  [2, 'exp'],
  [3, 'sum']
]);

function told(): SpanStore {
  const store = new SpanStore();
  const spans = [
    span(10, 5, { name: 1, serial: 7, queued: 4, pusher: 1 }),
    // A program's kernels share its push.
    span(20, 2, { name: 2, serial: 8, queued: 9, pusher: 1, more: 2 }),
    span(23, 2, { name: 2, serial: 8, queued: 12, pusher: 1, more: 2 }),
    span(30, 1, { name: 3, serial: 9, queued: 1, pusher: 1 })
  ];
  const producers = [
    { producer: 7, consumer: 8 },
    { producer: 7, consumer: 8 },
    { producer: 6, consumer: 8 },
    { producer: 8, consumer: 9 }
  ];
  store.add(frame(spans, { lanes: [lane, main], names, producers }));
  return store;
}

function arrows(flow: Flow | null) {
  return flow?.arrows.map(({ kind, from, to }) => [kind, from.lane, from.time, to.lane, to.time]);
}

describe('flowOf', () => {
  it('leads from the push and from what was read to the first kernel, from the last to readers', () => {
    const store = told();
    const [ring] = [...store.lanes.values()];
    for (const kernel of [1, 2]) {
      const flow = flowOf(store, ring.at(kernel));
      expect(arrows(flow)).toEqual([
        ['push', 1, 11, 0, 20],
        ['producer', 0, 15, 0, 20],
        ['consumer', 0, 25, 0, 30]
      ]);
      // One producer's span is not there, two were too many to be told.
      expect(flow?.unknown).toBe(3);
      expect(flowWords(flow, store)).toEqual([
        'pushed 9 ms before it ran',
        'reads results of dot, 3 operators not shown',
        'read by sum'
      ]);
    }
  });

  it('knows nothing of a span that was not queued', () => {
    const store = new SpanStore();
    const inline = span(1, 1);
    store.add(frame([inline]));
    expect(flowOf(store, inline)).toBeNull();
    expect(flowWords(null, store)).toEqual([]);
  });

  it('forgets the oldest producers', () => {
    const store = new SpanStore();
    for (let first = 1; first < 200_000; first += 50_000) {
      const producers = Array.from({ length: 50_000 }, (_, i) => ({
        producer: first + i,
        consumer: first + i + 1
      }));
      store.add(frame([], { producers }));
    }
    expect(store.producers.of(2)).toEqual([]);
    expect(store.producers.of(200_001)).toEqual([200_000]);
    expect(store.producers.consumersOf(200_000)).toEqual([200_001]);
  });
});
