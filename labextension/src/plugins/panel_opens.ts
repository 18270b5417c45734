// When the panel opens by itself.
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { LiveConnections } from './live_connections';
import { METADATA } from './metadata';

/** never; with notebooks whose metadata ask for it; with each one whose kernel has our package */
export type PanelOpens = 'never' | 'asked' | 'always';

/** Calls `show` where the setting, which `when` reads, says so: once for each notebook. */
export function openPanelWith(
  tracker: INotebookTracker,
  connections: LiveConnections,
  when: () => Promise<PanelOpens>,
  show: () => void
): void {
  const opened = new WeakSet<NotebookPanel>();
  const openIf = async (panel: NotebookPanel, wanted: PanelOpens) => {
    const set = await when();
    if (set !== 'never' && (set === 'always' || wanted === 'asked') && !opened.has(panel)) {
      opened.add(panel);
      show();
    }
  };
  tracker.widgetAdded.connect((_, panel) => {
    void panel.context.ready.then(() => {
      const ours = panel.context.model.getMetadata(METADATA) as { panel?: unknown } | undefined;
      if (ours?.panel === 'open') {
        void openIf(panel, 'asked');
      }
    });
  });
  connections.added.connect((_, connection) => {
    connection.stateChanged.connect((_, state) => {
      if (state === 'connected') {
        void openIf(connection.panel, 'always');
      }
    });
  });
}
