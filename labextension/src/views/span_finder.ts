// Spans that a person looks for, points at or has chosen: a search, marks on them, arrows and words.
import type { Span } from '../frame_records';
import type { Window } from './aggregate';
import { h } from './dom';
import { flowWords } from './flow_words';
import { paintFlow } from './paint_flow';
import { paintBoxes } from './paint_marks';
import { SearchBar } from './search_bar';
import { SpanFocus } from './span_focus';
import { SpanQuery, unsearched } from './span_search';
import type { SpanStore } from './span_store';
import type { Theme } from './theme';
import { rowsOf } from './timeline_rows';
import { spanWords } from './timeline_words';

const WORDS = {
  placeholder: 'Find operators',
  label: 'Find operators by name, line or code'
};

export interface FinderEvents {
  /** the picture has to be drawn anew */
  draw: () => void;
  /** a hit is to be shown */
  reveal: (span: Span) => void;
  /** the search was closed */
  closed: () => void;
}

export class SpanFinder {
  readonly bar: SearchBar<Span>;
  /** words of the chosen span */
  readonly note = h('p.hyb-chosen', { role: 'status' });
  private readonly focus = new SpanFocus();
  private query: SpanQuery | null = null;

  /** `store`: the spans, now */
  constructor(
    private readonly store: () => SpanStore,
    private readonly events: FinderEvents
  ) {
    this.bar = new SearchBar(WORDS, {
      find: query => {
        this.query = new SpanQuery(this.store(), query);
        return this.query.find();
      },
      unseen: () => unsearched(this.store()),
      found: hits => {
        this.query = hits.length > 0 ? this.query : null;
        events.draw();
      },
      go: span => {
        events.reveal(span);
        this.choose(span);
      },
      closed: events.closed
    });
  }

  choose(span: Span | null): void {
    this.focus.chosen = span;
    this.focus.hovered = null; // until the pointer moves
    this.say();
    this.events.draw();
  }

  point(span: Span | null): void {
    if (span !== this.focus.hovered) {
      this.focus.hovered = span;
      this.events.draw();
    }
  }

  /** More is known than before. */
  again(): void {
    this.bar.again();
    this.say();
  }

  /** The spans are gone. */
  clear(): void {
    this.focus.clear();
    this.again();
  }

  /** Draws marks and arrows; tells how many hits are in sight, and the kinds of arrows. */
  paint(
    context: CanvasRenderingContext2D,
    view: Window,
    theme: Theme,
    now: number
  ): { found: number; arrows: string } {
    const store = this.store();
    const { query } = this;
    const { chosen } = this.focus;
    const found = query
      ? paintBoxes(context, store, view, span => query.holds(span), theme.change)
      : 0;
    if (chosen) {
      paintBoxes(context, store, view, span => span === chosen, theme.text);
    }
    const flow = this.focus.flow(store, now);
    if (flow) {
      paintFlow(context, rowsOf(store), flow, view, theme);
    }
    return { found, arrows: flow?.arrows.map(({ kind }) => kind).join(' ') ?? '' };
  }

  /** What is told of a span, of its arrows, too, where they are drawn. */
  lines(span: Span): string[] {
    const store = this.store();
    const flow = this.focus.span === span ? this.focus.flow(store, performance.now()) : null;
    return [...spanWords(span, store), ...flowWords(flow, store)];
  }

  private say(): void {
    const { chosen, hovered } = this.focus;
    if (hovered && hovered !== chosen) {
      return; // the arrows are the other one's
    }
    const text = chosen ? this.lines(chosen).join(' · ') : '';
    if (this.note.textContent !== text) {
      this.note.textContent = text;
    }
  }
}
