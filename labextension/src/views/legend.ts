// The legend of the graph: only the families and kinds that the picture shows; buffers are listed beside it.
import type { Graph } from '../spec';
import { h } from './dom';
import { seconds } from './format';
import type { Heat } from './heat';
import { FAMILY } from './palette';

/** Chips for a graph; hovering one points at its nodes. */
export function legend(
  graph: Graph,
  byBuffer: boolean,
  changed: 'stage' | 'step' | null,
  heat: Heat | null,
  hover: (ids: number[]) => void
): HTMLElement {
  const chips: HTMLElement[] = [];
  const chip = (color: string, glyph: string, label: string, ids: number[]) => {
    const swatch = h('i', { 'aria-hidden': 'true' }, glyph);
    swatch.style.setProperty('--hyb-swatch', color);
    chips.push(
      h(
        'span.hyb-chip',
        { onpointerenter: () => hover(ids), onpointerleave: () => hover([]) },
        swatch,
        label
      )
    );
  };
  const group = <K>(key: (node: Graph['nodes'][number]) => K | null) => {
    const groups = new Map<K, number[]>();
    for (const node of graph.nodes) {
      const k = key(node);
      if (k !== null) {
        groups.set(k, [...(groups.get(k) ?? []), node.id]);
      }
    }
    return groups;
  };
  if (heat) {
    const text =
      `colour: share of the compiled run's ${seconds(heat.total)} in kernels; ` +
      '≈: operators of one kernel share its time by estimated cost';
    return h('div.hyb-legend', {}, h('i.hyb-heat-scale', {}), h('span.hyb-hint', {}, text));
  }
  const plain = byBuffer ? (node: Graph['nodes'][number]) => node.buffer === null : () => true;
  for (const [family, ids] of group(node => (plain(node) ? node.family : null))) {
    chip(FAMILY[family].color, FAMILY[family].glyph, FAMILY[family].label, ids);
  }
  const words = byBuffer ? ['colour: the buffer that holds the value'] : [];
  if (graph.nodes.some(node => node.kind === 'fused')) {
    words.push('double card: operators in one kernel');
  }
  if (graph.nodes.some(node => node.head)) {
    words.push('thick border: a result');
  }
  if (changed === 'step') {
    words.push('glow: changed in this step', 'struck title: gone', 'line in its colour: new');
  } else {
    words.push(...(changed ? ['glow: changed in this stage'] : []), 'line width: bytes');
  }
  return h('div.hyb-legend', {}, ...chips, h('span.hyb-hint', {}, words.join(' · ')));
}
