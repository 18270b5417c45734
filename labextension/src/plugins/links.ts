// Ties pictures to the code they came from: node to line, cursor to nodes.
import { Notification } from '@jupyterlab/apputils';
import { Cell } from '@jupyterlab/cells';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { EditorView } from '@codemirror/view';
import { Signal, type ISignal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';
import type { Site } from '../frames';
import type { CodeLine } from '../views/code_lines';
import { visible } from '../visible';
import type { LineNote } from '../views/line_waits';
import type { Place } from '../views/paint_marks';
import { markLines } from './line_marks';
import { sameCode, sameLine } from './same_line';
import type { SourceFiles } from './source_files';
import { noteWaits } from './wait_notes';
import type { Shown, Viewers } from './viewers';

/** What shows a line of code: a cell, or an open file. */
interface Text {
  name: string;
  lines: string[];
  /** null: it is not drawn */
  view: EditorView | null;
  node: HTMLElement | null;
}

export class Links {
  private marked = new Set<EditorView>();
  private readonly lineSignal = new Signal<this, Place | null>(this);

  constructor(
    private readonly tracker: INotebookTracker,
    private readonly viewers: Viewers,
    private readonly files: SourceFiles
  ) {}

  /** Marks lines of code that a viewer's chosen nodes came from. */
  showCode(shown: Shown, code: readonly CodeLine[], focus: boolean): void {
    const own = this.cellOf(shown);
    const notebook = this.notebookOf(shown);
    const served = code.map(line => ({ ...line, file: this.served(line.file, notebook) }));
    this.mark(served, line => (line.own ? own : null), notebook, focus);
  }

  /** Shows where a span of the timeline of a notebook was pushed. */
  showSite({ line, ...site }: Site, notebook: NotebookPanel): void {
    if (line !== null) {
      this.mark([{ ...site, line, own: false }], () => null, notebook, true);
    }
  }

  /** Writes behind the lines of a cell what is said of them; none: there is nothing to say. */
  noteLines(id: string, notes: readonly LineNote[]): void {
    const cell = this.cellById(id);
    const view = cell && viewOf(cell);
    if (cell && view) {
      const now = linesOf(cell);
      const texts = notes.flatMap(({ site, text }) => {
        const line = site.line === null ? null : sameLine(now, site.line, site.code);
        return line === null ? [] : [[line, text] as const];
      });
      noteWaits(view, new Map(texts));
    }
  }

  /** The cursor stands on a line of a cell or a file, null: on none that is known. */
  get lineChanged(): ISignal<this, Place | null> {
    return this.lineSignal;
  }

  /** The server's path of a file that the kernel of a notebook knows; as it is where it has none. */
  served(file: string, notebook: NotebookPanel | null): string {
    return file === '' ? '' : (this.files.pathOf(file, notebook?.context.path ?? '') ?? file);
  }

  /** The cursor of an editor went to a line: viewers point at the nodes that came from it. */
  cursorMoved(view: EditorView, line: number | null): void {
    const text = line === null ? '' : view.state.doc.line(line).text;
    const code = sameCode(text);
    const cell = this.cells().find(one => viewOf(one) === view) ?? null;
    const path = cell ? null : this.files.fileIn(view);
    for (const shown of this.viewers.all()) {
      const notebook = this.notebookOf(shown);
      const own = cell !== null && shown.spec.cell !== null && this.cellOf(shown) === cell;
      const isHere = (place: Omit<Place, 'line' | 'code'>) =>
        cell
          ? place.cell === cell.model.id
          : path !== null && this.served(place.file, notebook) === path;
      if (own || shown.spec.places.some(isHere)) {
        const ran = own ? (shown.spec.cell?.lines ?? []) : [];
        shown.viewer.highlightLine(
          line === null ? null : sameLine(ran, line, text),
          place =>
            isHere(place) && code !== '' && place.line === line && sameCode(place.code) === code
        );
      }
    }
    const place = { cell: cell?.model.id ?? null, file: path ?? '' };
    const known = (cell || path) && line !== null && code !== '';
    this.lineSignal.emit(known ? { ...place, line, code } : null);
  }

  // Lines as they ran, of files by their served path, each marked where its code is now; a click on
  // one that is gone says so.
  private mark(
    code: readonly CodeLine[],
    ownCell: (line: CodeLine) => Cell | null,
    notebook: NotebookPanel | null,
    focus: boolean
  ): void {
    const marks = new Map<EditorView, number[]>();
    for (const line of code) {
      const text = this.textOf(line, ownCell(line));
      if (!text) {
        if (focus) {
          void this.open(line, notebook);
        }
        continue;
      }
      const at = line.code === '' ? line.line : sameLine(text.lines, line.line, line.code);
      if (text.view && at !== null) {
        marks.set(text.view, [...(marks.get(text.view) ?? []), at]);
      }
      if (focus) {
        text.node?.scrollIntoView({ block: 'nearest' });
      }
      if (focus && at === null) {
        say(`${text.name} was edited since it ran: what was line ${line.line} is not there.`);
      }
    }
    for (const view of this.marked) {
      if (!marks.has(view) && view.dom.isConnected) {
        markLines(view, [], false);
      }
    }
    marks.forEach((lines, view) => markLines(view, lines, focus));
    this.marked = new Set(marks.keys());
  }

  private textOf(line: CodeLine, own: Cell | null): Text | null {
    const cell = own ?? (line.cell === null ? null : this.cellById(line.cell));
    if (cell) {
      return { name: 'The cell', lines: linesOf(cell), view: viewOf(cell), node: cell.node };
    }
    const view = this.files.editorOf(line.file);
    const lines = view?.state.doc.toString().split('\n') ?? [];
    return view && { name: line.file, lines, view, node: null };
  }

  // A line that is not on the page: its file is opened, or it is said where it stands.
  private async open(line: CodeLine, notebook: NotebookPanel | null): Promise<void> {
    if (line.file !== '' && (await this.files.show(line.file, notebook?.id ?? ''))) {
      this.mark([line], () => null, notebook, true);
    } else if (line.file !== '') {
      say(`Line ${line.line} of ${line.file}: JupyterLab has no such file.`);
    } else {
      const home = line.cell === null ? 'code without a file' : 'a cell that is not open here';
      say(`Line ${line.line} stands in ${home}.`);
    }
  }

  // The cell that ran; where its id is not known (a copied notebook), the one that holds the output.
  private cellOf(shown: Shown): Cell | null {
    const id = shown.spec.cell?.id ?? null;
    return (id === null ? null : this.cellById(id)) ?? cellAround(shown.owner);
  }

  private notebookOf(shown: Shown): NotebookPanel | null {
    return this.tracker.find(panel => panel.node.contains(shown.owner.node)) ?? null;
  }

  private cellById(id: string): Cell | null {
    return this.cells().find(cell => cell.model.id === id) ?? null;
  }

  private cells(): Cell[] {
    const all: Cell[] = [];
    this.tracker.forEach(panel => all.push(...panel.content.widgets));
    return all;
  }
}

function say(text: string): void {
  Notification.info(visible(text), { autoClose: 4000 });
}

function cellAround(widget: Widget): Cell | null {
  let current: Widget | null = widget;
  while (current && !(current instanceof Cell)) {
    current = current.parent;
  }
  return current;
}

function viewOf(cell: Cell): EditorView | null {
  return (cell.editor as CodeMirrorEditor | null)?.editor ?? null;
}

function linesOf(cell: Cell): string[] {
  return cell.model.sharedModel.getSource().split('\n');
}
