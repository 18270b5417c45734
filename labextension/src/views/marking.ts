// What is chosen, pointed at, found, lit, warm and different in the picture that is shown.
import { ofCards, type Difference } from './difference';
import type { Heat, Warmth } from './heat';
import { Lit, type Light } from './lit';
import { DIFFERENCE } from './palette';
import type { Scene } from './paint_graph';
import type { Shown } from './shown';

type Marks = Pick<
  Scene,
  'selected' | 'traced' | 'tracedLines' | 'hovered' | 'byBuffer' | 'heat' | 'differences'
>;

export class Marking {
  /** nodes; of an open kernel's operators those alone that are `meant` */
  selected: readonly number[] = [];
  meant: readonly number[] = [];
  hovered: readonly number[] = [];
  pointed: readonly number[] = [];
  found: readonly number[] = [];
  readonly lit = new Lit();
  private light: Light = { cards: null, lines: null, words: '' };
  private heat: Heat | null = null;
  private hot = false;
  private warm: ReadonlyMap<number, Warmth> | null = null;
  private differences: ReadonlyMap<number, Difference> | null = null;
  private ofCards: ReadonlyMap<number, Difference> | null = null;
  private shown: Shown | null = null;

  /** Another picture is shown; what is lit there is not known yet. */
  show(shown: Shown): void {
    this.shown = shown;
    this.setDifferences(this.differences);
    this.warmUp();
  }

  /** The times of the last run; `hot`: cards are coloured by them. */
  setHeat(heat: Heat, hot: boolean): void {
    this.heat = heat;
    this.hot = hot;
    this.warmUp();
  }

  /** By node, to the picture beside it; null: there is none. */
  setDifferences(differences: ReadonlyMap<number, Difference> | null): void {
    const { shown } = this;
    this.differences = differences;
    this.ofCards = differences && shown && ofCards(shown.drawn, differences);
  }

  /** Another picture is shown, other nodes are chosen, or something else is to be lit. */
  relight(): void {
    if (this.shown) {
      this.light = this.lit.of(this.shown, this.selected, this.heat);
    }
  }

  /** What is said of what is lit. */
  get words(): string {
    return this.light.words;
  }

  /** The cards that stand for what is chosen. */
  get chosen(): Set<number> {
    return this.shown?.cards(this.selected, this.meant) ?? new Set();
  }

  get warmth(): ReadonlyMap<number, Warmth> | null {
    return this.warm;
  }

  /** How a card differs from the picture beside it, in words; empty: there is none. */
  difference(card: number): string {
    const what = this.ofCards?.get(card);
    return what ? DIFFERENCE[what].label : '';
  }

  /** For painting `shown`. */
  of(shown: Shown): Marks {
    return {
      selected: shown.cards(this.selected, this.meant),
      traced: this.light.cards,
      tracedLines: this.light.lines,
      hovered: shown.cards([...this.hovered, ...this.found], this.pointed),
      byBuffer: shown.byBuffer && !this.differences,
      heat: this.warm,
      differences: shown.step ? null : this.ofCards
    };
  }

  private warmUp(): void {
    const { heat, shown } = this;
    this.warm = this.hot && heat && shown ? heat.cards(shown.drawn, shown.stage) : null;
  }
}
