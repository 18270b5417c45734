// The time window of the modelled clock: it moves with the frames, as the kernel paces them.
import { MAX_SPAN_MS, MIN_SPAN_MS, TimeWindow } from './time_window';
import type { Range } from './work';

/** The picture is as wide as what passes in so many real milliseconds, until a person zooms. */
const REAL_MS = 5000;
const AIR = 1.04;
const RIGHT = 0.015;

export class PacedWindow extends TimeWindow {
  private at = 0;
  private isZoomed = false;

  override synchronize(kernelNow: number): void {
    this.at = kernelNow;
  }

  override now(): number {
    return this.at;
  }

  override end(): number {
    return this.following ? this.at + RIGHT * this.span : this.stoppedAt;
  }

  override moving(): boolean {
    return false;
  }

  /** `slower`: real seconds in one of the picture; `whole`: nothing runs: all of it is to be seen. */
  pace(slower: number | null, whole: Range | null): void {
    if (this.isZoomed || !this.following) {
      return;
    }
    if (whole) {
      this.span = within(AIR * (this.at - whole.start));
    } else if (slower !== null) {
      this.span = within(REAL_MS / slower);
    }
  }

  override zoom(factor: number, share: number, end: number): void {
    this.isZoomed = true;
    super.zoom(factor, share, end);
  }

  override follow(): void {
    this.isZoomed = false;
    super.follow();
  }

  override reset(): void {
    this.isZoomed = false;
    this.at = 0;
    super.reset();
  }
}

function within(span: number): number {
  return Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, span));
}
