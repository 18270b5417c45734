// The timeline's buttons, and what its colours mean.
import { h } from './dom';

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

export function timelineLegend(): HTMLElement {
  const item = (kind: string, text: string) =>
    h('span.hyb-chip', {}, h(`i.hyb-key.${kind}` as const, { 'aria-hidden': 'true' }), text);
  return h(
    'div.hyb-legend',
    {},
    item('hyb-key-span', 'operator (one colour a name)'),
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
