// Which spans a search finds: by the operator's name, the line that pushed it and its code.
import { FLAG, type Span } from '../frame_records';
import type { Site } from '../frames';
import { plural } from './format';
import type { SpanStore } from './span_store';

/** Does a span hold all words of a query? Words are looked for once a name and a line. */
export class SpanQuery {
  private readonly words: string[];
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly store: SpanStore,
    query: string
  ) {
    this.words = query.toLowerCase().split(/\s+/).filter(Boolean);
  }

  /** Of a span of several kinds no name is known. */
  holds(span: Span): boolean {
    if (span.name === 0 || this.words.length === 0) {
      return false;
    }
    const key = `${span.name} ${span.site}`;
    let holds = this.known.get(key);
    if (holds === undefined) {
      const name = this.store.names.get(span.name) ?? '';
      const text = `${name} ${textOf(this.store.sites.get(span.site))}`.toLowerCase();
      holds = this.words.every(word => text.includes(word));
      this.known.set(key, holds);
    }
    return holds;
  }

  /** Those that are kept one by one, in the order of their starts; waits are none. */
  find(): Span[] {
    const found: Span[] = [];
    for (const ring of this.store.rings) {
      for (let i = 0; i < ring.length; i++) {
        const span = ring.at(i);
        if (!(span.flags & FLAG.wait) && this.holds(span)) {
          found.push(span);
        }
      }
    }
    return found.sort((a, b) => a.start - b.start);
  }
}

function textOf(site: Site | undefined): string {
  return site ? `${site.text} line ${site.line ?? ''} ${site.code}` : '';
}

/** What cannot be searched: operators of several kinds in one span, not recorded, or too old. */
export function unsearched(store: SpanStore): string {
  let operators = 0;
  for (const ring of store.rings) {
    operators += ring.operators;
    for (let i = 0; i < ring.length; i++) {
      const span = ring.at(i);
      operators -= span.name === 0 || span.flags & FLAG.wait ? 0 : span.count;
    }
  }
  return operators > 0 ? `${plural(operators, 'operator')} whose names are not kept` : '';
}
