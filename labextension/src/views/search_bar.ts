// A search over a picture: a field that opens over it, hits one after the other.
import { h } from './dom';
import { plural } from './format';

export interface SearchEvents<T> {
  /** what holds these words, in the order in which it is gone through */
  find: (query: string) => T[];
  /** what was not searched; '': nothing */
  unseen?: () => string;
  /** all hits, to be pointed at; none: the search is over */
  found: (hits: T[]) => void;
  /** one hit, to be shown */
  go: (hit: T) => void;
  /** the field was closed: the keyboard goes back to the picture */
  closed: () => void;
}

/** The words of the field: on it while it is empty, and for those who do not see it. */
export interface SearchWords {
  placeholder: string;
  label: string;
}

export class SearchBar<T> {
  readonly element: HTMLElement;
  private readonly field: HTMLInputElement;
  private readonly count = h('span.hyb-quiet', { role: 'status' });
  private hits: T[] = [];
  private at = -1;

  constructor(
    words: SearchWords,
    private readonly events: SearchEvents<T>
  ) {
    this.field = h('input', {
      type: 'search',
      placeholder: words.placeholder,
      'aria-label': words.label,
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

  /** Looks again, since the picture is another; the hit that was gone to keeps its place. */
  again(): void {
    const current = this.hits[this.at];
    if (!this.element.hidden) {
      this.search();
      const at = current === undefined ? -1 : this.hits.indexOf(current);
      if (at >= 0) {
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
    this.count.textContent = query === '' ? '' : plural(this.hits.length, 'hit') + this.unseen();
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
    this.count.textContent = `${this.at + 1} of ${this.hits.length}${this.unseen()}`;
  }

  private unseen(): string {
    const words = this.events.unseen?.() ?? '';
    return words && `, ${words}`;
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
