// The JupyterLab extension: ties the parts in plugins/ together.
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { EditorExtensionRegistry, IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';
import { Badges } from './plugins/badges';
import { addCommands, SHOW_PANEL } from './plugins/commands';
import { lineMarks } from './plugins/line_marks';
import { Links } from './plugins/links';
import { LiveConnections } from './plugins/live_connections';
import { LivePanel } from './plugins/live_panel';
import { graphRendererFactory } from './plugins/mime';
import { openModelFiles } from './plugins/model_files';
import { addNotebooks, OPEN_NOTEBOOK } from './plugins/notebooks';
import { openPanelWith, type PanelOpens } from './plugins/panel_opens';
import { SourceFiles } from './plugins/source_files';
import { addStatusItem, StatusItem } from './plugins/status_item';
import { Viewers } from './plugins/viewers';
import { waitNotes } from './plugins/wait_notes';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-hybrid:plugin',
  description: 'Graph viewer, live queue panel, cell badges and the hybridize button.',
  autoStart: true,
  requires: [INotebookTracker, IRenderMimeRegistry, IEditorExtensionRegistry],
  optional: [ISettingRegistry, ICommandPalette, ILayoutRestorer, IStatusBar, IDefaultFileBrowser],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    rendermime: IRenderMimeRegistry,
    editors: IEditorExtensionRegistry,
    registry: ISettingRegistry | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    statusBar: IStatusBar | null,
    browser: IDefaultFileBrowser | null
  ) => {
    const viewers = new Viewers();
    const links = new Links(tracker, viewers, new SourceFiles(app));
    editors.addExtension({
      name: 'jupyter-hybrid:lines',
      factory: () =>
        EditorExtensionRegistry.createImmutableExtension([
          lineMarks((view, line) => links.cursorMoved(view, line)),
          waitNotes
        ])
    });
    const connections = new LiveConnections(tracker, viewers);
    rendermime.addFactory(
      graphRendererFactory(viewers, links, shown => connections.switching(shown))
    );
    openModelFiles(app.docRegistry, rendermime, app.serviceManager);
    const panel = new LivePanel(tracker, connections, links, viewers);
    app.shell.add(panel, 'right', { rank: 900 });
    restorer?.add(panel, panel.id);
    const badges = new Badges(tracker, connections);
    addCommands(app, tracker, panel, connections, palette);
    addNotebooks(app, tracker, browser);
    palette?.addItem({ command: OPEN_NOTEBOOK, category: 'Hybrid' });
    const showPanel = () => void app.commands.execute(SHOW_PANEL);
    if (statusBar) {
      addStatusItem(statusBar, new StatusItem(tracker, connections, showPanel));
    }
    const settings = registry?.load(plugin.id).catch(() => null);
    const panelOpens = async () =>
      ((await settings)?.get('panelOpens').composite ?? 'asked') as PanelOpens;
    openPanelWith(tracker, connections, panelOpens, showPanel);
    void settings?.then(loaded => {
      const apply = () => badges.setEnabled(loaded?.get('badges').composite !== false);
      loaded?.changed.connect(apply);
      apply();
    });
  }
};

export default plugin;
