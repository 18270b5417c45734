// Files that code stands in: where JupyterLab has them, and their editors.
import type { EditorView } from '@codemirror/view';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import { PageConfig } from '@jupyterlab/coreutils';
import { DocumentWidget } from '@jupyterlab/docregistry';
import { served } from './served';

export class SourceFiles {
  constructor(private readonly app: JupyterFrontEnd) {}

  /**
   * The server's path of a file that a kernel knows, which works in the notebook's folder; null: the
   * server does not serve it.
   */
  pathOf(file: string, notebook: string): string | null {
    return served(file, notebook, PageConfig.getOption('serverRoot'));
  }

  /** The editor of a file that is open; null: it is not. */
  editorOf(path: string): EditorView | null {
    return this.open().find(file => file.path === path)?.view ?? null;
  }

  /** The file in an editor; null: it is none of a file. */
  fileIn(view: EditorView): string | null {
    return this.open().find(file => file.view === view)?.path ?? null;
  }

  /** Opens a file beside a notebook; tells whether it is there. */
  async show(path: string, notebook: string): Promise<boolean> {
    if (/^[/~]/.test(path)) {
      return false; // as the kernel calls it
    }
    const { contents } = this.app.serviceManager;
    const found = await contents.get(path, { content: false }).catch(() => null);
    if (found?.type !== 'file') {
      return false;
    }
    const options = { mode: 'split-right', ref: notebook };
    const opened: unknown = await this.app.commands.execute('docmanager:open', {
      path,
      factory: 'Editor',
      options
    });
    if (opened instanceof DocumentWidget) {
      await opened.context.ready;
      await opened.revealed;
    }
    return this.editorOf(path) !== null;
  }

  private open(): { path: string; view: EditorView }[] {
    return [...this.app.shell.widgets('main')].flatMap(widget => {
      const content: unknown = widget instanceof DocumentWidget ? widget.content : null;
      const view = (content as { editor?: CodeMirrorEditor } | null)?.editor?.editor;
      return view && widget instanceof DocumentWidget ? [{ path: widget.context.path, view }] : [];
    });
  }
}
