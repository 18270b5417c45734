// What stands around the plot in words: how it is with the kernel, the engine's settings, memory, and
// lanes and counters for those who do not see the picture.
import type { EngineState } from '../frames';
import { counterSummary } from './counter_words';
import { h } from './dom';
import { ModelledStore } from './modelled_store';
import { sharesInWords } from './modelled_words';
import type { SpanStore } from './span_store';
import { engineWords, laneWords, poolWords } from './timeline_words';

export class TimelineStatus {
  readonly message = h('p.hyb-message', { role: 'status', 'aria-live': 'polite' });
  private readonly engine = h('p.hyb-engine');
  private readonly pools = h('p.hyb-engine', { 'aria-label': 'Memory pools' });
  private readonly lanes = h('ul.hyb-hidden', { 'aria-label': 'Device lanes' });
  private readonly counters = h('ul.hyb-hidden', { 'aria-label': 'Queues and memory' });
  private readonly held = h('ul.hyb-hidden', { 'aria-label': 'Memory of modelled devices' });
  readonly elements = [this.lanes, this.counters, this.held, this.engine, this.pools];

  /** Words in place of data, e.g. that there is no kernel; null: data comes. */
  say(message: string | null): void {
    this.message.textContent = message ?? '';
    this.message.hidden = message === null;
  }

  setEngine(engine: EngineState): void {
    this.engine.textContent = engineWords(engine);
  }

  /** `start`, `end`: the time in sight. */
  show(store: SpanStore, start: number, end: number): void {
    const modelled = store instanceof ModelledStore ? store : null;
    setItems(
      this.lanes,
      store.rings.map(ring => laneWords(ring, start, end, modelled?.lagging.has(ring.lane.id)))
    );
    setItems(
      this.counters,
      modelled ? sharesInWords(modelled) : store.counters.map(counterSummary)
    );
    const memories = modelled ? [...modelled.memories.values()] : [];
    setItems(
      this.held,
      memories.map(memory => memory.summary())
    );
    this.pools.textContent = poolWords(store);
  }

  clear(): void {
    for (const element of this.elements) {
      element.replaceChildren();
    }
  }
}

// Only what has changed is set anew: a screen reader would lose its place.
function setItems(list: HTMLElement, texts: readonly string[]): void {
  while (list.children.length > texts.length) {
    list.lastElementChild?.remove();
  }
  texts.forEach((text, i) => {
    const item = list.children[i] ?? list.appendChild(h('li'));
    if (item.textContent !== text) {
      item.textContent = text;
    }
  });
}
