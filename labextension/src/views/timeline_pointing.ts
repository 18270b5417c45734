// What a person points at or clicks on the timeline: words beside the pointer, its node, its line.
import type { Site } from '../frames';
import type { Window } from './aggregate';
import { counterWords } from './counter_words';
import { isOfNode } from './paint_marks';
import type { SpanFinder } from './span_finder';
import type { SpanStore } from './span_store';
import { titleWords } from './modelled_words';
import { hitAt, type Hit, type Place } from './timeline_hit';
import { placeWords } from './timeline_words';
import { Tooltip } from './tooltip';

export interface TimelineEvents {
  /** a span was clicked: where the user's code pushed it, or waited */
  site?: (site: Site) => void;
  /** a person points at a span of a program's node; null: at none */
  hover?: (process: string, serial: number | null) => void;
  /** such a span was clicked */
  choose?: (process: string, serial: number) => void;
}

/** What the timeline shows now. */
export interface Shown {
  store: SpanStore;
  view: Window;
  /** the kernel's time */
  now: number;
}

export class Pointing {
  private readonly tooltip: Tooltip;
  private pointed: number | null = null;

  constructor(
    plot: HTMLElement,
    private readonly shown: () => Shown,
    private readonly finder: SpanFinder,
    private readonly events: TimelineEvents
  ) {
    this.tooltip = new Tooltip(plot);
  }

  click(at: Place): void {
    const { store } = this.shown();
    const span = this.hit(at)?.span;
    this.finder.choose(span ?? null);
    if (span && isOfNode(span)) {
      this.events.choose?.(store.process, span.node);
    }
    const site = span && store.sites.get(span.site);
    if (site) {
      this.events.site?.(site);
    }
  }

  /** null: at nothing */
  point(at: Place | null): void {
    const hit = at && this.hit(at);
    this.pointAt(hit?.span && isOfNode(hit.span) ? hit.span.node : null);
    this.finder.point(hit?.span ?? null);
    const lines = hit ? this.wordsOf(hit) : [];
    if (!at || lines.length === 0) {
      this.tooltip.hide();
    } else {
      this.tooltip.show(lines, at.x, at.y);
    }
  }

  private hit(at: Place): Hit | null {
    const { store, view, now } = this.shown();
    return hitAt(store, at, view, now);
  }

  private wordsOf(hit: Hit): string[] {
    if (hit.row.kind === 'title') {
      return titleWords(this.shown().store, hit.row.device);
    }
    if (hit.row.kind === 'held') {
      return hit.row.memory.words(hit.time);
    }
    if (hit.row.kind !== 'lane') {
      return counterWords(hit.row, hit.time);
    }
    return hit.span ? this.finder.lines(hit.span) : placeWords(hit.row.ring, hit);
  }

  private pointAt(serial: number | null): void {
    if (serial !== this.pointed) {
      this.pointed = serial;
      this.events.hover?.(this.shown().store.process, serial);
    }
  }
}
