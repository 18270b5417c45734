// The memory plan on a canvas: a rectangle for each buffer, time (steps) by offset (bytes).
import type { Buffer, Memory } from '../spec';
import { h } from './dom';
import { bytes } from './format';
import {
  boxUnder,
  byteTicks,
  layoutMemory,
  type BufferBox,
  type Handover,
  type MemoryLayout
} from './memory_geometry';
import { bufferColor } from './palette';
import { fitText, roundRect, strokeLine, write } from './paint_text';
import { Surface } from './surface';
import { mix, readTheme, type Theme } from './theme';
import { Tooltip } from './tooltip';

/** Pixels beside the steps, the same for every plot over them. */
export const LEFT = 64;
export const RIGHT = 150;
const TOP = 22;
const HEADROOM = 1.06; // of the highest level
const BOTTOM = 44;

/** Both get a buffer; null: none. */
export interface MemoryPlotEvents {
  select: (buffer: Buffer | null) => void;
  hover: (buffer: Buffer | null) => void;
}

export class MemoryPlot {
  readonly element = h('div.hyb-plot');
  private readonly list = h('ul', { 'aria-label': 'Buffers of the memory plan' });
  private readonly surface: Surface;
  private readonly tooltip: Tooltip;
  private layout!: MemoryLayout;
  /** when each buffer was placed, and how many of them are shown */
  private readonly order: Map<number, number>;
  private shown: number;
  private theme: Theme | null = null;
  private selected = new Set<number>();
  private hovered = new Set<number>();

  constructor(
    private memory: Memory,
    private readonly events: MemoryPlotEvents
  ) {
    this.element.style.height = '320px';
    this.order = new Map(memory.placed.map((id, index) => [id, index]));
    this.shown = memory.placed.length;
    this.surface = new Surface(this.element, context => this.paint(context));
    this.tooltip = new Tooltip(this.element);
    this.element.append(h('div.hyb-hidden', {}, this.list));
    this.element.addEventListener('pointermove', event => this.point(event));
    this.element.addEventListener('pointerleave', () => {
      this.tooltip.hide();
      this.events.hover(null);
    });
    this.element.addEventListener('click', event => {
      this.events.select(this.hit(event)?.buffer ?? null);
    });
    this.show(memory);
  }

  /** Draws these offsets of the same buffers. */
  show(memory: Memory): void {
    this.memory = memory;
    this.layout = layoutMemory(memory);
    this.element.dataset.buffers = String(this.layout.boxes.length);
    const boxes = this.layout.boxes.slice(0, 240);
    this.list.replaceChildren(...boxes.map(box => h('li', {}, describeBox(box))));
    this.surface.draw();
  }

  /** Draws the first `count` that the planner placed. */
  showPlaced(count: number): void {
    this.shown = count;
    this.surface.draw();
  }

  get hasOutputs(): boolean {
    return this.layout.boxes.some(box => box.buffer.kind === 'output');
  }

  get hasHandovers(): boolean {
    return this.layout.handovers.length > 0;
  }

  /** Ids of buffers. */
  setSelected(buffers: number[]): void {
    this.selected = new Set(buffers);
    this.light();
  }

  setHovered(buffers: number[]): void {
    this.hovered = new Set(buffers);
    this.light();
  }

  private light(): void {
    this.element.dataset.lit = [...new Set([...this.selected, ...this.hovered])].join(' ');
    this.surface.draw();
  }

  themeChanged(): void {
    this.theme = null;
    this.surface.draw();
  }

  dispose(): void {
    this.surface.dispose();
  }

  private x(step: number): number {
    return LEFT + (step / this.layout.steps) * (this.surface.width - LEFT - RIGHT);
  }

  private y(offset: number): number {
    const height = this.surface.height - TOP - BOTTOM;
    return TOP + height - (offset / (this.layout.top * HEADROOM)) * height;
  }

