// The span that a person points at or has chosen, and where it comes from and goes.
import type { Span } from '../frame_records';
import { flowOf, type Flow } from './flow';
import type { SpanStore } from './span_store';

/** While frames come, those that read its results become known. */
const AGAIN_MS = 500;

export class SpanFocus {
  hovered: Span | null = null;
  chosen: Span | null = null;
  private known: { span: Span; flow: Flow | null; frames: number; at: number } | null = null;

  get span(): Span | null {
    return this.hovered ?? this.chosen;
  }

  /** Its arrows; null: there is no such span, or nothing is known of it. */
  flow(store: SpanStore, now: number): Flow | null {
    const { span, known } = this;
    if (!span) {
      return null;
    }
    const isOld = known && known.frames !== store.frames && now - known.at > AGAIN_MS;
    if (known?.span !== span || isOld) {
      this.known = { span, flow: flowOf(store, span), frames: store.frames, at: now };
    }
    return this.known?.flow ?? null;
  }

  clear(): void {
    this.hovered = this.chosen = this.known = null;
  }
}
