// The button that goes on by itself, from picture to picture, until the last one.
import { h } from './dom';

const PLAY_MS = 1600;

export class Player {
  readonly button = h('button.hyb-tool', { type: 'button', onclick: () => this.toggle() });
  private timer: ReturnType<typeof setInterval> | undefined;

  /** `what` is played; `go`: one on, from the last one to the first; tells whether there are more. */
  constructor(
    private readonly what: string,
    private readonly go: () => boolean
  ) {
    this.show();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.show();
  }

  private toggle(): void {
    if (this.timer !== undefined) {
      this.stop();
      return;
    }
    this.timer = setInterval(() => this.next(), PLAY_MS);
    this.show();
    this.next();
  }

  private next(): void {
    if (!this.button.isConnected || !this.go()) {
      this.stop();
    }
  }

  private show(): void {
    const isOn = this.timer !== undefined;
    const title = isOn ? 'Stop' : `Play the ${this.what}`;
    this.button.textContent = isOn ? '■' : '▶';
    this.button.title = title;
    this.button.setAttribute('aria-label', title);
  }
}
