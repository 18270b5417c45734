// One live connection for each open notebook.
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import type { Ran } from '../frames';
import { LiveConnection } from './live_connection';
import type { Mode } from './toggle_magic';
import type { Shown, Viewers } from './viewers';

const NO_KERNEL = 'no kernel that knows this cell is connected. Run the cell again.';

export class LiveConnections {
  readonly added = new Signal<this, LiveConnection>(this);
  /** the mode of cells without a magic became known or changed */
  readonly modeChanged = new Signal<this, NotebookPanel>(this);
  private readonly byPanel = new Map<NotebookPanel, LiveConnection>();
  private readonly ran = new WeakMap<NotebookPanel, Map<string, Ran>>();
  private readonly modes = new WeakMap<NotebookPanel, Mode>();

  constructor(tracker: INotebookTracker, viewers: Viewers) {
    tracker.widgetAdded.connect((_, panel) => this.add(panel, viewers));
    tracker.forEach(panel => this.add(panel, viewers));
    viewers.changed.connect((_, change) => {
      // The kernel that made the picture knows its id; the others ignore it.
      this.byPanel.forEach(connection => connection.send({ type: 'viewer', ...change }));
    });
    viewers.switched.connect((_, { from, name, kept }) => {
      this.around(from)?.send({ type: 'switch', id: from.spec.id, name, kept });
    });
    viewers.runAsked.connect((_, { from, ...request }) => {
      this.around(from)?.send({ type: 'run_stage', id: from.spec.id, ...request });
    });
  }

  /** Why the names of a picture cannot be switched; null: its kernel listens. */
  switching(shown: Shown): string | null {
    return this.around(shown)?.state === 'connected' ? null : NO_KERNEL;
  }

  of(panel: NotebookPanel): LiveConnection | null {
    return this.byPanel.get(panel) ?? null;
  }

  /** The mode of cells without a magic; null while no kernel has told. */
  modeOf(panel: NotebookPanel): Mode | null {
    return this.modes.get(panel) ?? null;
  }

  /** How a cell went when it ran last; null where the kernel has not told. */
  ranOf(panel: NotebookPanel, cell: string): Ran | null {
    return this.ran.get(panel)?.get(cell) ?? null;
  }

  // The notebook that shows a picture, or else the one with its cell (a view of an output).
  private around(shown: Shown): LiveConnection | null {
    let other: LiveConnection | null = null;
    for (const [panel, connection] of this.byPanel) {
      if (panel.node.contains(shown.owner.node)) {
        return connection;
      }
      const id = shown.spec.cell?.id;
      if (id && panel.content.widgets.some(cell => cell.model.id === id)) {
        other = connection;
      }
    }
    return other;
  }

  private add(panel: NotebookPanel, viewers: Viewers): void {
    if (this.byPanel.has(panel)) {
      return;
    }
    const connection = new LiveConnection(panel);
    this.byPanel.set(panel, connection);
    connection.messages.connect((_, message) => {
      if (message.type === 'viewer') {
        viewers.apply(message.id, message.stage, message.selected);
      } else if (message.type === 'spec') {
        viewers.replan(message.id, message.spec);
      } else if (message.type === 'refused') {
        viewers.setSwitching(message.why, entry => entry.spec.id === message.id);
      } else if (message.type === 'stage_ran') {
        viewers.stageRan(message);
      } else if (message.type === 'status') {
        this.modes.set(panel, message.mode);
        this.modeChanged.emit(panel);
      } else if (message.type === 'ran') {
        const cells = this.ran.get(panel) ?? new Map<string, Ran>();
        this.ran.set(panel, cells.set(message.cell, message));
        this.modeChanged.emit(panel);
      }
    });
    connection.stateChanged.connect((_, state) => {
      const mine = (entry: Shown) => this.around(entry) === connection;
      viewers.setSwitching(state === 'connected' ? null : NO_KERNEL, mine);
      if (state !== 'connected') {
        this.modes.delete(panel);
        this.ran.delete(panel);
        this.modeChanged.emit(panel);
      }
    });
    panel.disposed.connect(() => this.byPanel.delete(panel));
    this.added.emit(connection);
  }
}
