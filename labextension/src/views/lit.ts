// Which cards are lit while all others are faint: a way through the graph that a person asked for.
import { criticalPath, describePath } from './critical_path';
import type { Heat } from './heat';
import { relatives } from './relatives';
import type { Shown } from './shown';

export interface Light {
  /** null: nothing is faint */
  cards: Set<number> | null;
  words: string;
}

export class Lit {
  /** what the chosen cards depend on, and what on them */
  ways = false;
  /** the critical path */
  path = false;

  of(shown: Shown, selected: readonly number[], heat: Heat | null): Light {
    if (this.path) {
      const { graph } = shown.model.stages[shown.stage];
      const chain = criticalPath(graph, heat?.of(shown.stage));
      const words = describePath(graph, chain, heat?.total ?? 0);
      return { cards: new Set(shown.cards(chain.nodes)), words };
    }
    const cards = shown.cards([...selected]);
    return { cards: this.ways && cards.size > 0 ? relatives(shown.drawn, cards) : null, words: '' };
  }
}
