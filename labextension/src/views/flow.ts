// Where a span comes from and where its results go: its push, the operators whose results it read, and
// those that read its own. The engine tells it of operators that were queued.
import type { Produced, Span } from '../frame_records';
import type { SpanStore } from './span_store';

const MOST = 1 << 16;

/** Who read whose results, by serials of pushes; of the newest consumers. */
export class Producers {
  private readonly byConsumer = new Map<number, number[]>();

  add(told: readonly Produced[]): void {
    for (const { producer, consumer } of told) {
      const known = this.byConsumer.get(consumer);
      if (!known) {
        this.byConsumer.set(consumer, [producer]);
      } else if (!known.includes(producer)) {
        known.push(producer);
      }
    }
    for (const oldest of this.byConsumer.keys()) {
      if (this.byConsumer.size <= MOST) {
        break;
      }
      this.byConsumer.delete(oldest);
    }
  }

  of(consumer: number): readonly number[] {
    return this.byConsumer.get(consumer) ?? [];
  }

  consumersOf(producer: number): number[] {
    return [...this.byConsumer].flatMap(([consumer, producers]) =>
      producers.includes(producer) ? [consumer] : []
    );
  }
}

/** One end of an arrow. */
export interface End {
  lane: number;
  time: number;
}

export interface Arrow {
  kind: 'push' | 'producer' | 'consumer';
  from: End;
  to: End;
  /** at the other end; null: the push */
  other: Span | null;
}

export interface Flow {
  arrows: Arrow[];
  /** producers whose spans are not known: merged, older than what is kept, or too many to be told */
  unknown: number;
}

/** What one push ran: its first span, and the last one; a program's kernels are several. */
interface Ran {
  first: Span;
  last: Span;
}

function end(span: Span): number {
  return span.start + span.duration;
}

function ranOf(store: SpanStore, serials: ReadonlySet<number>): Map<number, Ran> {
  const found = new Map<number, Ran>();
  for (const ring of store.rings) {
    for (let i = 0; i < ring.length; i++) {
      const span = ring.at(i);
      if (!serials.has(span.serial)) {
        continue;
      }
      const ran = found.get(span.serial);
      found.set(span.serial, {
        first: !ran || span.start < ran.first.start ? span : ran.first,
        last: !ran || end(span) > end(ran.last) ? span : ran.last
      });
    }
  }
  return found;
}

/** The arrows of a span; null: it was not queued, so nothing is known. */
export function flowOf(store: SpanStore, span: Span): Flow | null {
  if (span.serial === 0) {
    return null;
  }
  const producers = store.producers.of(span.serial);
  const consumers = store.producers.consumersOf(span.serial);
  const ran = ranOf(store, new Set([span.serial, ...producers, ...consumers]));
  const own = ran.get(span.serial) ?? { first: span, last: span };
  const at = ({ lane }: Span, time: number) => ({ lane, time });
  const arrows: Arrow[] = [];
  if (own.first.queued > 0) {
    const { first } = own;
    const from = { lane: first.pusher, time: first.start - first.queued };
    arrows.push({ kind: 'push', from, to: at(first, first.start), other: null });
  }
  const told = producers.flatMap(serial => ran.get(serial) ?? []);
  for (const { last } of told) {
    const to = at(own.first, own.first.start);
    arrows.push({ kind: 'producer', from: at(last, end(last)), to, other: last });
  }
  for (const { first } of consumers.flatMap(serial => ran.get(serial) ?? [])) {
    const from = at(own.last, end(own.last));
    arrows.push({ kind: 'consumer', from, to: at(first, first.start), other: first });
  }
  return { arrows, unknown: producers.length - told.length + span.more };
}
