// CodeMirror: marks the lines that a chosen node came from, and tells where the cursor is.
import { StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';

const setLines = StateEffect.define<number[]>();
const mark = Decoration.line({ class: 'hyb-source-line' });

const lines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setLines)) {
        const { doc } = transaction.state;
        const valid = effect.value.filter(n => n >= 1 && n <= doc.lines).sort((a, b) => a - b);
        next = Decoration.set(valid.map(n => mark.range(doc.line(n).from)));
      }
    }
    return next;
  },
  provide: field => EditorView.decorations.from(field)
});

/** The extension for every editor; `moved` gets the cursor's line, null when the editor is left. */
export function lineMarks(moved: (view: EditorView, line: number | null) => void): Extension {
  return [
    lines,
    EditorView.updateListener.of(update => {
      if (update.focusChanged && !update.view.hasFocus) {
        moved(update.view, null);
      } else if (update.view.hasFocus && (update.selectionSet || update.focusChanged)) {
        const { state } = update;
        moved(update.view, state.doc.lineAt(state.selection.main.head).number);
      }
    })
  ];
}

/** Marks these lines, counted from 1, and no others. */
export function markLines(view: EditorView, numbers: number[], scroll: boolean): void {
  const effects: StateEffect<unknown>[] = [setLines.of(numbers)];
  if (scroll && numbers.length > 0 && numbers[0] <= view.state.doc.lines) {
    effects.push(EditorView.scrollIntoView(view.state.doc.line(numbers[0]).from, { y: 'nearest' }));
  }
  view.dispatch({ effects });
}
