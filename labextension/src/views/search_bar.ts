// The search over a picture's nodes: a field that opens over the graph, hits one after the other.
import { h } from './dom';
import { plural } from './format';

export interface SearchEvents {
  /** the nodes whose texts hold these words, in the order of code */
  find: (query: string) => number[];
  /** all hits, to be pointed at; none: the search is over */
  found: (ids: number[]) => void;
  /** one hit, to be shown */
  go: (id: number) => void;
  /** the field was closed: the keyboard goes back to the graph */
  closed: () => void;
}

export class SearchBar {
  readonly element: HTMLElement;
  private readonly field: HTMLInputElement;
  private readonly count = h('span.hyb-quiet', { role: 'status' });
  private hits: number[] = [];
  private at = -1;

  constructor(private readonly events: SearchEvents) {
    this.field = h('input', {
      type: 'search',
      placeholder: 'Find a node',
      'aria-label': 'Find a node by name, operator, block or code',
      oninput: () => this.search(),
      onkeydown: (event: KeyboardEvent) => this.key(event)
    });
    const button = (text: string, title: string, onclick: () => void) =>
      h('button.hyb-tool', { type: 'button', title, 'aria-label': title, onclick }, text);
    this.element = h(
      'div.hyb-search',
      { role: 'search' },
      this.field,
      this.count,
      button('‹', 'Previous hit', () => this.step(-1)),
      button('›', 'Next hit', () => this.step(1)),
      button('×', 'Close the search', () => this.close())
    );
    this.element.hidden = true;
  }

  open(): void {
    this.element.hidden = false;
    this.field.focus({ preventScroll: true });
    this.field.select();
    this.search();
  }

  /** Looks again, in another picture; among the same hits the place is kept. */
  again(): void {
    const [before, at] = [this.hits.join(), this.at];
    if (!this.element.hidden) {
      this.search();
      if (at >= 0 && this.hits.join() === before) {
        this.at = at;
        this.tell();
      }
    }
  }

  private close(): void {
    this.element.hidden = true;
    this.events.found([]);
    this.events.closed();
  }

  private search(): void {
    const query = this.field.value.trim();
    this.hits = query === '' ? [] : this.events.find(query);
    this.at = -1;
    this.count.textContent = query === '' ? '' : plural(this.hits.length, 'hit');
    this.events.found(this.hits);
  }

  private step(by: number): void {
    const { length } = this.hits;
    if (length > 0) {
      this.at = this.at < 0 && by < 0 ? length - 1 : (this.at + by + length) % length;
      this.tell();
      this.events.go(this.hits[this.at]);
    }
  }

  private tell(): void {
    this.count.textContent = `${this.at + 1} of ${this.hits.length}`;
  }

  private key(event: KeyboardEvent): void {
    if (event.key === 'Enter') {
      this.step(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      this.close();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
