// Which part of time the timeline shows: it follows the kernel's clock, or stands where it was put.

export const MIN_SPAN_MS = 0.02;
export const MAX_SPAN_MS = 600_000;
/** Data is drawn a moment late, so that frames on their way still land inside the picture. */
const LAG_MS = 60;
/** Following stops when nothing has happened for this share of the window. */
const IDLE_SHARE = 0.35;

export class TimeWindow {
  /** milliseconds shown */
  span = 5000;
  following = true;
  protected stoppedAt = 0;
  private offset: number | null = null;

  /** Compares clocks: the least delay ever seen is the best guess of their difference. */
  synchronize(kernelNow: number, browserNow: number): void {
    const offset = browserNow - kernelNow;
    this.offset = this.offset === null ? offset : Math.min(this.offset + 0.05, offset);
  }

  /** The kernel's time now. */
  now(browserNow: number): number {
    return this.offset === null ? 0 : browserNow - this.offset;
  }

  /** The end of the picture. While nothing runs it waits, with the last work still in view. */
  end(browserNow: number, lastActivity: number): number {
    if (!this.following) {
      return this.stoppedAt;
    }
    const newest = Math.max(lastActivity, 0) + this.span * IDLE_SHARE;
    return Math.min(this.now(browserNow) - LAG_MS, newest);
  }

  /** Whether the picture moves by itself. */
  moving(browserNow: number, lastActivity: number): boolean {
    return this.following && this.now(browserNow) - LAG_MS < lastActivity + this.span * IDLE_SHARE;
  }

  stop(end: number): void {
    this.following = false;
    this.stoppedAt = end;
  }

  /** Shows these milliseconds, with some air around them. */
  show(start: number, end: number): void {
    const length = Math.max(end - start, MIN_SPAN_MS);
    this.span = Math.min(MAX_SPAN_MS, 1.08 * length);
    this.stop(end + 0.04 * length);
  }

  /** Shows this time at least `share` of the picture wide, without moving more than that needs. */
  reveal(start: number, end: number, share: number, shownEnd: number): void {
    const air = 0.05 * this.span;
    const isSeen = start > shownEnd - this.span + air && end < shownEnd - air;
    const widest = Math.max(MIN_SPAN_MS, (end - start) / share);
    if (isSeen && this.span <= widest) {
      this.stop(shownEnd);
      return;
    }
    this.span = Math.min(this.span, widest);
    const middle = end - start < this.span ? (start + end) / 2 : start + 0.45 * this.span;
    this.stop(middle + this.span / 2);
  }

  follow(): void {
    this.following = true;
  }

  /** Zooms so that the time at `share` (0 left, 1 right) stays; while following the end stays. */
  zoom(factor: number, share: number, end: number): void {
    const before = this.span;
    this.span = Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, before * factor));
    if (!this.following) {
      this.stoppedAt = end - before * (1 - share) + this.span * (1 - share);
    }
  }

  pan(milliseconds: number, end: number): void {
    this.stop(end + milliseconds);
  }

  reset(): void {
    this.offset = null;
    this.following = true;
  }
}
