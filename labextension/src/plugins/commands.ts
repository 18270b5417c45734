// The commands: switch %%hybridize on the active cell, show the panel.
import { Notification, type ICommandPalette } from '@jupyterlab/apputils';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { hybridIcon } from './icon';
import type { LivePanel } from './live_panel';
import { modeOf, toggleHybridize } from './toggle_magic';

export const TOGGLE = 'jupyter-hybrid:toggle-hybridize';
export const SHOW_PANEL = 'jupyter-hybrid:show-panel';
/** Cell metadata: the options behind %%hybridize while it is switched off. */
const KEPT = 'jupyter_hybrid';

export function addCommands(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  panel: LivePanel,
  palette: ICommandPalette | null
): void {
  const activeCode = () => {
    const cell = tracker.activeCell;
    return cell?.model.type === 'code' ? cell : null;
  };
  app.commands.addCommand(TOGGLE, {
    label: 'Hybridize Cell',
    caption: 'Switch %%hybridize on the active cell on or off',
    icon: hybridIcon,
    isEnabled: () => activeCode() !== null,
    isToggled: () => modeOf(activeCode()?.model.sharedModel.getSource() ?? '') === 'symbolic',
    execute: () => {
      const model = activeCode()?.model;
      if (!model) {
        return;
      }
      const kept = model.getMetadata(KEPT) as { options?: unknown } | undefined;
      const options = typeof kept?.options === 'string' ? kept.options : '';
      const toggled = toggleHybridize(model.sharedModel.getSource(), options);
      if (!toggled) {
        Notification.warning('This cell begins with another magic: %%hybridize must come first.');
        return;
      }
      model.sharedModel.setSource(toggled.source);
      if (!toggled.on && toggled.options) {
        model.setMetadata(KEPT, { options: toggled.options });
      } else {
        model.deleteMetadata(KEPT);
      }
      app.commands.notifyCommandChanged(TOGGLE);
    }
  });
  app.commands.addCommand(SHOW_PANEL, {
    label: 'Show Queue and Devices',
    caption: panel.title.caption,
    icon: hybridIcon,
    execute: () => app.shell.activateById(panel.id)
  });
  tracker.activeCellChanged.connect(() => app.commands.notifyCommandChanged(TOGGLE));
  for (const command of [TOGGLE, SHOW_PANEL]) {
    palette?.addItem({ command, category: 'Hybrid' });
  }
}
