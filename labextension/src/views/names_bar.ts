// The cell's array names as switches: kept or not, and what keeping each one costs.
import type { Name, Spec } from '../spec';
import { h, uniqueId } from './dom';

export interface NamesBarEvents {
  /** the person moved the switch of `name`; `kept`: all names that are on now */
  switched: (name: string, kept: string[]) => void;
  /** points at the nodes of a name (null: at none) */
  hover: (name: string | null) => void;
}

const NO_ANSWER_MS = 5000;
const STATES = {
  kept: 'is computed with the cell',
  deferred: 'is computed when you read it',
  'planned away': 'has no value'
};

export class NamesBar {
  readonly element: HTMLElement;
  /** shows and hides the switches; it stands elsewhere */
  readonly opener = h('button.hyb-opener', {
    type: 'button',
    'aria-expanded': 'false',
    title: 'Which arrays of the cell are kept, and what keeping each one costs',
    onclick: () => this.open(this.element.hidden)
  });
  private readonly row = h('div.hyb-switches', { role: 'group', 'aria-label': 'Names to keep' });
  private readonly hint = h('p.hyb-note', { role: 'status' });
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private names: Name[] = [];
  private replanned: string | null = null;
  private wanted: string[] | null = null;
  private reason: string | null = null;
  private told: string | null = null;
  /** the switch that was moved last: the answer may move it from under the pointer */
  private moved: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly events: NamesBarEvents) {
    this.element = h(
      'section.hyb-names',
      { 'aria-label': 'Names of the cell', id: uniqueId('names'), hidden: true },
      this.row,
      this.hint
    );
    this.opener.setAttribute('aria-controls', this.element.id);
  }

  private open(on: boolean): void {
    this.element.hidden = !on;
    this.opener.setAttribute('aria-expanded', String(on));
  }

  /** Shows the names of a spec; the switch that had the focus keeps it. */
  show({ names, replanned }: Spec): void {
    clearTimeout(this.timer);
    this.wanted = null;
    this.names = names;
    this.replanned = replanned;
    this.opener.hidden = names.length === 0;
    this.open(names.length > 0 && !this.element.hidden);
    if (names.some(n => !this.buttons.has(n.name)) || this.buttons.size !== names.length) {
      this.buttons.clear();
      this.row.replaceChildren(...names.map(n => this.button(n)));
    }
    this.draw();
  }

  /** Why the switches cannot be moved; null: they can. */
  setReason(reason: string | null): void {
    clearTimeout(this.timer);
    this.wanted = null;
    this.reason = reason;
    this.draw();
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private button({ name }: Name): HTMLElement {
    const tell = (told: string | null) => () => {
      this.told = told;
      this.events.hover(told);
      this.drawHint();
    };
    const button = h('button', {
      type: 'button',
      role: 'switch',
      onclick: () => this.toggle(name),
      onpointerenter: tell(name),
      onpointerleave: tell(null),
      onfocus: tell(name),
      onblur: tell(null)
    });
    this.buttons.set(name, button);
    return button;
  }

  private toggle(name: string): void {
    const me = this.names.find(n => n.name === name);
    if (!me || me.fixed || this.reason !== null) {
      return;
    }
    // Names of one array move together; a second click need not wait for the first one's answer.
    const before = this.wanted ?? this.names.filter(n => n.state === 'kept').map(n => n.name);
    const moved = [name, ...me.shares];
    this.wanted = before.includes(name)
      ? before.filter(n => !moved.includes(n))
      : [...before, ...moved];
    this.moved = name;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.setReason('The kernel does not answer.'), NO_ANSWER_MS);
    this.draw();
    this.events.switched(name, this.wanted);
  }

  private draw(): void {
    for (const n of this.names) {
      const button = this.buttons.get(n.name);
      const on = this.wanted ? this.wanted.includes(n.name) : n.state === 'kept';
      button?.setAttribute('aria-checked', String(on));
      button?.setAttribute('aria-disabled', String(n.fixed !== '' || this.reason !== null));
      button?.setAttribute('data-state', n.state);
      button?.replaceChildren(
        h('i', { 'aria-hidden': 'true' }),
        h('code', {}, n.name),
        h('small', {}, n.state + (n.fixed ? '' : ` · ${n.price.replace(', +0 kernels', '')}`))
      );
    }
    const kept = this.wanted ?? this.names.filter(n => n.state === 'kept');
    this.opener.replaceChildren(
      'Names ',
      h('small', {}, `${kept.length}/${this.names.length} kept`)
    );
    this.drawHint();
  }

  private drawHint(): void {
    const told = this.told ?? this.moved;
    const n = this.names.find(one => one.name === told);
    const words: (HTMLElement | string)[] = [];
    if (n) {
      const line = n.line === null ? '' : ` (line ${n.line})`;
      words.push(`${n.name}${line} ${STATES[n.state]}. `);
      words.push(n.fixed ? `It stays: ${n.fixed}. ` : h('b', {}, `keeping ${n.name}: ${n.price}`));
    }
    if (this.reason !== null) {
      words.push(`${n ? '. ' : ''}Switches are off: ${this.reason}`);
    } else if (this.replanned === null) {
      words.push(n ? '' : 'Switch a name to plan the cell again and see what keeping it costs.');
    } else {
      const line = h('code', {}, this.replanned || 'no name');
      words.push(`${n ? '. ' : ''}Planned, not run. To run it so: `, line);
    }
    this.hint.replaceChildren(...words);
  }
}
