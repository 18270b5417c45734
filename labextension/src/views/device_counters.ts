// What the queue of one device held, and how much of its memory was in use, over time.
import type { QueueState } from '../frame_records';
import { CounterTrack } from './counter_track';

/** The parts of a queue, as they stand on each other. */
export const QUEUE_PARTS = ['running', 'ready', 'waiting'] as const;

export class DeviceCounters {
  /** parts: `QUEUE_PARTS` */
  readonly queue = new CounterTrack(QUEUE_PARTS.length);
  /** one part: bytes in use */
  readonly memory = new CounterTrack(1);
  last: QueueState | null = null;

  constructor(readonly device: string) {}

  add(state: QueueState): void {
    const { time, used, high } = state;
    this.queue.add(
      time,
      QUEUE_PARTS.map(part => state[part])
    );
    // When it was highest since the state before is not known: it is shown at the end of that time.
    if (high > used) {
      this.memory.add(time, [high]);
    }
    this.memory.add(time, [used]);
    this.last = this.last && this.last.time > time ? this.last : state;
  }
}
