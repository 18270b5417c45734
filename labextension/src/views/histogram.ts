// How the elements of a value are spread: a small histogram for its card.
import type { Histogram } from '../stage_ran';
import { h } from './dom';
import { plural } from './format';

const HEIGHT = 36;

export function histogram({ bins, low, high, every }: Histogram): HTMLElement {
  const most = Math.max(...bins);
  const counted = bins.reduce((sum, n) => sum + n, 0);
  const bar = (n: number) => {
    const element = h('i');
    // A border, for colours that are forced leave no background.
    element.style.borderBottomWidth = `${n > 0 ? Math.max(1, (HEIGHT * n) / most) : 0}px`;
    return element;
  };
  const sample = every > 1 ? `1 of each ${every} elements` : '';
  const label =
    `Histogram of ${plural(counted, 'element')} from ${low} to ${high}: ` +
    `${bins.length} equal ranges with ${bins.join(', ')}`;
  return h(
    'div',
    {},
    h('div.hyb-histogram', { role: 'img', 'aria-label': label, title: label }, ...bins.map(bar)),
    h('div.hyb-range', {}, h('span', {}, low), sample, h('span', {}, high))
  );
}
