// The commands: switch %%hybridize on the active cell, show the panel.
import { Notification, type ICommandPalette } from '@jupyterlab/apputils';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { hybridIcon, panelIcon } from './icon';
import type { LivePanel } from './live_panel';
import type { LiveConnections } from './live_connections';
import { METADATA } from './metadata';
import { modeOf, toggleHybridize } from './toggle_magic';

export const TOGGLE = 'jupyter-hybrid:toggle-hybridize';
export const SHOW_PANEL = 'jupyter-hybrid:show-panel';
const PANEL_TO = 'jupyter-hybrid:panel-';
/** Where the panel can stand. */
const AREAS = { right: 'in the Side Bar', down: 'Below the Notebook', main: 'as a Tab' };

export function addCommands(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  panel: LivePanel,
  connections: LiveConnections,
  palette: ICommandPalette | null
): void {
  const activeCode = () => {
    const cell = tracker.activeCell;
    return cell?.model.type === 'code' ? cell : null;
  };
  const standard = () =>
    (tracker.currentWidget && connections.modeOf(tracker.currentWidget)) ?? 'imperative';
  app.commands.addCommand(TOGGLE, {
    label: 'Hybridize Cell',
    caption: 'Switch %%hybridize on the active cell on or off',
    icon: hybridIcon,
    isEnabled: () => activeCode() !== null,
    isToggled: () => {
      const source = activeCode()?.model.sharedModel.getSource();
      return source !== undefined && (modeOf(source) ?? standard()) === 'symbolic';
    },
    execute: () => {
      const model = activeCode()?.model;
      if (!model) {
        return;
      }
      const kept = model.getMetadata(METADATA) as { options?: unknown } | undefined;
      const options = typeof kept?.options === 'string' ? kept.options : '';
      const toggled = toggleHybridize(model.sharedModel.getSource(), options, standard());
      if (!toggled) {
        Notification.warning('This cell begins with another magic: %%hybridize must come first.', {
          autoClose: 6000 // without it there is only a number beside a bell
        });
        return;
      }
      model.sharedModel.setSource(toggled.source);
      if (!toggled.on && toggled.options) {
        model.setMetadata(METADATA, { options: toggled.options });
      } else {
        model.deleteMetadata(METADATA);
      }
      app.commands.notifyCommandChanged(TOGGLE);
    }
  });
  app.commands.addCommand(SHOW_PANEL, {
    label: 'Show Queue and Devices',
    caption: panel.title.caption,
    icon: panelIcon,
    execute: () => {
      if (!panel.isAttached) {
        app.shell.add(panel, 'right'); // its tab was closed
      }
      app.shell.activateById(panel.id);
    }
  });
  for (const [area, place] of Object.entries(AREAS)) {
    app.commands.addCommand(PANEL_TO + area, {
      label: `Queue and Devices: ${place}`,
      caption: 'A wide timeline is easier to read',
      icon: panelIcon,
      execute: () => {
        panel.title.label = area === 'right' ? '' : 'Queue and devices';
        panel.title.closable = area !== 'right';
        app.shell.add(panel, area, area === 'main' ? { mode: 'split-bottom' } : {});
        app.shell.activateById(panel.id);
      }
    });
  }
  const changed = () => app.commands.notifyCommandChanged(TOGGLE);
  tracker.activeCellChanged.connect(changed);
  connections.modeChanged.connect(changed);
  const docks = Object.keys(AREAS).map(area => PANEL_TO + area);
  for (const command of [TOGGLE, SHOW_PANEL, ...docks]) {
    palette?.addItem({ command, category: 'Hybrid' });
  }
}
