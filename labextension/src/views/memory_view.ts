// The memory plan: its rectangles, the bytes alive at each step, by line, and the planner's methods.
import type { Memory } from '../spec';
import { h } from './dom';
import { bytes } from './format';
import { LineTable } from './line_table';
import { liveBytes } from './live_bytes';
import { LiveView } from './live_view';
import { memoryFigures, unknown } from './memory_figures';
import { placedBy } from './memory_geometry';
import { MemoryPlot, type MemoryPlotEvents } from './memory_plot';
import { plannersTable } from './planners_table';

export interface MemoryViewEvents extends MemoryPlotEvents {
  /** nodes of the plan that are pointed at; none: at none */
  hoverNodes: (ids: number[]) => void;
  selectNodes: (ids: number[]) => void;
}

export class MemoryView {
  readonly element: HTMLElement;
  private readonly plot: MemoryPlot;
  private readonly live: LiveView;
  private readonly replayBar: HTMLElement | null;
  private readonly other = h('p.hyb-note', { role: 'status', hidden: true });
  // Both stand in one place, so that nothing moves when another is seen.
  private readonly whose = h(
    'p.hyb-note.hyb-whose',
    {},
    h('span', {}, 'The memory plan: a rectangle for each buffer, over the steps that it is alive.'),
    h('span', {}, 'This is the plan of the last stage: the chosen stage has no buffers yet.')
  );
  private timer = 0;

  /** `lines`: of the user's cell, if there is one. */
  constructor(
    private readonly memory: Memory,
    lines: string[],
    events: MemoryViewEvents
  ) {
    this.plot = new MemoryPlot(memory, events);
    const live = liveBytes(memory);
    this.live = new LiveView(memory, live, lines, events);
    this.replayBar = this.replay();
    const said = unknown(memory);
    const table = new LineTable(memory, live.peak, lines, events);
    this.element = h(
      'div.hyb-memory',
      {},
      this.whose,
      this.plot.element,
      this.other,
      this.key(),
      this.replayBar,
      memoryFigures(memory, live),
      said && h('p.hyb-note', {}, said),
      this.live.element,
      table.element,
      plannersTable(memory, index => this.showAttempt(index))
    );
  }

  /** Whether the stage that is chosen is the planned one. */
  setPlanned(planned: boolean): void {
    this.whose.classList.toggle('hyb-early', !planned);
  }

  /** Ids of buffers. */
  setSelected(buffers: number[]): void {
    this.plot.setSelected(buffers);
  }

  setHovered(buffers: number[]): void {
    this.plot.setHovered(buffers);
  }

  themeChanged(): void {
    this.plot.themeChanged();
    this.live.themeChanged();
  }

  dispose(): void {
    clearInterval(this.timer);
    this.plot.dispose();
    this.live.dispose();
  }

  // The rectangles as another method places them; null: as the plan has them.
  private showAttempt(index: number | null): void {
    clearInterval(this.timer);
    const attempt = index === null ? null : this.memory.attempts[index];
    this.plot.showPlaced(this.memory.placed.length);
    this.plot.show(attempt ? placedBy(this.memory, attempt) : this.memory);
    this.other.hidden = attempt === null;
    this.other.textContent = attempt
      ? `Drawn as “${attempt.method}” places the buffers: ${bytes(attempt.bytes)}. It is not the plan that runs.`
      : '';
    if (this.replayBar) {
      this.replayBar.hidden = attempt !== null;
    }
  }

  /** Shows again how the planner placed one buffer after the other. */
  private replay(): HTMLElement | null {
    const all = this.memory.placed.length;
    if (all < 2) {
      return null;
    }
    const said = h('span', {});
    const range = h('input', { type: 'range', min: 0, max: all, 'aria-label': 'Buffers placed' });
    const show = (count: number) => {
      range.value = String(count);
      const method = this.memory.method && `, ${this.memory.method}`;
      said.textContent = `${count} of ${all} placed${method}`;
      this.plot.showPlaced(count);
    };
    range.addEventListener('input', () => {
      clearInterval(this.timer);
      show(Number(range.value));
    });
    const play = () => {
      clearInterval(this.timer);
      show(0);
      this.timer = window.setInterval(
        () =>
          Number(range.value) < all ? show(Number(range.value) + 1) : clearInterval(this.timer),
        Math.max(30, Math.min(400, 4000 / all))
      );
    };
    show(all);
    const button = h('button', { type: 'button', onclick: play }, '▶ placing');
    return h('div.hyb-replay', {}, button, range, said);
  }

  private key(): HTMLElement {
    const kinds = ['solid: in the arena, at its offset'];
    if (this.plot.hasOutputs) {
      kinds.push('dashed: an output, storage of its own, stacked on top');
    }
    if (this.plot.hasHandovers) {
      kinds.push('arrow: taken over in place');
    }
    return h('div.hyb-legend', {}, h('span.hyb-hint', {}, kinds.join(' · ')));
  }
}
