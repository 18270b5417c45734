// A placed picture of one stage, with what is looked up in it.
import { groupOfCard } from './group_tree';
import type { Card, Drawn } from './drawn';
import { HitIndex } from './hit';
import type { Mark, StageModel } from './stages';
import type { StepGraph } from './step_graph';
import { boxOf, type Actor, type Box } from './transition';

export class Shown {
  /** the cards at rest */
  readonly actors: Actor[];
  readonly hits: HitIndex;
  /** what the stage or its step did, by card */
  readonly marks: Map<number, Mark>;
  /** cards are coloured by their buffer */
  readonly byBuffer: boolean;

  constructor(
    readonly drawn: Drawn,
    readonly model: StageModel,
    readonly stage: number,
    /** the rewrite of the stage after which the graph is shown; null: after all of them */
    readonly step: StepGraph | null = null
  ) {
    this.actors = drawn.cards.map(card => ({ card, ...boxOf(card), alpha: 1 }));
    this.hits = new HitIndex(drawn);
    this.marks = marksOf(drawn, step?.marks ?? model.marks(stage));
    this.byBuffer = drawn.cards.some(card => card.buffer !== null);
  }

  /**
   * The cards that stand for nodes of this stage; of an open kernel all its operators, or those of
   * them that are `meant`.
   */
  cards(nodes: readonly number[], meant: readonly number[] = []): Set<number> {
    const { opened, standsFor } = this.drawn;
    const parts = (node: number) => {
      const members = opened.get(node) ?? [node];
      const own = members.filter(id => meant.includes(id));
      return own.length > 0 ? own : members;
    };
    const found = nodes.flatMap(parts).map(id => standsFor.get(id));
    return new Set(found.filter(card => card !== undefined));
  }

  /** The card that stands for the first of the nodes. */
  card(nodes: readonly number[], meant: readonly number[] = []): Card | undefined {
    const [first] = this.cards(nodes.slice(0, 1), meant);
    return this.drawn.byId.get(first);
  }

  /** The nodes that a card stands for; its parameters only where it is a group's. */
  nodes(card: number): number[] {
    return groupOfCard(card) === null ? [card] : (this.drawn.inside.get(card) ?? []);
  }

  /** Where the card or frame of a group is. */
  place(id: number): Box | undefined {
    return this.drawn.byId.get(id) ?? this.drawn.frames.find(frame => frame.id === id);
  }
}

function marksOf(drawn: Drawn, ofNodes: Map<number, Mark>): Map<number, Mark> {
  const marks = new Map<number, Mark>();
  for (const [node, mark] of ofNodes) {
    const card = drawn.standsFor.get(node);
    const known = card === undefined ? undefined : marks.get(card);
    if (known) {
      known.count += mark.count;
      known.changes.push(...mark.changes);
    } else if (card !== undefined) {
      marks.set(card, { ...mark, changes: [...mark.changes] });
    }
  }
  return marks;
}
