// The whole picture in a corner, with what is seen of it; there only where not all is seen.
import type { Camera } from './camera';
import { h } from './dom';
import type { Drawn } from './drawn';
import type { Warmth } from './heat';
import { nodeColor, warmColor } from './paint_node';
import type { Theme } from './theme';
import { under } from './under';

type Heated = ReadonlyMap<number, Warmth> | null;

const WIDEST = 140;
const NARROWEST = 26;
/** In a plot that is less wide it would cover the graph. */
const NEEDED = 560;
/** Of the plot's height. */
const TALLEST = 0.45;
const EDGE = 3;

/** From the edges of the plot. */
const OFF = '10px';
/** Whether it is at the right and at the bottom; the button of the steps is in the other one. */
const CORNERS = [
  [true, true],
  [false, true],
  [true, false]
] as const;

type Size = { width: number; height: number };
type View = Pick<Camera, 'scale' | 'x' | 'y'>;

export class Minimap {
  readonly element = h('canvas.hyb-minimap', { 'aria-hidden': 'true' });
  private readonly whole = document.createElement('canvas');
  private of: { drawn: Drawn; heat: Heated; theme: Theme; height: number } | null = null;
  private across = 1;
  private down = 1;

  /** `move`: a person wants this place of the layout in the middle. */
  constructor(move: (x: number, y: number) => void) {
    const go = (event: PointerEvent) => {
      const bounds = this.element.getBoundingClientRect();
      move(
        (event.clientX - bounds.left - EDGE) / this.across,
        (event.clientY - bounds.top - EDGE) / this.down
      );
      event.stopPropagation();
    };
    this.element.addEventListener('pointerdown', event => {
      this.element.setPointerCapture(event.pointerId);
      go(event);
    });
    this.element.addEventListener('pointermove', event => event.buttons === 1 && go(event));
    for (const kind of ['pointerup', 'dblclick'] as const) {
      this.element.addEventListener(kind, event => event.stopPropagation());
    }
    this.element.hidden = true;
  }

  /**
   * `heat`: by card; null: cards have the colour of what they are. `first`: the view of a picture that
   * nobody has moved yet, in which it covers nothing; else it stays where it is.
   */
  paint(
    { drawn, heat }: { drawn: Drawn; heat: Heated },
    camera: Camera,
    theme: Theme,
    view: Size,
    first: View | null
  ): void {
    const seen = {
      x: -camera.x / camera.scale,
      y: -camera.y / camera.scale,
      w: view.width / camera.scale,
      h: view.height / camera.scale
    };
    const all = seen.x <= 24 && seen.y <= 24 && seen.x + seen.w >= drawn.width - 24;
    this.element.hidden = view.width < NEEDED || (all && seen.y + seen.h >= drawn.height - 24);
    if (this.element.hidden) {
      return;
    }
    const { height: tall } = view;
    const of = this.of;
    const same = of?.drawn === drawn && of.heat === heat && of.theme === theme;
    if (!same || of.height !== tall) {
      this.of = { drawn, heat, theme, height: tall };
      this.paintWhole(drawn, heat, theme, tall * TALLEST);
    }
    const { width, height } = this.whole;
    if (first) {
      const [w, h] = [width + 20, height + 20];
      const free = CORNERS.find(([right, down]) => {
        const place = {
          x: right ? view.width - w / 2 : w / 2,
          y: down ? view.height - h / 2 : h / 2
        };
        return under(drawn, first, { ...place, w, h }).length === 0;
      });
      this.element.hidden = !free;
      const [right, down] = free ?? CORNERS[0];
      this.element.style.inset = `${down ? 'auto' : OFF} ${right ? OFF : 'auto'} ${down ? OFF : 'auto'} ${right ? 'auto' : OFF}`;
    }
    this.element.width = width;
    this.element.height = height;
    const context = this.element.getContext('2d') as CanvasRenderingContext2D;
    context.drawImage(this.whole, 0, 0);
    const left = Math.max(1, EDGE + seen.x * this.across);
    const top = Math.max(1, EDGE + seen.y * this.down);
    const right = Math.min(width - 1, EDGE + (seen.x + seen.w) * this.across);
    const bottom = Math.min(height - 1, EDGE + (seen.y + seen.h) * this.down);
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    context.strokeRect(left, top, Math.max(3, right - left), Math.max(3, bottom - top));
  }

  // The scales differ where the picture is so long that its width would be a hair.
  private paintWhole(drawn: Drawn, heat: Heated, theme: Theme, tallest: number): void {
    const scale = Math.min(WIDEST / drawn.width, tallest / drawn.height);
    const width = Math.max(NARROWEST, drawn.width * scale);
    const height = Math.max(NARROWEST, drawn.height * scale);
    this.across = width / drawn.width;
    this.down = height / drawn.height;
    this.whole.width = Math.ceil(width + 2 * EDGE);
    this.whole.height = Math.ceil(height + 2 * EDGE);
    const context = this.whole.getContext('2d') as CanvasRenderingContext2D;
    context.fillStyle = theme.background;
    context.fillRect(0, 0, this.whole.width, this.whole.height);
    context.fillStyle = theme.raised;
    for (const f of drawn.frames) {
      this.box(context, f.x, f.y, f.w, f.h);
    }
    for (const card of drawn.cards) {
      context.fillStyle = heat
        ? warmColor(theme, heat.get(card.id) ?? null)
        : nodeColor(card, false);
      this.box(context, card.x, card.y, card.w, card.h);
    }
  }

  private box(context: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
    context.fillRect(
      EDGE + (x - w / 2) * this.across,
      EDGE + (y - h / 2) * this.down,
      Math.max(1, w * this.across),
      Math.max(1, h * this.down)
    );
  }
}
