// What the memory of one modelled device is used for, over modelled time.
import type { MemoryState } from '../frame_records';
import { CounterTrack } from './counter_track';
import { bytes } from './format';

export class DeviceMemory {
  readonly track: CounterTrack;
  /** bytes by kind, now */
  held: readonly number[];
  /** the most bytes that it ever held at once */
  most = 0;

  constructor(
    readonly device: string,
    /** what memory is used for, from the bottom on */
    readonly kinds: readonly string[]
  ) {
    this.track = new CounterTrack(kinds.length);
    this.held = kinds.map(() => 0);
  }

  add({ time, held }: MemoryState): void {
    this.track.add(time, held);
    this.held = held;
    this.most = Math.max(this.most, total(held));
  }

  /** How it was at a time: `12 MB of gpu(0) in use`, then what for. */
  words(time: number): string[] {
    const held = this.track.at(time);
    if (!held) {
      return [];
    }
    const parts = this.kinds.map((kind, i) => (held[i] > 0 ? `${bytes(held[i])}: ${kind}` : ''));
    return [`${bytes(total(held))} of ${this.device} in use, modelled`, ...parts.filter(Boolean)];
  }

  /** For those who do not see it. */
  summary(): string {
    const parts = this.kinds.map((kind, i) =>
      this.held[i] > 0 ? `${bytes(this.held[i])} ${kind}` : ''
    );
    const now = [`${bytes(total(this.held))} in use`, ...parts.filter(Boolean)].join(', ');
    return `${this.device}, virtual, modelled: ${now}; at most ${bytes(this.most)}`;
  }
}

export function total(held: readonly number[]): number {
  return held.reduce((sum, value) => sum + value, 0);
}
