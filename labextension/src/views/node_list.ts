// The list of nodes for screen readers and the keyboard; the canvas itself is hidden from them.
import { h, uniqueId } from './dom';
import type { Card } from './drawn';
import { shape } from './format';
import { linesOf, ownName } from './stages';

/** At most this many options are in the page: a window around the active one. */
const WINDOW = 240;

export interface NodeListEvents {
  select: (id: number | null) => void;
  /** opens a closed group, or closes the one around a node */
  toggle: (id: number) => void;
  step: (delta: number) => void;
}

export class NodeList {
  readonly element: HTMLElement;
  private nodes: Card[] = [];
  private notes: ReadonlyMap<number, string> = new Map();
  private first = 0;
  private active: number | null = null;
  private readonly prefix = uniqueId('node');

  constructor(private readonly events: NodeListEvents) {
    this.element = h('div.hyb-nodelist', {
      role: 'listbox',
      tabindex: 0,
      'aria-label': 'Graph nodes',
      onkeydown: (event: KeyboardEvent) => this.key(event)
    });
  }

  /** `notes`: by card, what else is to be said of it */
  setCards(cards: Card[], notes: ReadonlyMap<number, string>): void {
    this.nodes = cards;
    this.notes = notes;
    this.render();
  }

  setSelected(ids: number[]): void {
    this.active = ids.length > 0 ? ids[0] : null;
    const chosen = new Set(ids);
    const at = this.nodes.findIndex(node => node.id === this.active);
    if (at >= 0 && (at < this.first || at >= this.first + WINDOW)) {
      this.render(at);
    }
    for (const option of this.element.children) {
      const id = Number((option as HTMLElement).dataset.node);
      option.setAttribute('aria-selected', String(chosen.has(id)));
    }
    if (this.active === null || at < 0) {
      this.element.removeAttribute('aria-activedescendant');
    } else {
      this.element.setAttribute('aria-activedescendant', `${this.prefix}-${this.active}`);
    }
  }

  /** Where each node is on the canvas, for tests and for tools that point. */
  setPositions(position: (id: number) => { x: number; y: number } | null): void {
    for (const option of this.element.children) {
      const { dataset } = option as HTMLElement;
      const at = position(Number(dataset.node));
      dataset.x = at ? String(Math.round(at.x)) : '';
      dataset.y = at ? String(Math.round(at.y)) : '';
    }
  }

  private render(around = 0): void {
    this.first = Math.max(0, Math.min(around - WINDOW / 2, this.nodes.length - WINDOW));
    const shown = this.nodes.slice(this.first, this.first + WINDOW);
    this.element.replaceChildren(
      ...shown.map((node, i) =>
        h(
          'div',
          {
            role: 'option',
            id: `${this.prefix}-${node.id}`,
            'aria-selected': 'false',
            'aria-setsize': this.nodes.length,
            'aria-posinset': this.first + i + 1,
            'data-node': node.id
          },
          [describeNode(node), this.notes.get(node.id)].filter(Boolean).join(', ')
        )
      )
    );
  }

  private key(event: KeyboardEvent): void {
    const at = this.nodes.findIndex(node => node.id === this.active);
    const go = (to: number) => {
      const node = this.nodes[Math.min(Math.max(to, 0), this.nodes.length - 1)];
      if (node) {
        this.events.select(node.id);
      }
    };
    if (event.altKey) {
      return; // back and forward, of the whole viewer
    }
    switch (event.key) {
      case 'ArrowDown':
        go(at + 1);
        break;
      case 'ArrowUp':
        go(at < 0 ? 0 : at - 1);
        break;
      case 'Home':
        go(0);
        break;
      case 'End':
        go(this.nodes.length - 1);
        break;
      case 'ArrowLeft':
        this.events.step(-1);
        break;
      case 'ArrowRight':
        this.events.step(1);
        break;
      case 'Enter':
        if (this.active !== null) {
          this.events.toggle(this.active);
        }
        break;
      case 'Escape':
        this.events.select(null);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** A node in one line of words: "multiply c, (10,) float64, line 5". */
export function describeNode(node: Omit<Card, 'x' | 'y' | 'opens'>): string {
  const parts = [`${node.label} ${ownName(node)}`.trim()];
  if (node.kind !== 'op') {
    parts[0] += ` [${node.kind}]`;
  }
  if (node.detail) {
    parts.push(node.detail);
  }
  if (node.shape) {
    parts.push(`${shape(node.shape)} ${node.dtype}`.trim());
  }
  if (node.buffer !== null) {
    parts.push(`buffer ${node.buffer}`);
  }
  const lines = linesOf(node);
  if (lines.length > 0) {
    parts.push(`line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}`);
  }
  return parts.join(', ');
}
