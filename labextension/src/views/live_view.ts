// The bytes alive at each step as stacked areas, on the steps of the memory plan above them.
import type { Memory } from '../spec';
import { h } from './dom';
import { bytes } from './format';
import { aliveAt, columnsOf, valueAt, type Column, type Layer, type LiveBytes } from './live_bytes';
import { describeStep, layerName, peakSentence } from './live_words';
import { byteTicks } from './memory_geometry';
import { LEFT, RIGHT } from './memory_plot';
import { CATEGORY } from './palette';
import { strokeLine, write } from './paint_text';
import { Surface } from './surface';
import { mix, readTheme, type Theme } from './theme';

const TOP = 14;
const BOTTOM = 20;
const HEADROOM = 1.08;

export interface LiveViewEvents {
  hoverNodes: (ids: number[]) => void;
  selectNodes: (ids: number[]) => void;
}

export class LiveView {
  readonly element: HTMLElement;
  private readonly plot = h('div.hyb-plot.hyb-live', {
    role: 'slider',
    tabindex: 0,
    'aria-label': 'Step of the program'
  });
  private readonly reading = h('p.hyb-note.hyb-reading');
  private readonly surface: Surface;
  private theme: Theme | null = null;
  private withHeld = true;
  /** pointed at; null: the peak is told */
  private step: number | null = null;

  constructor(
    private readonly memory: Memory,
    private readonly live: LiveBytes,
    private readonly lines: string[],
    private readonly events: LiveViewEvents
  ) {
    const held = live.layers.some(layer => layer.held);
    this.element = h(
      'section.hyb-living',
      { 'aria-label': 'Bytes alive at each step' },
      h(
        'div.hyb-living-head',
        {},
        h('h4', {}, 'Bytes alive at each step'),
        held && this.heldSwitch()
      ),
      this.plot,
      this.reading,
      this.keys()
    );
    this.surface = new Surface(this.plot, context => this.paint(context));
    this.plot.dataset.peak = String(live.made[live.peak]);
    this.plot.setAttribute('aria-valuemin', '0');
    this.plot.setAttribute('aria-valuemax', String(live.steps - 1));
    this.plot.addEventListener('pointermove', event => this.point(this.stepUnder(event)));
    this.plot.addEventListener('pointerleave', () => this.point(null));
    this.plot.addEventListener('blur', () => this.point(null));
    this.plot.addEventListener('click', event => this.choose(this.stepUnder(event)));
    this.plot.addEventListener('keydown', event => this.key(event));
    this.tell();
  }

  themeChanged(): void {
    this.theme = null;
    this.surface.draw();
  }

  dispose(): void {
    this.surface.dispose();
  }

  private heldSwitch(): HTMLElement {
    const box = h('input', { type: 'checkbox', checked: true });
    box.addEventListener('change', () => {
      this.withHeld = box.checked;
      this.surface.draw();
    });
    return h('label.hyb-held', {}, box, 'with the arrays that were there before');
  }

  private keys(): HTMLElement {
    const { layers, peak } = this.live;
    const chips = layers.map(layer => {
      const swatch = h(`i.hyb-layer${layer.held ? '.hyb-hatched' : ''}`, { 'aria-hidden': 'true' });
      swatch.style.setProperty('--hyb-swatch', layerColor(layer.category));
      return h('span.hyb-chip', {}, swatch, `${layerName(layer)} ${bytes(layer.bytes[peak])}`);
    });
    return h(
      'div.hyb-legend',
      {},
      ...chips,
      h(
        'span.hyb-hint',
        {},
        'Sizes are those at the peak. What a kernel needs while it runs (its workspace) is not planned and not counted.'
      )
    );
  }

  private stepUnder(event: MouseEvent): number | null {
    const { left } = this.plot.getBoundingClientRect();
    const each = (this.surface.width - LEFT - RIGHT) / this.live.steps;
    const step = Math.floor((event.clientX - left - LEFT) / each);
    return step >= 0 && step < this.live.steps ? step : null;
  }

  private point(step: number | null): void {
    if (step === this.step) {
      return;
    }
    this.step = step;
    this.tell();
    this.surface.draw();
    this.events.hoverNodes(step === null ? [] : this.nodesAt(step));
  }

  private choose(step: number | null): void {
    const node = step === null ? undefined : this.memory.steps[step]?.node;
    this.events.selectNodes(node === undefined || node < 0 ? [] : [node]);
  }

  private key(event: KeyboardEvent): void {
    const now = this.step ?? this.live.peak;
    const last = this.live.steps - 1;
    const to: Record<string, number> = {
      ArrowLeft: now - 1,
      ArrowRight: now + 1,
      Home: 0,
      End: last
    };
    if (event.key in to) {
      this.point(Math.min(Math.max(to[event.key], 0), last));
      event.preventDefault();
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.choose(now);
      event.preventDefault();
    }
  }

