// CodeMirror: words behind the lines that waited for the engine. They are no part of the code.
import { StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import { h } from '../views/dom';

const setNotes = StateEffect.define<ReadonlyMap<number, string>>();

class Note extends WidgetType {
  constructor(private readonly text: string) {
    super();
  }

  override eq(other: Note): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    return h('span.hyb-wait-note', { title: this.text }, this.text);
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const notes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    let next = shown.map(transaction.changes);
    const { doc } = transaction.state;
    // What is said of a line holds no more when it was edited.
    transaction.changes.iterChangedRanges((_, __, from, to) => {
      const [start, end] = [doc.lineAt(from).from, doc.lineAt(to).to];
      next = next.update({ filter: at => at < start || at > end });
    });
    for (const effect of transaction.effects) {
      if (effect.is(setNotes)) {
        const valid = [...effect.value].filter(([line]) => line >= 1 && line <= doc.lines);
        next = Decoration.set(
          valid
            .sort(([a], [b]) => a - b)
            .map(([line, text]) =>
              Decoration.widget({ widget: new Note(text), side: 1 }).range(doc.line(line).to)
            )
        );
      }
    }
    return next;
  },
  provide: field => EditorView.decorations.from(field)
});

/** The extension for every editor. */
export const waitNotes: Extension = notes;

/** Writes these words behind lines, counted from 1, and none behind others. */
export function noteWaits(view: EditorView, texts: ReadonlyMap<number, string>): void {
  view.dispatch({ effects: setNotes.of(texts) });
}
