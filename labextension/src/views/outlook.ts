// Where a person looks at a picture: its camera, and where that goes for the next picture.
import { Camera } from './camera';
import type { Drawn } from './drawn';
import { firstView, held, stepView } from './framing';
import type { Motion } from './motion';
import type { Shown } from './shown';
import type { Size } from './surface';

/** The middle of the view as a share of the picture; zoom 1: as at first. */
export interface Gaze {
  x: number;
  y: number;
  zoom: number;
}

export class Outlook {
  readonly camera = new Camera();
  /** the person has moved it, so that it stays for other pictures */
  moved = false;

  /** `view`: the size of what is seen, as it is now. */
  constructor(private readonly view: Size) {}

  get isSeen(): boolean {
    return this.view.width > 0;
  }

  gaze(drawn: Size): Gaze {
    const { x, y } = this.camera.locate(this.view.width / 2, this.view.height / 2);
    const zoom = this.camera.scale / this.firstScale(drawn);
    return { x: x / drawn.width, y: y / drawn.height, zoom };
  }

  look({ x, y, zoom }: Gaze, drawn: Size): void {
    this.camera.scale = zoom * this.firstScale(drawn);
    this.centre(x * drawn.width, y * drawn.height);
    this.moved = true;
  }

  /** Brings a place of the layout to the middle. */
  centre(x: number, y: number): void {
    const { camera, view } = this;
    camera.x = view.width / 2 - x * camera.scale;
    camera.y = view.height / 2 - y * camera.scale;
  }

  zoom(factor: number): void {
    this.camera.zoom(factor, this.view.width / 2, this.view.height / 2);
  }

  /** Shows a picture as at first: whole, or from its inputs on. */
  first(drawn: Drawn): void {
    this.moved = false;
    Object.assign(this.camera, firstView(drawn, this.view));
  }

  whole({ width, height }: Size): void {
    this.camera.fit(width, height, this.view, true);
  }

  /** Where the camera goes for the next picture; null: it stays. `anchor`: a group that stays. */
  next(before: Shown | null, shown: Shown, anchor: number | null) {
    if (!this.isSeen) {
      return null;
    }
    const stays = anchor === null || !before ? null : held(anchor, before, shown, this.camera);
    if (stays) {
      return stays;
    }
    return shown.step && shown.step !== before?.step
      ? stepView(before, shown, this.camera, this.view)
      : this.moved
        ? null
        : firstView(shown.drawn, this.view);
  }

  /** The view had that size: what is in the middle stays there where the person has moved it. */
  resized(before: Size, drawn: Drawn, motion: Motion | null): void {
    const { camera, view } = this;
    const { scale, x, y } = motion?.aim ?? camera;
    const dx = (view.width - before.width) / 2;
    const dy = (view.height - before.height) / 2;
    const isKept = this.moved && before.width > 0;
    const place = isKept ? { scale, x: x + dx, y: y + dy } : firstView(drawn, view);
    if (motion?.aim) {
      motion.aimAt(place);
    } else {
      Object.assign(camera, place);
    }
  }

  private firstScale({ width, height }: Size): number {
    const camera = new Camera();
    camera.fit(width, height, this.view);
    return camera.scale;
  }
}
