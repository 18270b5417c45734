// A second graph beside the first: another stage, or another report; nodes linked, differences drawn.
import type { Beside, Spec } from '../spec';
import { differences } from './difference';
import { h, uniqueId } from './dom';
import { plural } from './format';
import { GraphView, type Pictured } from './graph_view';
import type { Heat } from './heat';
import { match, type Matching, type Side } from './matching';
import { differenceChips, pairWords } from './side_words';
import { StageModel } from './stages';

export interface SideBySideEvents {
  select: (ids: number[], add: boolean, reveal: boolean) => void;
  hover: (ids: number[]) => void;
  go: (delta: number) => void;
  /** the first picture is to show that stage */
  stage: (stage: number) => void;
  /** the second picture was opened or closed, or shows something else */
  changed: () => void;
}

/** What can be shown on the second side: a report, with its stages. */
interface Source {
  picture: Pictured;
  model: StageModel;
}

export class SideBySide {
  /** The switch; the title of the first picture; the second one with its title. */
  readonly button: HTMLButtonElement;
  readonly head = h('div.hyb-side-head', { hidden: true });
  readonly element = h('div.hyb-side', { role: 'group', 'aria-label': 'B', hidden: true });
  private readonly kernels = h('span.hyb-hint');
  private readonly words = h('p.hyb-pair', { role: 'status' });
  private readonly choice = h('select.hyb-choice', {
    'aria-label': 'Picture B',
    onchange: () => this.chose()
  });
  private readonly tie: HTMLButtonElement;
  private beside: Beside | null = null;
  private sources: Source[] = [];
  private stageA = 0;
  private at = { source: 0, stage: 0 };
  private second: GraphView | null = null;
  private matching: Matching = { forth: new Map(), back: new Map() };
  private different: ReturnType<typeof differences> = { a: new Map(), b: new Map() };
  private tied = true;
  /** the stage of the first picture that was shown before it was compared */
  private before: number | null = null;
  // What was chosen or pointed at in the second picture, of which the first may know nothing.
  private own = { chosen: [] as number[], as: '', hovered: [] as number[] };

  constructor(
    private readonly first: GraphView,
    private readonly events: SideBySideEvents
  ) {
    this.button = h(
      'button.hyb-mode.hyb-beside',
      {
        type: 'button',
        'aria-pressed': 'false',
        title: 'Show two pictures side by side, with what is different between them',
        onclick: () => (this.second ? this.close() : this.open())
      },
      'Side by side'
    );
    this.tie = h(
      'button.hyb-tool.hyb-tie',
      {
        type: 'button',
        'aria-pressed': 'true',
        title: 'Move and zoom both pictures together',
        onclick: () => this.setTied(!this.tied)
      },
      'move together'
    );
    const label = h('label', { for: (this.choice.id = uniqueId('beside')) }, h('b', {}, 'B'));
    this.element.append(h('div.hyb-side-head', {}, label, this.choice, this.kernels, this.tie));
  }

  /** The picture itself, at first and when the cell was planned again. */
  fill(spec: Spec, model: StageModel): void {
    this.beside = spec.beside ?? this.beside; // the cell planned again keeps it
    const { beside } = this;
    this.sources = [{ picture: spec, model }, ...(beside ? [sourceOf(beside)] : [])];
    this.button.hidden = model.stages.length < 2 && !beside;
    this.choice.replaceChildren(...this.options());
    if (this.second) {
      const { picture, model: planned } = this.sources[this.at.source];
      this.at.stage = Math.min(this.at.stage, planned.stages.length - 1);
      this.second.replan(picture, planned, this.at.stage);
    }
  }

  get isOpen(): boolean {
    return this.second !== null;
  }

  /** Opens with the other report, or with the cell as it is written beside what is shown. */
  open(): void {
    this.first.lookAnew(); // it gets half of the room
    const last = this.sources[0].model.stages.length - 1;
    if (this.sources.length > 1) {
      const { stages } = this.sources[1].model;
      const { name } = this.sources[0].model.stages[this.stageA];
      const same = stages.findIndex(stage => stage.name === name);
      this.show(1, same < 0 ? stages.length - 1 : same);
    } else {
      const shown = this.stageA;
      this.show(0, shown === 0 ? last : shown);
      this.before = shown;
      this.events.stage(0);
    }
  }

  close(): void {
    const { before } = this;
    this.second?.dispose();
    this.second?.element.remove();
    this.second = null;
    this.before = null;
    this.own.chosen = [];
    this.first.setDifferences(null);
    this.showOpen();
    if (before !== null && this.stageA === 0) {
      this.events.stage(before);
    }
  }

  /** The first picture shows that stage. */
  setStage(stage: number): void {
    this.stageA = stage;
    if (this.second) {
      this.compare();
    }
  }

  /** Nodes chosen in any stage of the first report; `here`: those of the first picture. */
  setSelected(ids: readonly number[], here: number[], reveal: boolean): void {
    if (String(ids) !== this.own.as) {
      this.own.chosen = []; // something else was chosen since
    }
    const there = this.partners(ids, here, this.own.chosen);
    this.second?.setSelected(there, reveal, ids);
    this.say(here, there);
  }

