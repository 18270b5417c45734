// The badge on each code cell: how its last run went, or the mode in which it will run.
import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { h } from '../views/dom';
import { badgeWords } from './badge_words';
import type { LiveConnections } from './live_connections';
import { modeOf } from './toggle_magic';

export class Badges {
  private enabled = true;
  private readonly drawn = new WeakMap<Cell, () => void>();

  constructor(
    private readonly tracker: INotebookTracker,
    private readonly connections: LiveConnections
  ) {
    tracker.widgetAdded.connect((_, panel) => this.watch(panel));
    tracker.forEach(panel => this.watch(panel));
    connections.modeChanged.connect((_, panel) => this.refresh(panel));
  }

  setEnabled(enabled: boolean): void {
    this.enabled = enabled;
    this.tracker.forEach(panel => this.refresh(panel));
  }

  private watch(panel: NotebookPanel): void {
    // One look a frame, however many changes a keystroke or a paste brings.
    let asked = 0;
    const refresh = () => {
      cancelAnimationFrame(asked);
      asked = requestAnimationFrame(() => this.refresh(panel));
    };
    panel.content.modelContentChanged.connect(refresh);
    void panel.revealed.then(refresh);
  }

  private refresh(panel: NotebookPanel): void {
    if (panel.isDisposed) {
      return;
    }
    for (const cell of panel.content.widgets) {
      this.draw(panel, cell);
      if (!this.drawn.has(cell) && cell.model.type === 'code') {
        const redraw = () => this.draw(panel, cell);
        this.drawn.set(cell, redraw);
        cell.model.sharedModel.changed.connect(redraw);
        // A cell is built when it scrolls into view: its input is there only then.
        cell.inViewportChanged.connect(redraw);
        cell.disposed.connect(() => cell.model?.sharedModel.changed.disconnect(redraw));
      }
    }
  }

  private draw(panel: NotebookPanel, cell: Cell): void {
    if (cell.isDisposed || cell.model?.type !== 'code') {
      return;
    }
    const home = cell.node.querySelector<HTMLElement>(':scope > .jp-Cell-inputWrapper');
    const magic = modeOf(cell.model.sharedModel.getSource());
    // Without a magic the notebook's default holds; it is known once a kernel has our package.
    const { connections } = this;
    const told =
      magic === 'other'
        ? null
        : badgeWords(magic, connections.modeOf(panel), connections.ranOf(panel, cell.model.id));
    let badge = home?.querySelector<HTMLElement>(':scope > .hyb-badge') ?? null;
    if (!home || !this.enabled || !told) {
      badge?.remove();
      delete cell.node.dataset.hybridMode;
      return;
    }
    if (!badge) {
      badge = h('span.hyb-badge', { role: 'note' });
      home.append(badge);
    }
    const { words, title, isNext } = told;
    if (badge.textContent !== words || badge.title !== title) {
      badge.textContent = words;
      badge.title = title;
      badge.setAttribute('aria-label', `${isNext ? 'Next' : 'Last'} run: ${words}`);
    }
    badge.classList.toggle('hyb-explicit', magic !== null);
    badge.classList.toggle('hyb-next', isNext);
    cell.node.dataset.hybridMode = words.split(':')[0];
  }
}
