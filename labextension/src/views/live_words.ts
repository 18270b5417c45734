// What is said of the bytes alive at a step.
import type { Memory } from '../spec';
import { bytes, cut, plural } from './format';
import type { Alive, Layer } from './live_bytes';
import { CATEGORY } from './palette';

const NAMED = 3;

export function layerName({ category, held }: Pick<Layer, 'category' | 'held'>): string {
  if (category === null) {
    return 'buffers of the plan';
  }
  return held && category === 'gradient' ? "the parameters' gradients" : CATEGORY[category].label;
}

/** `step 12 (line 4, y = exp(x)): 3.2 MB made here: …` */
export function describeStep(
  memory: Memory,
  lines: string[],
  step: number,
  alive: Alive[]
): string {
  const made = alive.filter(value => !value.held);
  const held = alive.filter(value => value.held);
  const largest = made
    .slice(0, NAMED)
    .map(({ label, bytes: n }) => `${cut(label, 40)} ${bytes(n)}`);
  const rest = made.length - NAMED;
  const more = rest > 0 ? ` and ${plural(rest, 'more buffer')}` : '';
  const sums = sumsOf(made);
  const kinds = sums.length > 1 ? `: ${sums.join(', ')}` : '';
  const before = held.length > 0 ? `; ${bytes(total(held))} were there before` : '';
  const what = largest.length > 0 ? ` Largest: ${largest.join(', ')}${more}.` : '';
  return `${where(memory, lines, step, alive)}: ${bytes(total(made))} alive of what the program makes${kinds}${before}.${what}`;
}

export function peakSentence(said: string): string {
  return `Peak at ${said}`;
}

function where({ steps }: Memory, lines: string[], step: number, alive: Alive[]): string {
  const at = steps[step];
  if (!at || at.node < 0) {
    return `step ${step} (the end: results are copied)`;
  }
  const code = at.line === null ? '' : (lines[at.line - 1] ?? '').trim();
  const backward = alive.some(({ node, category }) => node === at.node && category === 'gradient');
  const of = backward ? 'gradient of line' : 'line';
  const line = at.line === null ? '' : `${of} ${at.line}${code && `: ${cut(code, 60)}`}, `;
  return `step ${step} (${line}${cut(at.label, 40)})`;
}

function sumsOf(alive: Alive[]): string[] {
  const sums = new Map<string, number>();
  for (const value of alive) {
    const name = layerName(value).split(',')[0];
    sums.set(name, (sums.get(name) ?? 0) + value.bytes);
  }
  return [...sums].sort((a, b) => b[1] - a[1]).map(([name, n]) => `${name} ${bytes(n)}`);
}

function total(alive: Alive[]): number {
  return alive.reduce((sum, value) => sum + value.bytes, 0);
}
