// The row on the picture that goes through the rewrites of a stage, one by one.
import { h } from './dom';
import { plural } from './format';
import { Player } from './player';
import type { Step } from './steps';

export class StepBar {
  readonly element: HTMLElement;
  private readonly opener = h('button.hyb-steps-open', {
    type: 'button',
    title: 'Go through them one by one (Shift+→)',
    onclick: () => this.begin()
  });
  private readonly range = h('input', {
    type: 'range',
    min: 1,
    step: 1,
    'aria-label': 'Step',
    oninput: () => this.go(Number(this.range.value) - 1)
  });
  private readonly count = h('span.hyb-steps-count');
  private readonly rule = h('code');
  private readonly previous = this.button('‹', 'Previous step (Shift+←)', -1);
  private readonly next = this.button('›', 'Next step (Shift+→)', 1);
  private readonly player = new Player('steps', () => this.advance());
  private readonly row: HTMLElement;
  private steps: readonly Step[] = [];
  private at: number | null = null;

  /** `go`: the person chose a step; null: the whole stage. */
  constructor(private readonly go: (step: number | null) => void) {
    const close = h(
      'button.hyb-tool',
      {
        type: 'button',
        title: 'Show the whole stage',
        'aria-label': 'Show the whole stage',
        onclick: () => this.close()
      },
      '×'
    );
    this.row = h(
      'div.hyb-steps-row',
      {},
      h('div', {}, this.player.button, this.previous, this.range, this.next, this.count, close),
      this.rule
    );
    this.element = h(
      'div.hyb-steps',
      { role: 'group', 'aria-label': 'Steps of this stage' },
      this.opener,
      this.row
    );
  }

  show(steps: readonly Step[], at: number | null): void {
    this.steps = steps;
    this.at = at;
    this.element.hidden = steps.length === 0;
    this.opener.hidden = at !== null;
    this.row.hidden = at === null;
    this.opener.textContent = `▸ ${plural(steps.length, 'step')}`;
    if (at === null) {
      this.player.stop();
      delete this.element.dataset.step;
      return;
    }
    const { text } = steps[at];
    this.element.dataset.step = String(at + 1);
    this.range.max = String(steps.length);
    this.range.value = String(at + 1);
    this.range.setAttribute('aria-valuetext', `${at + 1} of ${steps.length}: ${text}`);
    this.count.textContent = `${at + 1} of ${steps.length}`;
    this.rule.textContent = text;
    this.rule.title = text;
    this.previous.disabled = at === 0;
    this.next.disabled = at === steps.length - 1;
  }

  /** One step on or back; before the first is the whole stage. */
  move(delta: number): void {
    const to = (this.at ?? -1) + delta;
    if (to < this.steps.length && (to >= 0 || this.at !== null)) {
      this.go(to < 0 ? null : to);
    }
  }

  private begin(): void {
    this.go(0);
    (this.next.disabled ? this.range : this.next).focus(); // the opener is gone, keys go on
  }

  private advance(): boolean {
    const last = this.steps.length - 1;
    const to = this.at === null || this.at >= last ? 0 : this.at + 1;
    this.go(to);
    return to < last;
  }

  private close(): void {
    this.go(null);
    this.opener.focus();
  }

  private button(text: string, title: string, delta: number): HTMLButtonElement {
    return h(
      'button.hyb-tool',
      { type: 'button', title, 'aria-label': title, onclick: () => this.move(delta) },
      text
    );
  }
}
