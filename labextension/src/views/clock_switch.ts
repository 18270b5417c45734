// The switch between the two clocks: real time and modelled time.
import { h, keepKeys } from './dom';

const CLOCKS = ['real time', 'modelled time'] as const;
const TOLD = {
  'real time': 'What the CPU does, as it happens',
  'modelled time': 'What the modelled devices would do, by their data sheets'
};
export type ClockName = (typeof CLOCKS)[number];

export class ClockSwitch {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[];

  constructor(private readonly chosen: (clock: ClockName) => void) {
    this.buttons = CLOCKS.map(clock =>
      h(
        'button.hyb-clock',
        { type: 'button', role: 'radio', title: TOLD[clock], onclick: () => this.choose(clock) },
        clock
      )
    );
    this.element = h(
      'div.hyb-root.hyb-clocks',
      {
        role: 'radiogroup',
        'aria-label': 'Clock of the timeline',
        onkeydown: (event: KeyboardEvent) => this.key(event)
      },
      ...this.buttons
    );
    keepKeys(this.element);
    this.show('real time');
  }

  choose(clock: ClockName): void {
    this.show(clock);
    this.chosen(clock);
  }

  private show(clock: ClockName): void {
    this.buttons.forEach((button, i) => {
      const on = CLOCKS[i] === clock;
      button.setAttribute('aria-checked', String(on));
      button.tabIndex = on ? 0 : -1;
    });
  }

  // As radio buttons: an arrow goes to the other one and chooses it.
  private key(event: KeyboardEvent): void {
    if (!/^Arrow/.test(event.key)) {
      return;
    }
    const other = this.buttons.findIndex(button => button.tabIndex < 0);
    this.choose(CLOCKS[other]);
    this.buttons[other].focus();
    event.preventDefault();
  }
}