  // The values in memory: what a buffer holds at that step, not what it holds later.
  private nodesAt(step: number): number[] {
    return this.memory.buffers
      .filter(b => b.kind !== 'input' && b.start <= step && step <= b.end)
      .map(buffer => valueAt(buffer, step)?.node ?? buffer.node);
  }

  private tell(): void {
    const step = this.step ?? this.live.peak;
    const said = describeStep(this.memory, this.lines, step, aliveAt(this.memory, step));
    this.reading.textContent = this.step === null ? peakSentence(said) : said;
    this.plot.setAttribute('aria-valuenow', String(step));
    this.plot.setAttribute('aria-valuetext', this.reading.textContent);
  }

  private shownLayers(): Layer[] {
    return this.live.layers.filter(layer => this.withHeld || !layer.held);
  }

  private x(step: number): number {
    return LEFT + (step / this.live.steps) * (this.surface.width - LEFT - RIGHT);
  }

  private paint(context: CanvasRenderingContext2D): void {
    const theme = (this.theme ??= readTheme(this.element));
    const { width, height } = this.surface;
    const { steps } = this.live;
    const layers = this.shownLayers();
    const totals = this.live.made.map((_, step) => sumAt(layers, step));
    const top = Math.max(1, ...totals) * HEADROOM;
    const y = (n: number) => height - BOTTOM - (n / top) * (height - TOP - BOTTOM);
    const right = this.x(steps);
    const font = `11px ${theme.uiFont}`;
    context.clearRect(0, 0, width, height);
    context.lineWidth = 1;
    context.strokeStyle = mix(theme.background, theme.line, 0.6);
    for (const tick of byteTicks(top, 3)) {
      const at = Math.round(y(tick)) + 0.5;
      strokeLine(context, LEFT, at, right, at);
      write(context, bytes(tick), LEFT - 8, at, font, theme.muted, 'right');
    }
    const columns = columnsOf(totals, right - LEFT);
    const ground = columns.map(() => 0);
    for (const layer of layers) {
      this.paintLayer(context, theme, layer, columns, ground, y);
      columns.forEach(({ step }, i) => (ground[i] += layer.bytes[step]));
    }
    this.paintMarks(context, theme, totals, y);
  }

  // One area: its upper edge to the right, its lower edge back.
  private paintLayer(
    context: CanvasRenderingContext2D,
    theme: Theme,
    { category, held, bytes: heights }: Layer,
    columns: Column[],
    ground: number[],
    y: (n: number) => number
  ): void {
    const color = layerColor(category);
    context.beginPath();
    columns.forEach(({ from, to, step }, i) => {
      context.lineTo(this.x(from), y(ground[i] + heights[step]));
      context.lineTo(this.x(to), y(ground[i] + heights[step]));
    });
    for (let i = columns.length - 1; i >= 0; i--) {
      context.lineTo(this.x(columns[i].to), y(ground[i]));
      context.lineTo(this.x(columns[i].from), y(ground[i]));
    }
    context.closePath();
    context.fillStyle = mix(theme.background, color, held ? 0.22 : theme.dark ? 0.75 : 0.65);
    context.fill();
    context.setLineDash(held ? [2, 3] : []);
    context.strokeStyle = color;
    context.lineWidth = 0.8;
    context.stroke();
    context.setLineDash([]);
  }

  private paintMarks(
    context: CanvasRenderingContext2D,
    theme: Theme,
    totals: number[],
    y: (n: number) => number
  ): void {
    const { peak } = this.live;
    const bottom = this.surface.height - BOTTOM;
    const font = `600 11px ${theme.uiFont}`;
    const mark = (step: number, color: string, dash: number[]) => {
      const at = this.x(step + 0.5);
      context.strokeStyle = color;
      context.lineWidth = 1.4;
      context.setLineDash(dash);
      strokeLine(context, at, TOP - 6, at, bottom);
      context.setLineDash([]);
      write(context, `step ${step}`, at, bottom + 11, font, color, 'center');
    };
    mark(peak, theme.text, [4, 3]);
    const at = this.x(this.live.steps) + 12;
    const made = this.live.made[peak];
    write(context, `alive ${bytes(made)}`, at, y(totals[peak]), font, theme.text);
    if (totals[peak] > made) {
      const before = `there before ${bytes(totals[peak] - made)}`;
      write(context, before, at, y(totals[peak] - made), font, theme.muted);
    }
    if (this.step !== null && this.step !== peak) {
      mark(this.step, theme.accent, []);
    }
  }
}

function sumAt(layers: Layer[], step: number): number {
  return layers.reduce((sum, layer) => sum + layer.bytes[step], 0);
}

function layerColor(category: Layer['category']): string {
  return category === null ? '#6f6f6f' : CATEGORY[category].color;
}
