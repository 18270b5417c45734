// Where a person stands among the rewrites of a stage; null: the stage as a whole.
import { StepBar } from './step_bar';
import { StepGraphs, type StepGraph } from './step_graph';
import { stepsOf, type Step } from './steps';
import type { StageModel } from './stages';

export class Stepper {
  readonly bar = new StepBar(step => this.go(step));
  steps: readonly Step[] = [];
  private at: number | null = null;
  private stage = 0;
  private model: StageModel | null = null;
  private graphs: StepGraphs | null = null;

  /** `moved`: the person has gone to another step. */
  constructor(private readonly moved: () => void) {}

  /** Another stage is shown, as a whole. */
  setStage(model: StageModel, stage: number): void {
    this.model = model;
    this.stage = stage;
    this.at = null;
    this.graphs = null;
    this.steps = stage > 0 ? stepsOf(model.stages[stage]) : [];
    this.bar.show(this.steps, null);
  }

  /** Index of the step that is shown. */
  get step(): number | null {
    return this.at;
  }

  go(step: number | null): void {
    this.at = step;
    this.bar.show(this.steps, step);
    this.moved();
  }

  /** The graph after the step that is shown. */
  graph(): StepGraph | null {
    const { at, model, stage } = this;
    if (at === null || model === null) {
      return null;
    }
    const [before, after] = [model.stages[stage - 1].graph, model.stages[stage].graph];
    this.graphs ??= new StepGraphs(before, after, this.steps);
    return this.graphs.at(at + 1);
  }

  /** The step in words; empty: none is shown. */
  get sentence(): string {
    const { at, steps } = this;
    return at === null ? '' : `Step ${at + 1} of ${steps.length}: ${steps[at].text}.`;
  }

  /** Shift and an arrow go from step to step; tells whether it was such a key. */
  key(event: KeyboardEvent): boolean {
    const delta = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const typing = event.target instanceof HTMLInputElement && event.target.type === 'search';
    if (!event.shiftKey || delta === 0 || typing || this.steps.length === 0) {
      return false;
    }
    this.bar.move(delta);
    return true;
  }
}
