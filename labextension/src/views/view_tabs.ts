// The tabs over a picture, one for each of its views, and their panels.
import type { View } from '../spec';
import { h, uniqueId } from './dom';

const NAMES: Record<View, string> = { graph: 'Graph', memory: 'Memory', program: 'Program' };
const VIEWS = Object.keys(NAMES) as View[];

export class ViewTabs {
  readonly element = h('div.hyb-tabs', { role: 'tablist', 'aria-label': 'View' });
  readonly panels: Record<View, HTMLElement> = {
    graph: h('div.hyb-panel'),
    memory: h('div.hyb-panel'),
    program: h('div.hyb-panel')
  };
  private readonly tabs = new Map<View, HTMLButtonElement>();

  /** `chosen`: the person wants another view. */
  constructor(private readonly chosen: (view: View) => void) {
    for (const view of VIEWS) {
      const id = uniqueId(`panel-${view}`);
      const panel = this.panels[view];
      panel.id = id;
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-label', NAMES[view]);
      const tab = h(
        'button',
        { type: 'button', role: 'tab', 'aria-controls': id, onclick: () => chosen(view) },
        NAMES[view]
      );
      this.tabs.set(view, tab);
      this.element.append(tab);
    }
    this.element.addEventListener('keydown', event => this.key(event));
  }

  show(view: View): void {
    for (const [name, tab] of this.tabs) {
      const active = name === view;
      tab.setAttribute('aria-selected', String(active));
      tab.tabIndex = active ? 0 : -1;
      this.panels[name].hidden = !active;
    }
  }

  private key(event: KeyboardEvent): void {
    const delta = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (delta !== 0) {
      const now = VIEWS.findIndex(view => !this.panels[view].hidden);
      const to = VIEWS[(now + delta + VIEWS.length) % VIEWS.length];
      this.chosen(to);
      this.tabs.get(to)?.focus();
      event.preventDefault();
    }
  }
}
