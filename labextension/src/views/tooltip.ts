// A small box of words beside the pointer.
import { h } from './dom';

export class Tooltip {
  private readonly box = h('div.hyb-tooltip', { 'aria-hidden': 'true' });

  /** `host` must be positioned: the tip is placed inside it. */
  constructor(private readonly host: HTMLElement) {
    this.box.hidden = true;
    host.append(this.box);
  }

  /** Lines of text; the first is set as a heading. */
  show(lines: string[], x: number, y: number): void {
    this.box.replaceChildren(...lines.map((line, i) => h(i === 0 ? 'strong' : 'span', {}, line)));
    this.box.hidden = false;
    const width = this.box.offsetWidth;
    const height = this.box.offsetHeight;
    const left = x + 14 + width > this.host.clientWidth ? x - width - 10 : x + 14;
    const top = y + 16 + height > this.host.clientHeight ? y - height - 10 : y + 16;
    this.box.style.left = `${Math.max(2, left)}px`;
    this.box.style.top = `${Math.max(2, top)}px`;
  }

  hide(): void {
    this.box.hidden = true;
  }
}
