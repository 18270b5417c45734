// The slider over the stages: a range input, its two buttons, and the stages' names as ticks.
import type { Stage } from '../spec';
import { h } from './dom';
import { Player } from './player';

/** So many stages have room for their names under the slider; of more, that of the one shown. */
const FEW = 5;

export class StageSlider {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly ticks: HTMLElement[];
  private readonly now = h('p.hyb-now-stage', { 'aria-hidden': 'true' });
  private readonly previous: HTMLButtonElement;
  private readonly next: HTMLButtonElement;
  private readonly player = new Player('stages', () => this.advance());

  constructor(
    private readonly stages: Stage[],
    private readonly changed: (stage: number) => void
  ) {
    const last = stages.length - 1;
    const button = (label: string, text: string, delta: number) =>
      h(
        'button.hyb-tool',
        { type: 'button', title: label, 'aria-label': label, onclick: () => this.step(delta) },
        text
      );
    this.previous = button('Previous stage', '‹', -1);
    this.next = button('Next stage', '›', 1);
    this.input = h('input', {
      type: 'range',
      min: 0,
      max: last,
      step: 1,
      'aria-label': 'Stage',
      oninput: () => changed(Number(this.input.value))
    });
    this.ticks = stages.map((stage, i) =>
      h(
        'button.hyb-tick',
        {
          type: 'button',
          tabindex: -1,
          'data-label': stage.label,
          title: stage.summary || stage.label,
          onclick: () => changed(i)
        },
        stage.label
      )
    );
    const track = h(
      'div.hyb-track',
      {},
      this.input,
      h('div.hyb-ticks', {}, ...this.ticks),
      this.now
    );
    track.style.setProperty('--hyb-stages', String(stages.length));
    track.classList.toggle('hyb-many', stages.length > FEW);
    this.element = h('div.hyb-slider', {}, this.player.button, this.previous, track, this.next);
    this.element.hidden = last < 1;
  }

  get value(): number {
    return Number(this.input.value);
  }

  set(stage: number): void {
    this.input.value = String(stage);
    this.input.setAttribute('aria-valuetext', this.stages[stage].label);
    this.now.textContent = `${stage + 1} of ${this.stages.length}: ${this.stages[stage].label}`;
    this.ticks.forEach((tick, i) => tick.classList.toggle('hyb-now', i === stage));
    this.previous.disabled = stage === 0;
    this.next.disabled = stage === this.stages.length - 1;
  }

  /** Ends playing. */
  stop(): void {
    this.player.stop();
  }

  private advance(): boolean {
    const last = this.stages.length - 1;
    const to = this.value === last ? 0 : this.value + 1;
    this.changed(to);
    return to < last;
  }

  step(delta: number): void {
    const to = this.value + delta;
    if (to >= 0 && to < this.stages.length) {
      this.changed(to);
    }
  }
}
