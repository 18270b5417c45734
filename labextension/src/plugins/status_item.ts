// The status bar's word on the current notebook: how its cells run, and what its engine does.
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { IStatusBar } from '@jupyterlab/statusbar';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { EngineState } from '../frames';
import { h } from '../views/dom';
import { plural } from '../views/format';
import type { LiveConnection } from './live_connection';
import type { LiveConnections } from './live_connections';

/** What the page knows of one kernel without asking it. */
interface Known {
  engine: EngineState | null;
  /** operators that wait or run; null: nobody watches the queue, so the kernel does not send it */
  pending: number | null;
}

export class StatusItem extends Widget {
  readonly activeChanged = new Signal<this, void>(this);
  private readonly known = new WeakMap<LiveConnection, Known>();
  private readonly button: HTMLButtonElement;

  constructor(
    private readonly tracker: INotebookTracker,
    private readonly connections: LiveConnections,
    open: () => void
  ) {
    super();
    this.addClass('hyb-status-item');
    this.button = h('button', { type: 'button', onclick: open });
    this.node.append(this.button);
    connections.added.connect((_, connection) => this.add(connection));
    connections.modeChanged.connect(() => this.draw());
    tracker.currentChanged.connect(() => this.draw());
    this.draw();
  }

  /** Whether the current notebook has to do with us. */
  readonly isActive = () => this.current?.concerned === true;

  private get current(): LiveConnection | null {
    const panel = this.tracker.currentWidget;
    return panel ? this.connections.of(panel) : null;
  }

  private add(connection: LiveConnection): void {
    const known: Known = { engine: null, pending: null };
    this.known.set(connection, known);
    const redraw = () => this.draw();
    connection.messages.connect((_, message) => {
      if (message.type === 'frame' || message.type === 'status') {
        known.engine = message.engine ?? known.engine;
        known.pending = message.type === 'frame' ? message.pending : known.pending;
        redraw();
      }
    });
    connection.watchedChanged.connect(() => {
      known.pending = null;
      redraw();
    });
    connection.stateChanged.connect(redraw);
    this.draw();
  }

  private draw(): void {
    const { current } = this;
    const known = current && this.known.get(current);
    const mode = current && this.connections.modeOf(current.panel);
    const words = current && known ? wordsOf(current, known, mode) : '';
    if (this.button.textContent !== words) {
      this.button.textContent = words;
    }
    const title = `${sentence(known?.engine ?? null)}Click: show queue and devices`;
    if (this.button.title !== title) {
      this.button.title = title;
    }
    this.activeChanged.emit();
  }
}

function wordsOf(connection: LiveConnection, known: Known, mode: string | null): string {
  switch (connection.state) {
    case 'no kernel':
      return 'Hybrid: no kernel';
    case 'asking':
      return 'Hybrid: no answer yet';
    case 'waiting':
      return 'Hybrid: not loaded';
    case 'lost':
      return 'Hybrid: not understood';
    case 'connected': {
      const pending =
        known.pending === null ? '' : ` · ${known.pending.toLocaleString('en')} pending`;
      const slow = known.engine?.slow ? ' · slowed' : '';
      return `Hybrid: ${mode ?? 'connected'}${pending}${slow}`;
    }
  }
}

function sentence(engine: EngineState | null): string {
  if (!engine) {
    return '';
  }
  const limit =
    engine.limit === null ? '' : `, at most ${plural(engine.limit, 'operator')} pending`;
  const slow = engine.slow ? `, each operator held ${engine.slow} s` : '';
  return `Engine: ${engine.kind}, small operators ${engine.inline ? 'at once' : 'queued'}${limit}${slow}. `;
}

export function addStatusItem(bar: IStatusBar, item: StatusItem): void {
  bar.registerStatusItem('jupyter-hybrid:status', {
    item,
    align: 'left',
    rank: 4,
    isActive: item.isActive,
    activeStateChanged: item.activeChanged
  });
}
