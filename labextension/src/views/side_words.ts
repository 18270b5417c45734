// What is said of two pictures side by side: how they differ, and what stands on both sides.
import { changesOf, count, type differences, type Difference } from './difference';
import { h } from './dom';
import { plural } from './format';
import type { Matching, Side } from './matching';
import { DIFFERENCE } from './palette';
import { linesOf } from './stages';

/** What signs and colours mean, with counts. */
export function differenceChips({ a, b }: ReturnType<typeof differences>): HTMLElement[] {
  const counts: Record<Difference, string> = {
    'only A': String(count(a, 'only A')),
    'only B': String(count(b, 'only B')),
    changed: both(count(a, 'changed'), count(b, 'changed')),
    same: both(count(a, 'same'), count(b, 'same'))
  };
  return (Object.keys(counts) as Difference[]).map(what => {
    const { color, glyph, label } = DIFFERENCE[what];
    const swatch = h('i', { 'aria-hidden': 'true', class: 'hyb-sign', 'data-what': what }, glyph);
    swatch.style.setProperty('--hyb-swatch', color);
    return h('span.hyb-chip', {}, swatch, `${label}: ${counts[what]}`);
  });
}

/**
 * The nodes that are chosen on both sides, and what is not the same; `code`: the second side is
 * another report, whose lines need their code. Empty: nothing is chosen.
 */
export function pairWords(
  [a, here]: readonly [Side, number[]],
  [b, there]: readonly [Side, number[]],
  matching: Matching,
  code: boolean
): string {
  if (here.length + there.length === 0) {
    return '';
  }
  const told = here.length > 0 ? changesOf(here[0], a, b, matching) : [];
  const sides = [`A: ${nodeWords(a, here)}`, `B: ${nodeWords(b, there, code)}`];
  return [...sides, told.join(', ')].filter(Boolean).join(' · ');
}

function both(a: number, b: number): string {
  return a === b ? String(a) : `${a} in A, ${b} in B`;
}

function nodeWords({ model, stage }: Side, ids: number[], code = false): string {
  const node = model.node(stage, ids[0]);
  if (!node) {
    return 'not there';
  }
  const lines = linesOf(node);
  const where = lines.length > 0 ? `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}` : '';
  const text = code && lines.length === 1 && node.code ? `: ${node.code.trim()}` : '';
  const more = ids.length > 1 ? ` and ${plural(ids.length - 1, 'more node')}` : '';
  return `${node.label}${where && ` (${where}${text})`}${more}`;
}