  private paint(context: CanvasRenderingContext2D): void {
    const theme = (this.theme ??= readTheme(this.element));
    const { width, height } = this.surface;
    context.clearRect(0, 0, width, height);
    this.paintAxes(context, theme);
    this.paintLevels(context, theme);
    const isShown = ({ buffer }: BufferBox) => (this.order.get(buffer.id) ?? -1) < this.shown;
    for (const box of this.layout.boxes.filter(isShown)) {
      this.paintBox(context, box, theme);
    }
    for (const handover of this.layout.handovers.filter(o => isShown(o.from) && isShown(o.to))) {
      this.paintHandover(context, handover, theme);
    }
  }

  private paintAxes(context: CanvasRenderingContext2D, theme: Theme): void {
    const { layout } = this;
    const right = this.x(layout.steps);
    const font = (context.font = `11px ${theme.uiFont}`);
    context.lineWidth = 1;
    for (const tick of byteTicks(layout.top, 5)) {
      const y = Math.round(this.y(tick)) + 0.5;
      context.strokeStyle = mix(theme.background, theme.line, 0.6);
      strokeLine(context, LEFT, y, right, y);
      write(context, bytes(tick), LEFT - 8, y, font, theme.muted, 'right');
    }
    const arenaTop = this.y(layout.arena);
    context.fillStyle = mix(theme.background, theme.muted, 0.06);
    context.fillRect(LEFT, arenaTop, right - LEFT, this.y(0) - arenaTop);
    const each = (right - LEFT) / layout.steps;
    const every = Math.max(1, Math.ceil(56 / Math.max(each, 0.01)));
    for (let step = 0; step < layout.steps; step += every) {
      const x = this.x(step + 0.5);
      const y = this.y(0) + 13;
      const info = this.memory.steps[step];
      const label = fitText(
        context,
        info ? info.label : step === this.memory.steps.length ? 'end' : '',
        each * every - 6
      );
      write(context, label, x, y, font, theme.muted, 'center');
      if (info?.line) {
        write(context, `line ${info.line}`, x, y + 14, font, theme.faint, 'center');
      }
    }
  }

  private paintBox(context: CanvasRenderingContext2D, box: BufferBox, theme: Theme): void {
    const { buffer } = box;
    const x = this.x(box.x0) + 1;
    const w = Math.max(1, this.x(box.x1) - this.x(box.x0) - 2);
    const y = this.y(box.y1) + 0.5;
    const h = Math.max(1, this.y(box.y0) - this.y(box.y1) - 1);
    const color = bufferColor(buffer.id);
    const output = buffer.kind === 'output';
    roundRect(context, x, y, w, h, 4);
    context.fillStyle = mix(theme.background, color, theme.dark ? 0.4 : 0.24);
    context.fill();
    context.lineWidth = 1.3;
    context.strokeStyle = mix(theme.background, color, 0.85);
    context.setLineDash(output ? [5, 3] : []);
    context.stroke();
    context.setLineDash([]);
    if (this.selected.has(buffer.id) || this.hovered.has(buffer.id)) {
      roundRect(context, x - 1, y - 1, w + 2, h + 2, 5);
      context.lineWidth = this.selected.has(buffer.id) ? 2.6 : 1.6;
      context.strokeStyle = theme.accent;
      context.stroke();
    }
    if (h >= 14 && w > 30) {
      const two = h >= 34;
      const bold = (context.font = `600 12px ${theme.uiFont}`);
      const name = fitText(context, `${buffer.id}: ${buffer.label}`, w - 14);
      write(context, name, x + 8, y + h / 2 - (two ? 8 : 0), bold, theme.text);
      if (two) {
        const plain = (context.font = `11px ${theme.uiFont}`);
        const where = fitText(context, bytes(buffer.bytes) + (output ? ', output' : ''), w - 14);
        write(context, where, x + 8, y + h / 2 + 9, plain, theme.muted);
      }
    }
  }

