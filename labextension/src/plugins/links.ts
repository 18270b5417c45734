// Ties pictures to the code they came from: node to line, cursor to nodes.
import { Notification } from '@jupyterlab/apputils';
import { Cell } from '@jupyterlab/cells';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { EditorView } from '@codemirror/view';
import { Signal, type ISignal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';
import type { Site } from '../frames';
import type { LineNote } from '../views/line_waits';
import type { Place } from '../views/paint_marks';
import { markLines } from './line_marks';
import { noteWaits } from './wait_notes';
import type { Shown, Viewers } from './viewers';

export class Links {
  private marked: EditorView | null = null;
  private readonly lineSignal = new Signal<this, Place | null>(this);

  constructor(
    private readonly tracker: INotebookTracker,
    private readonly viewers: Viewers
  ) {}

  /** Marks the lines of a viewer's cell that its chosen nodes came from. */
  showLines(shown: Shown, lines: number[], focus: boolean): void {
    const cell = this.cellOf(shown);
    if (cell) {
      const ran = shown.spec.cell?.lines ?? [];
      this.markRan(cell, new Map(lines.map(line => [line, ran[line - 1] ?? ''])), focus);
    }
  }

  /** Shows where a span of the timeline was pushed. */
  showSite(site: Site): void {
    const cell = site.cell === null ? null : this.cellById(site.cell);
    if (cell && site.line !== null) {
      this.markRan(cell, new Map([[site.line, site.code]]), true);
    }
  }

  /** Writes behind the lines of a cell what is said of them; none: there is nothing to say. */
  noteLines(id: string, notes: readonly LineNote[]): void {
    const cell = this.cellById(id);
    const view = cell && viewOf(cell);
    if (cell && view) {
      const now = cell.model.sharedModel.getSource().split('\n');
      const texts = notes.flatMap(({ site, text }) => {
        const line = site.line === null ? null : sameLine(now, site.line, site.code);
        return line === null ? [] : [[line, text] as const];
      });
      noteWaits(view, new Map(texts));
    }
  }

  /** The cursor stands on a line of a cell, null: on none that is known. */
  get lineChanged(): ISignal<this, Place | null> {
    return this.lineSignal;
  }

  /** The cursor of an editor went to a line: viewers of that cell point at its nodes. */
  cursorMoved(view: EditorView, line: number | null): void {
    const text = line === null ? '' : view.state.doc.line(line).text;
    for (const shown of this.viewers.all()) {
      const cell = this.cellOf(shown);
      if (cell && viewOf(cell) === view) {
        const ran = shown.spec.cell?.lines ?? [];
        shown.viewer.highlightLine(line === null ? null : sameLine(ran, line, text));
      }
    }
    const cell = this.cells().find(one => viewOf(one) === view);
    const code = sameCode(text);
    this.lineSignal.emit(
      cell && line !== null && code !== '' ? { cell: cell.model.id, line, code } : null
    );
  }

  // Lines as they ran, each with its code; a click on one that is gone says so.
  private markRan(cell: Cell, ran: Map<number, string>, focus: boolean): void {
    const lines = currentLines(cell, ran);
    this.mark(cell, lines, focus);
    if (focus && lines.length === 0 && ran.size > 0) {
      const gone = [...ran.keys()].join(', ');
      Notification.info(`The cell was edited since it ran: what was line ${gone} is not there.`, {
        autoClose: 4000
      });
    }
  }

  private mark(cell: Cell, lines: number[], focus: boolean): void {
    const view = viewOf(cell);
    if (this.marked && this.marked !== view && this.marked.dom.isConnected) {
      markLines(this.marked, [], false);
    }
    this.marked = view;
    if (view) {
      markLines(view, lines, focus);
      if (focus) {
        cell.node.scrollIntoView({ block: 'nearest' });
      }
    }
  }

  // The cell that ran; where its id is not known (a copied notebook), the one that holds the output.
  private cellOf(shown: Shown): Cell | null {
    const id = shown.spec.cell?.id ?? null;
    return (id === null ? null : this.cellById(id)) ?? cellAround(shown.owner);
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

// The cell may have been edited since it ran: a line is marked where its code is now.
function currentLines(cell: Cell, ran: Map<number, string>): number[] {
  const now = cell.model.sharedModel.getSource().split('\n');
  return [...ran].flatMap(([line, text]) =>
    text.trim() === '' ? [line] : (sameLine(now, line, text) ?? [])
  );
}

// Which of `lines` is a line of another version; null: none, or there are several like it.
function sameLine(lines: readonly string[], line: number, text: string): number | null {
  const code = sameCode(text);
  const codes = lines.map(sameCode);
  if (codes[line - 1] === code) {
    return line;
  }
  const at = codes.indexOf(code);
  return code === '' || at < 0 || codes.includes(code, at + 1) ? null : at + 1;
}

// The kernel sends a line without its indentation, cut when it is long.
function sameCode(line: string): string {
  return line.trim().slice(0, 200);
}
