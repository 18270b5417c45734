// What the kernel answers when a picture's stage was to be run.
import { boolean, choice, integer, list, object, or, string, number } from './decode';
import type { Message } from './spec';
import { message } from './spec_decoders';

/** Between the outputs of a stage and of the one before. */
export interface Difference {
  outputs: number;
  unlike: number;
  /** of the output that is furthest off */
  name: string;
  max_abs: string;
  /** in units of the last place; null: of no meaning */
  max_ulp: number | null;
  equal: boolean;
}

export interface Run {
  best_s: number;
  median_s: number;
  runs: number;
  bytes: number;
  /** values share memory as planned */
  shared: boolean;
  /** the label of the stage that it is compared with */
  before: string;
  difference: Difference | null;
  /** what the pass may change in results; '' when it keeps every bit */
  why: string;
  /** whether the inputs hold what the cell read, ... */
  inputs: string;
  /** ... and it is known that they don't */
  changed: boolean;
}

/** How many elements lie in equal ranges from `low` to `high`; one of `every` was counted. */
export interface Histogram {
  bins: number[];
  low: string;
  high: string;
  every: number;
}

/** Figures of one value of a node, as text where they may be no numbers. */
export interface NodeValue {
  id: number;
  /** what the program's text calls it */
  label: string;
  count: number;
  nans: number;
  infs: number;
  min: string;
  max: string;
  mean: string;
  preview: string;
  /** of an operator inside a fused kernel: the label of the stage that computed it */
  stage: string;
  /** null: all finite elements are the same, or they are complex */
  spread: Histogram | null;
}

/** A kernel the values inside which are not known, and why. */
export interface Closed {
  kernel: number;
  why: string;
}

/** What the inputs hold now; random numbers for those that are gone. */
export type Offer = '' | 'now' | 'random';

export interface StageRan {
  type: 'stage_ran';
  id: string;
  stage: string;
  /** why it was not run; null when it was */
  refused: Message | null;
  /** on what else it can be run; '': on nothing */
  offer: Offer;
  run: Run | null;
  /** of every node; null: not asked */
  values: NodeValue[] | null;
  closed: Closed[];
  first_nan: number | null;
  first_inf: number | null;
}

const text = or(string, '');
const whole = or(integer, null);

const difference = object<Difference>({
  outputs: integer,
  unlike: integer,
  name: text,
  max_abs: text,
  max_ulp: or(number, null),
  equal: boolean
});

const run = object<Run>({
  best_s: number,
  median_s: number,
  runs: integer,
  bytes: number,
  shared: boolean,
  before: text,
  difference: or(difference, null),
  why: text,
  inputs: text,
  changed: or(boolean, false)
});

const value = object<NodeValue>({
  id: integer,
  label: text,
  count: integer,
  nans: integer,
  infs: integer,
  min: text,
  max: text,
  mean: text,
  preview: text,
  stage: text,
  spread: or(
    object<Histogram>({ bins: list(integer), low: text, high: text, every: integer }),
    null
  )
});

const closed = object<Closed>({ kernel: integer, why: text });

const answer = object<Omit<StageRan, 'type'>>({
  id: string,
  stage: string,
  refused: or(message, null),
  offer: or(choice(['', 'now', 'random'] as const), '' as const),
  run: or(run, null),
  values: or(list(value), null),
  closed: list(closed),
  first_nan: whole,
  first_inf: whole
});

/** Throws a ProtocolError that names the fault. */
export function parseStageRan(data: unknown): StageRan {
  return { type: 'stage_ran', ...answer(data, 'stage_ran') };
}
