// Which cards are lit while all others are faint: a way through the graph that a person asked for.
import { criticalPath, describePath } from './critical_path';
import type { Heat } from './heat';
import { endsKey } from './lines';
import { relatives } from './relatives';
import type { Shown } from './shown';

export interface Light {
  /** null: nothing is faint */
  cards: Set<number> | null;
  /** the lines between them that are lit, as `endsKey` names them; null: all */
  lines: Set<string> | null;
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
      const ways = chain.nodes.map(node => [...shown.cards([node])]);
      const lines = ways
        .slice(1)
        .flatMap((to, i) => ways[i].flatMap(src => to.map(dst => endsKey(src, dst))));
      // An opened kernel is one step of the chain: what leads through it is lit as well.
      const inside = ways.flatMap(way => way.flatMap(src => way.map(dst => endsKey(src, dst))));
      return { cards: new Set(ways.flat()), lines: new Set([...lines, ...inside]), words };
    }
    const cards = shown.cards([...selected]);
    const some = this.ways && cards.size > 0;
    return { cards: some ? relatives(shown.drawn, cards) : null, lines: null, words: '' };
  }
}
