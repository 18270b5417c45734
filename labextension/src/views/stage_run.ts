// "Run this stage": a button, what the run has shown, and where a NaN comes from.
import { parseStageRan, type NodeValue, type Offer, type Run, type StageRan } from '../stage_ran';
import { h } from './dom';
import { bytes, plural, seconds } from './format';

/** What a person asks of the shown stage. */
export interface RunWish {
  stage: string;
  /** figures of every node's values, too */
  values: boolean;
  /** what the cell read, or something else that it can be run on */
  on: 'run' | Exclude<Offer, ''>;
}

export interface StageRunEvents {
  /** null: nobody can run it, and nothing is shown */
  run: ((wish: RunWish) => void) | null;
  select: (id: number) => void;
  /** an answer came: cards have other figures */
  changed: () => void;
}

const NO_ANSWER_MS = 30_000;
const OTHERWISE = {
  now: 'Run on what the inputs hold now',
  random: 'Run on random numbers: times only'
};

export class StageRunView {
  readonly element = h('section.hyb-run', { 'aria-label': 'Run this stage' });
  private readonly answers = new Map<string, StageRan>();
  private readonly told = h('div', { role: 'status' });
  private readonly runButton: HTMLButtonElement;
  private readonly valuesButton: HTMLButtonElement;
  private stage = '';
  private wish: RunWish | null = null;
  private wantsValues = false;
  private reason: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly events: StageRunEvents) {
    const button = (label: string, title: string, values: boolean) =>
      h(
        'button.hyb-action',
        { type: 'button', title, onclick: () => this.ask(values, 'run') },
        label
      );
    this.runButton = button(
      'Run this stage',
      'Run the graph as it stands here: its time, its memory, and whether it gives the same',
      false
    );
    this.valuesButton = button('Run with values', 'And show what every node computes', true);
    this.element.append(h('div.hyb-actions', {}, this.runButton, this.valuesButton), this.told);
    this.element.hidden = events.run === null;
  }

  /** Shows what is known of a stage. */
  show(stage: string): void {
    if (stage !== this.stage) {
      this.forgetRefusals();
    }
    this.stage = stage;
    this.draw();
  }

  /** Why no stage can be run (no kernel); null: it can. */
  setReason(reason: string | null): void {
    this.reason = reason;
    this.stopWaiting();
    this.draw();
  }

  receive(answer: StageRan): void {
    this.answers.set(answer.stage, answer);
    if (this.wish?.stage === answer.stage) {
      this.stopWaiting();
    }
    this.draw();
    this.events.changed();
  }

  /** The cell was planned again: other stages have these names now. */
  forget(): void {
    this.answers.clear();
    this.stopWaiting();
  }

  /** Figures of what a node gives at a stage, where they were asked for. */
  valuesOf(stage: string, id: number): NodeValue[] {
    return this.answers.get(stage)?.values?.filter(value => value.id === id) ?? [];
  }

  /** Why the values inside a kernel are not known; '': they are, or were not asked for. */
  whyClosed(stage: string, kernel: number): string {
    return this.answers.get(stage)?.closed.find(closed => closed.kernel === kernel)?.why ?? '';
  }

  dispose(): void {
    this.stopWaiting();
  }

  // Why a stage was not run may hold no more.
  private forgetRefusals(): void {
    for (const [stage, { run }] of this.answers) {
      if (run === null) {
        this.answers.delete(stage);
      }
    }
  }

  private ask(values: boolean, on: RunWish['on']): void {
    if (this.reason !== null || this.wish !== null) {
      return;
    }
    this.forgetRefusals();
    this.wantsValues = values;
    const wish = { stage: this.stage, values, on };
    this.wish = wish;
    this.timer = setTimeout(() => this.receive(noAnswer(this.stage)), NO_ANSWER_MS);
    this.draw();
    this.events.run?.(wish);
  }

  private stopWaiting(): void {
    clearTimeout(this.timer);
    this.wish = null;
  }

  private draw(): void {
    const off = this.reason !== null || this.wish !== null;
    for (const button of [this.runButton, this.valuesButton]) {
      button.setAttribute('aria-disabled', String(off));
    }
    const answer = this.answers.get(this.stage);
    this.told.replaceChildren(
      ...(this.wish?.stage === this.stage
        ? [h('p.hyb-note', {}, 'Running …')]
        : this.reason !== null && !answer
          ? [h('p.hyb-note', {}, `Stages can't be run: ${this.reason}`)]
          : answer
            ? this.answered(answer)
            : [])
    );
  }

  private answered(answer: StageRan): HTMLElement[] {
    if (answer.run === null) {
      const why = h('p.hyb-note', {}, `Not run: ${answer.refused?.text}.`);
      return answer.offer !== '' && this.reason === null ? [why, this.other(answer.offer)] : [why];
    }
    return [figures(answer.run), ...(answer.values ? this.firsts(answer, answer.values) : [])];
  }

  private other(on: Exclude<Offer, ''>): HTMLElement {
    return h(
      'button.hyb-action',
      { type: 'button', onclick: () => this.ask(this.wantsValues, on) },
      OTHERWISE[on]
    );
  }

  // Where the first NaN and the first infinity come from.
  private firsts(answer: StageRan, values: NodeValue[]): HTMLElement[] {
    const first = (word: string, id: number | null) =>
      h(
        'button.hyb-action',
        {
          type: 'button',
          disabled: id === null,
          title: `The first operator that gives ${word} and is given none`,
          onclick: () => id !== null && this.events.select(id)
        },
        id === null ? `no ${word}` : `first ${word}`
      );
    return [
      h('div.hyb-actions', {}, first('NaN', answer.first_nan), first('inf', answer.first_inf)),
      h('p.hyb-note', {}, `${plural(values.length, 'value')}: select a node to see its own`)
    ];
  }
}

