// A second stage beside the graph: the same nodes are lit in both, what differs is marked.
import type { Spec } from '../spec';
import { h } from './dom';
import { GraphView, type GraphViewEvents } from './graph_view';
import type { Heat } from './heat';
import { pairing } from './pairing';
import type { StageModel } from './stages';

export class Beside {
  /** the pane with the other stage */
  readonly element: HTMLElement;
  readonly words = h('p.hyb-beside-words', { role: 'status' });
  private readonly view: GraphView;
  private readonly choice: HTMLSelectElement;

  constructor(
    spec: Spec,
    private readonly model: StageModel,
    private readonly graph: GraphView,
    private stage: number,
    private right: number,
    events: GraphViewEvents
  ) {
    const options = model.stages.map(({ label }, i) => h('option', { value: i }, label));
    this.choice = h(
      'select',
      { 'aria-label': 'Stage on the left', onchange: () => this.show(Number(this.choice.value)) },
      ...options
    );
    this.view = new GraphView(spec, model, stage, {
      ...events,
      step: delta => this.show(this.stage + delta)
    });
    this.element = h('div.hyb-pane', {}, h('p.hyb-pane-title', {}, this.choice), this.view.element);
    this.show(stage);
  }

  /** The stage of the graph that this stands beside. */
  setRight(stage: number): void {
    this.right = stage;
    this.pair();
  }

  setSelected(ids: number[], reveal: boolean): void {
    this.view.setSelected(this.model.resolve(ids, this.stage), reveal, ids);
  }

  setHovered(ids: number[]): void {
    this.view.setHovered(this.model.resolve(ids, this.stage), ids);
  }

  setHeat(heat: Heat, hot: boolean): void {
    this.view.setHeat(heat, hot);
  }

  setTrail(back: boolean, forward: boolean): void {
    this.view.setTrail(back, forward);
  }

  themeChanged(): void {
    this.view.themeChanged();
  }

  dispose(): void {
    this.graph.setMarks(null);
    this.view.dispose();
    this.element.remove();
    this.words.remove();
  }

  private show(stage: number): void {
    if (stage >= 0 && stage < this.model.stages.length) {
      this.stage = stage;
      this.choice.value = String(stage);
      this.view.setStage(stage, true);
      this.pair();
    }
  }

  private pair(): void {
    const { left, right, words } = pairing(this.model, this.stage, this.right);
    this.view.setMarks(left);
    this.graph.setMarks(right);
    this.words.textContent = words;
  }
}
