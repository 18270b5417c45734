// The notebooks that come with the package: a copy of one is written beside the user's own.
import { InputDialog, Notification } from '@jupyterlab/apputils';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PageConfig, PathExt, URLExt } from '@jupyterlab/coreutils';
import type { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { ServerConnection, type Contents } from '@jupyterlab/services';
import { list, object, string } from '../decode';
import { hybridIcon } from './icon';

export const OPEN_NOTEBOOK = 'jupyter-hybrid:open-notebook';

const readIndex = list(object({ file: string, title: string }));

/** The command that asks for a notebook, writes a copy into the current folder and opens it. */
export function addNotebooks(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  browser: IDefaultFileBrowser | null
): void {
  const { contents, serverSettings } = app.serviceManager;
  const shipped = async (file: string): Promise<unknown> => {
    const base = PageConfig.getOption('fullLabextensionsUrl');
    const path = URLExt.join(base, 'jupyter-hybrid', 'notebooks', file);
    const url = new URL(path, serverSettings.baseUrl).href;
    const answer = await ServerConnection.makeRequest(url, {}, serverSettings);
    if (!answer.ok) {
      throw new Error(`${file} did not come with this installation (${answer.status})`);
    }
    return answer.json();
  };
  const folder = () =>
    browser?.model.path ?? PathExt.dirname(tracker.currentWidget?.context.path ?? '');
  const ask = async () => {
    const notebooks = readIndex(await shipped('index.json'), 'notebooks');
    const here = folder();
    const chosen = await InputDialog.getItem({
      title: 'Notebooks of jupyter_hybrid',
      label: `A copy is written to ${here ? `the folder "${here}"` : 'the top folder'}. One of its name that is there already is opened as it is.`,
      items: notebooks.map(({ title }) => title),
      okLabel: 'Open'
    });
    const notebook = notebooks.find(({ title }) => title === chosen.value);
    if (!chosen.button.accept || !notebook) {
      return;
    }
    const path = PathExt.join(here, notebook.file);
    if (!(await exists(contents, path))) {
      const content = await shipped(notebook.file);
      await contents.save(path, { type: 'notebook', format: 'json', content });
    }
    await app.commands.execute('docmanager:open', { path, factory: 'Notebook' });
  };
  app.commands.addCommand(OPEN_NOTEBOOK, {
    label: 'Notebooks of jupyter_hybrid…',
    caption: 'Copy one of the package’s notebooks, such as the tour, and open it',
    icon: hybridIcon,
    execute: () =>
      ask().catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        Notification.error(`The notebook can't be opened: ${why}`, { autoClose: 8000 });
      })
  });
}

async function exists(contents: Contents.IManager, path: string): Promise<boolean> {
  try {
    await contents.get(path, { content: false });
    return true;
  } catch (error) {
    if (error instanceof ServerConnection.ResponseError && error.response.status === 404) {
      return false;
    }
    throw error;
  }
}
