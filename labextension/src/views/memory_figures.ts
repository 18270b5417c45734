// The figures of a plan, each with how it is counted: the only place where that is told in full.
import type { Memory } from '../spec';
import { h } from './dom';
import { bytes } from './format';
import type { LiveBytes } from './live_bytes';

/** Name, bytes and how they are counted. The names are those on the plots. */
export type Figure = [string, number, string];

export function figuresOf(memory: Memory, live: LiveBytes): Figure[] {
  const { imperative, planned, lower_bound: bound, arena_bytes: arena } = memory;
  const before = heldAtPeak(live);
  const shared = arena > 0 ? `an arena of ${bytes(arena)} that values share in turn, and ` : '';
  const at = live.made[live.peak] === bound ? `, at step ${live.peak}` : '';
  const figures: Figure[] = [
    [
      'imperative',
      imperative,
      'counted, not measured: run one by one as written, with an array for each value ' +
        'until its last use, or to the end where a name holds it'
    ],
    ['planned', planned, `${shared}storage for results from the start; ${verdict(memory)}`],
    ['lower bound', bound, `the most that is alive at one step${at}: no plan can go below`],
    [
      'there before',
      before,
      'parameters, inputs and what is written in place: in none of the above'
    ]
  ];
  return figures.filter(([, n]) => n > 0);
}

/** Bytes of the arrays that were there before, at the peak. */
export function heldAtPeak({ layers, peak }: LiveBytes): number {
  return layers.reduce((sum, { held, bytes: n }) => sum + (held ? n[peak] : 0), 0);
}

function verdict({ planned, lower_bound: bound, optimal }: Memory): string {
  return planned <= bound
    ? 'no plan needs less'
    : optimal
      ? 'proven: no arena is smaller'
      : `${bytes(planned - bound)} above the lower bound`;
}

/** What is not known of when values of a cell's parts are freed; empty: nothing. */
export function unknown({ unsure, repeated, planned }: Memory): string {
  const held =
    `${bytes(unsure)} of results count as held to the end of the cell: ` +
    'nothing tells when a list, a function or what was shown lets go of them.';
  const again = 'Parts that ran several times are drawn once, as in the last run.';
  // A printed number is no news.
  return [unsure > planned / 100 && held, repeated > 0 && again].filter(Boolean).join(' ');
}

export function memoryFigures(memory: Memory, live: LiveBytes): HTMLElement {
  return h(
    'dl.hyb-counted',
    {},
    ...figuresOf(memory, live).flatMap(([name, n, how]) => [
      h('dt', {}, name),
      h('dd', {}, h('b', {}, bytes(n))),
      h('dd', {}, how)
    ])
  );
}
