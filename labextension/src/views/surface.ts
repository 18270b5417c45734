// A canvas that fills its host at the device's pixel ratio and draws once a frame when asked.

export interface Size {
  width: number;
  height: number;
}

export class Surface {
  readonly canvas: HTMLCanvasElement;
  width = 0;
  height = 0;
  private request = 0;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly host: HTMLElement,
    private readonly paint: (context: CanvasRenderingContext2D, now: number) => void,
    private readonly resized: (before: Size) => void = () => undefined
  ) {
    this.canvas = document.createElement('canvas');
    this.canvas.setAttribute('aria-hidden', 'true');
    this.canvas.className = 'hyb-canvas';
    host.append(this.canvas);
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(host);
  }

  /** Asks for one frame; asking again before it is drawn costs nothing. */
  draw(): void {
    if (this.request === 0) {
      this.request = requestAnimationFrame(now => {
        this.request = 0;
        this.frame(now);
      });
    }
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    this.observer.disconnect();
    this.canvas.remove();
  }

  private measure(): void {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth === 0 || clientHeight === 0) {
      return; // hidden or detached: keep the picture until it is seen again
    }
    if (clientWidth !== this.width || clientHeight !== this.height) {
      const before = { width: this.width, height: this.height };
      this.width = clientWidth;
      this.height = clientHeight;
      this.resized(before);
    }
    this.draw();
  }

  private frame(now: number): void {
    const context = this.canvas.getContext('2d');
    if (!context || this.width === 0 || this.host.offsetParent === null) {
      return; // not seen: the observer asks again when it is
    }
    const ratio = globalThis.devicePixelRatio || 1;
    const width = Math.round(this.width * ratio);
    const height = Math.round(this.height * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paint(context, now);
  }
}
