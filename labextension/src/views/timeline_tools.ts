// The timeline's buttons, and what its colours mean.
import type { Family } from '../spec';
import { h } from './dom';
import { HELD_COLORS } from './paint_counters';
import { FAMILY } from './palette';

/** A button with a word or a sign on it, and what it does in a sentence. */
export function tool(
  text: string,
  title: string,
  onclick: (event: MouseEvent) => void,
  more: Record<string, string> = {}
): HTMLButtonElement {
  const props = { type: 'button', title, 'aria-label': title, onclick, ...more };
  return h('button.hyb-tool', props, text);
}

/** Says whether the picture moves by itself, and changes it. */
export class FollowButton {
  readonly element: HTMLButtonElement;

  constructor(onclick: () => void) {
    this.element = h('button.hyb-follow', { type: 'button', onclick });
  }

  show(following: boolean): void {
    this.element.textContent = following ? 'Pause' : 'Follow';
    this.element.title = following ? 'Hold the picture still' : 'Follow the queue again';
    this.element.setAttribute('aria-pressed', String(!following));
  }
}

/** Of operators; a gradient's are those of its operators. */
const TOLD = [
  ...(['elementwise', 'linear', 'conv', 'reduce', 'shape', 'index', 'loss'] as const),
  ...(['random', 'creation', 'copy', 'other'] as const)
];

/** What modelled memory is used for, in the order of the kernel's kinds. */
const HELD = [
  ...(['parameters', 'gradients', 'optimizer states'] as const),
  ...(['activations', 'programs at work', 'other arrays'] as const)
];

function familyChip(family: Family): HTMLElement {
  const { color, label } = FAMILY[family];
  const chip = colorChip(color, label);
  chip.dataset.family = family;
  return chip;
}

function colorChip(color: string, label: string): HTMLElement {
  const key = h('i.hyb-key', { 'aria-hidden': 'true' });
  key.style.background = `color-mix(in srgb, ${color} 55%, var(--hyb-bg))`;
  return h('span.hyb-chip', {}, key, label);
}

function item(kind: string, text: string): HTMLElement {
  return h('span.hyb-chip', {}, h(`i.hyb-key.${kind}` as const, { 'aria-hidden': 'true' }), text);
}

/** Of the modelled clock. */
export function modelledLegend(): HTMLElement {
  return h(
    'div.hyb-legend',
    {},
    ...TOLD.map(family => familyChip(family)),
    item('hyb-key-waiting', 'host hands out work'),
    item('hyb-key-wait', 'host waits'),
    item('hyb-key-running', 'running'),
    h('span.hyb-chip.hyb-lagging', {}, 'lagging'),
    h(
      'span.hyb-hint.hyb-held-key',
      {},
      'memory, from the bottom: ',
      ...HELD.map((label, i) => colorChip(HELD_COLORS[i], label))
    ),
    h(
      'span.hyb-hint',
      {},
      'lagging: the CPU has not computed yet what is shown · exposed: the device copies and does not compute'
    ),
    h(
      'span.hyb-hint',
      {},
      'Times are modelled by data sheets, none was measured on such a device. Zoom, find and select as in real time.'
    )
  );
}

export function timelineLegend(): HTMLElement {
  return h(
    'div.hyb-legend',
    {},
    ...TOLD.map(family => familyChip(family)),
    item('hyb-key-thin', 'inline, many in a row'),
    item('hyb-key-slow', 'held by slow motion'),
    item('hyb-key-wait', 'a wait'),
    item('hyb-key-error', 'failed'),
    item('hyb-key-running', 'running'),
    item('hyb-key-ready', 'ready, waits for the device'),
    item('hyb-key-waiting', 'waits for other operators'),
    item('hyb-key-memory', 'memory in use'),
    h(
      'span.hyb-hint',
      {},
      'wheel, W, S: zoom · drag, A, D: move · Shift+drag: select time · /: find · click: show its line and node'
    ),
    h(
      'span.hyb-hint',
      {},
      'arrows of a queued operator: dashed from its push, blue from what it reads, green to its readers'
    )
  );
}