// It may still come: then it is shown.
function noAnswer(stage: string): StageRan {
  const text = 'the kernel has not answered yet';
  return parseStageRan({ id: '', stage, refused: { text } });
}

function figures(run: Run): HTMLElement {
  const buffers = run.shared ? 'buffers shared as planned' : 'each value in its own buffer';
  const rows: [string, string][] = [
    [
      'time',
      `${seconds(run.best_s)} best, ${seconds(run.median_s)} median of ${plural(run.runs, 'run')}`
    ],
    ['memory', `${bytes(run.bytes)}, ${buffers}`],
    ['result', result(run)],
    ['inputs', run.inputs]
  ];
  return h(
    'dl',
    {},
    ...rows.flatMap(([key, value]) => [
      h('dt', {}, key),
      h(key === 'inputs' && run.changed ? 'dd.hyb-warning' : 'dd', {}, value)
    ])
  );
}

/** Whether the outputs are those of the stage before, in words. */
export function result({ difference, before, why }: Run): string {
  if (difference === null) {
    return 'the first stage: nothing to compare with';
  }
  if (difference.equal) {
    return `equal to “${before}”, bit for bit (${plural(difference.outputs, 'output')})`;
  }
  const ulps =
    difference.max_ulp === null ? '' : `, ${plural(difference.max_ulp, 'unit')} in the last place`;
  const of = difference.name ? ` in ${difference.name}` : '';
  return (
    `${difference.unlike} of ${plural(difference.outputs, 'output')} differ from “${before}” by at ` +
    `most ${difference.max_abs}${ulps}${of}: ` +
    (why || 'this pass should keep every bit, please report it')
  );
}

/** A node's figures for its card. */
export function valueFacts(value: NodeValue): [string, string][] {
  const count = (n: number) => (n === 0 ? 'none' : n.toLocaleString('en'));
  const leftOut = value.nans > 0 && value.nans < value.count ? ', left out of min, max, mean' : '';
  return [
    ['min', value.min],
    ['max', value.max],
    ['mean', value.mean],
    ['NaN', count(value.nans) + leftOut],
    ['inf', count(value.infs)],
    ['values', value.preview]
  ];
}