  private paintHandover(
    context: CanvasRenderingContext2D,
    { to, x, from }: Handover,
    theme: Theme
  ): void {
    const px = this.x(x);
    const low = Math.max(from.y0, to.y0);
    const high = Math.min(from.y1, to.y1);
    const py = this.y(high > low ? (low + high) / 2 : to.y0 + to.buffer.bytes / 2);
    context.beginPath();
    context.arc(px, py, 8.5, 0, 2 * Math.PI);
    context.fillStyle = theme.background;
    context.fill();
    context.strokeStyle = theme.text;
    context.lineWidth = 1.2;
    context.stroke();
    write(context, '→', px, py, `600 12px ${theme.uiFont}`, theme.text, 'center');
  }

  private paintLevels(context: CanvasRenderingContext2D, theme: Theme): void {
    const { memory, layout } = this;
    const levels = [
      { value: memory.imperative, label: 'imperative', color: theme.muted, dash: [2, 3] },
      { value: memory.planned, label: 'planned', color: theme.accent, dash: [] },
      { value: memory.lower_bound, label: 'lower bound', color: theme.change, dash: [7, 4] }
    ];
    const right = this.x(layout.steps);
    let free = -Infinity;
    for (const level of levels.sort((a, b) => b.value - a.value)) {
      if (level.value <= 0) {
        continue;
      }
      const beyond = level.value > layout.top;
      const y = this.y(beyond ? layout.top * HEADROOM : level.value);
      if (!beyond) {
        context.strokeStyle = level.color;
        context.lineWidth = 1.8;
        context.setLineDash(level.dash);
        strokeLine(context, LEFT, y, right + 8, y);
        context.setLineDash([]);
      }
      const textY = Math.max(y, free);
      free = textY + 14;
      const font = `600 11px ${theme.uiFont}`;
      const text = `${beyond ? '↑ ' : ''}${level.label} ${bytes(level.value)}`;
      write(context, text, right + 12, textY, font, level.color);
    }
    if (layout.arena > 0 && this.hasOutputs) {
      const y = this.y(layout.arena);
      context.strokeStyle = theme.faint;
      context.lineWidth = 1;
      strokeLine(context, LEFT, y, right, y);
    }
  }

  private hit(event: MouseEvent): BufferBox | null {
    const bounds = this.element.getBoundingClientRect();
    const { layout, surface } = this;
    const x =
      ((event.clientX - bounds.left - LEFT) / (surface.width - LEFT - RIGHT)) * layout.steps;
    const height = surface.height - TOP - BOTTOM;
    const up = (TOP + height - (event.clientY - bounds.top)) / height;
    return boxUnder(layout, x, up * layout.top * HEADROOM);
  }

  private point(event: PointerEvent): void {
    const box = this.hit(event);
    this.events.hover(box?.buffer ?? null);
    this.element.style.cursor = box ? 'pointer' : '';
    if (!box) {
      this.tooltip.hide();
      return;
    }
    const { buffer } = box;
    const lines = [`buffer ${buffer.id}: ${buffer.label}`, describeSpace(box)];
    lines.push(`alive from step ${buffer.start} to ${buffer.end}`);
    if (buffer.shares.length > 0) {
      lines.push(`in place: shares its space with buffer ${buffer.shares.join(', ')}`);
    }
    if (buffer.line !== null) {
      lines.push(`line ${buffer.line}`);
    }
    const bounds = this.element.getBoundingClientRect();
    this.tooltip.show(lines, event.clientX - bounds.left, event.clientY - bounds.top);
  }
}

function describeSpace({ buffer }: BufferBox): string {
  return buffer.kind === 'output'
    ? `${bytes(buffer.bytes)}, an output: storage of its own`
    : `${bytes(buffer.bytes)} at offset ${buffer.offset}`;
}

function describeBox(box: BufferBox): string {
  const { buffer } = box;
  const shared = buffer.shares.length > 0 ? `, in place of buffer ${buffer.shares.join(', ')}` : '';
  return (
    `buffer ${buffer.id}, ${buffer.label}, ${describeSpace(box)}, ` +
    `steps ${buffer.start} to ${buffer.end}${shared}`
  );
}