  setHovered(ids: readonly number[], here: number[]): void {
    this.second?.setHovered(this.partners(ids, here, this.own.hovered), ids);
  }

  setHeat(heat: Heat, hot: boolean): void {
    if (this.at.source === 0) {
      this.second?.setHeat(heat, hot);
    }
  }

  setTrail(back: boolean, forward: boolean): void {
    this.second?.setTrail(back, forward);
  }

  /** The person moved the first picture. */
  firstMoved(): void {
    if (this.tied) {
      this.second?.look(this.first.gaze);
    }
  }

  /** What signs and colours mean, with counts; how nodes are linked. */
  legend(): HTMLElement {
    const linked =
      this.at.source === 0
        ? 'nodes are linked by what each pass made of them'
        : 'two reports: nodes are linked by source line, operator and position in the line';
    return h(
      'div.hyb-legend',
      {},
      ...differenceChips(this.different),
      h('span.hyb-hint', {}, linked),
      this.words
    );
  }

  themeChanged(): void {
    this.second?.themeChanged();
  }

  dispose(): void {
    this.second?.dispose();
  }

  private options(): HTMLElement[] {
    return this.sources.map(({ picture, model }, source) =>
      h(
        'optgroup',
        { label: source === 0 ? 'this picture' : `beside: ${picture.title}` },
        ...model.stages.map((stage, i) => h('option', { value: `${source}:${i}` }, stage.label))
      )
    );
  }

  private chose(): void {
    const [source, stage] = this.choice.value.split(':').map(Number);
    this.show(source, stage);
  }

  private show(source: number, stage: number): void {
    const { picture, model } = this.sources[source];
    const known = this.second && this.at.source === source;
    this.at = { source, stage };
    if (this.second && known) {
      this.second.setStage(stage, true);
    } else {
      this.own.chosen = [];
      this.second?.dispose();
      this.second?.element.remove();
      this.second = this.made(picture, model, stage);
      this.element.append(this.second.element);
    }
    this.showOpen();
    this.compare();
  }

  private made(picture: Pictured, model: StageModel, stage: number): GraphView {
    return new GraphView(picture, model, stage, {
      select: (ids, add, reveal) => {
        const home = this.home(ids);
        Object.assign(this.own, { chosen: ids, as: String(home) });
        this.events.select(home, add, reveal);
      },
      hover: ids => {
        this.own.hovered = ids;
        this.events.hover(this.home(ids));
        this.own.hovered = [];
      },
      step: delta => {
        const to = this.at.stage + delta;
        if (to >= 0 && to < model.stages.length) {
          this.show(this.at.source, to);
        }
      },
      go: delta => this.events.go(delta),
      moved: () => {
        if (this.tied && this.second) {
          this.first.look(this.second.gaze);
        }
      }
    });
  }

  private compare(): void {
    const [a, b] = this.sides();
    this.matching = match(a, b);
    this.different = differences(a, b, this.matching);
    this.first.setDifferences(this.different.a);
    this.second?.setDifferences(this.different.b);
    this.choice.value = `${this.at.source}:${this.at.stage}`;
    const [left, right] = [a, b].map(({ model, stage }) => model.stages[stage]);
    const kernels = h('span.hyb-hint', {}, plural(left.kernels.length, 'kernel'));
    this.head.replaceChildren(h('b', {}, 'A'), left.label, kernels);
    this.kernels.textContent = plural(right.kernels.length, 'kernel');
    this.element.setAttribute('aria-label', `B: ${right.label}`);
    this.events.changed();
  }

  private sides(): [Side, Side] {
    const side = ({ picture, model }: Source, stage: number) => ({
      model,
      stage,
      cell: picture.cell
    });
    return [side(this.sources[0], this.stageA), side(this.sources[this.at.source], this.at.stage)];
  }

  // Nodes of the second picture as the first report calls them.
  private home(ids: number[]): number[] {
    const of = (id: number) => [...(this.matching.back.get(id) ?? [])];
    const linked = [...new Set(ids.flatMap(of))];
    return linked.length === 0 && this.at.source === 0 ? ids : linked;
  }

  private partners(ids: readonly number[], here: number[], own: number[]): number[] {
    const { model } = this.sources[0];
    const there =
      this.at.source === 0
        ? model.resolve(ids, this.at.stage)
        : here.flatMap(id => [...(this.matching.forth.get(id) ?? [])]);
    return [...new Set([...own, ...there])];
  }

  // What stands on both sides, and what is not the same; the other report's line with its code.
  private say(here: number[], there: number[]): void {
    const [a, b] = this.sides();
    this.words.textContent = pairWords([a, here], [b, there], this.matching, this.at.source > 0);
  }

  private setTied(tied: boolean): void {
    this.tied = tied;
    this.tie.setAttribute('aria-pressed', String(tied));
    this.firstMoved();
  }

  private showOpen(): void {
    this.head.hidden = this.element.hidden = !this.second;
    this.element.parentElement?.classList.toggle('hyb-sides', this.isOpen);
    this.button.setAttribute('aria-pressed', String(this.isOpen));
    if (!this.second) {
      this.events.changed();
    }
  }
}

function sourceOf(beside: Beside): Source {
  return { picture: beside, model: new StageModel(beside) };
}
