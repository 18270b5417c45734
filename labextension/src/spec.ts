// The types of the graph spec: one picture of a cell, as Python sends it.

export const GRAPH_MIME = 'application/vnd.jupyter-hybrid.graph.v1+json';
/** 2: long lists may be columns (table.ts). */
export const SPEC_VERSIONS = [1, 2];

export type View = (typeof VIEWS)[number];
export type NodeKind = (typeof NODE_KINDS)[number];
export type Family = (typeof FAMILIES)[number];
export type Action = (typeof ACTIONS)[number];
export type NameState = (typeof NAME_STATES)[number];
export type GroupKind = (typeof GROUP_KINDS)[number];
export type BufferKind = (typeof BUFFER_KINDS)[number];

export const FAMILIES = [
  'elementwise',
  'linear',
  'conv',
  'reduce',
  'shape',
  'random',
  'index',
  'loss',
  'creation',
  'copy',
  'gradient',
  'input',
  'constant',
  'effect',
  'other'
] as const;

export const ACTIONS = [
  'folded',
  'merged',
  'removed',
  'fused',
  'rewritten',
  'added',
  'moved',
  'kept'
] as const;

export const VIEWS = ['graph', 'memory', 'program'] as const;
export const NODE_KINDS = ['input', 'constant', 'op', 'fused', 'effect', 'output'] as const;
export const NAME_STATES = ['kept', 'deferred', 'planned away'] as const;
export const EDGE_KINDS = ['data', 'order'] as const;
export const GROUP_KINDS = ['block', 'part', 'line', 'prefix', 'repeat', 'step', 'range'] as const;
export const BUFFER_KINDS = ['arena', 'output', 'input'] as const;

export interface Spec {
  id: string;
  title: string;
  cell: Cell | null;
  stages: Stage[];
  /** what nodes can be collapsed into, the same in every stage; a parent stands before its children */
  groups: Group[];
  skipped: { name: string; label: string; why: string }[];
  memory: Memory | null;
  /** what the kernels of the last run took; empty: it was not measured */
  heat: KernelTime[];
  /** what the trace calls nodes of the plan: id - offset + first */
  serials: Serials[];
  totals: Totals;
  breaks: { line: number | null; reason: string }[];
  /** why each segment but the last ends where it does */
  ends: { line: number | null; reason: string }[];
  deferred: { name: string; price: string; bytes: number }[];
  names: Name[];
  /** the first line that would run this plan; null: it is the one that ran */
  replanned: string | null;
  notes: string[];
  /** loops that ran compiled, or have no unit */
  units: Unit[];
  /** what is shown first; `open`: groups; `fold`: parameters stand on their operators' cards */
  initial: { stage: number; view: View; open: number[]; fold: boolean };
}

/** The user's cell. Lines of nodes count from 1 in the whole cell, its magic line included. */
export interface Cell {
  id: string | null;
  lines: string[];
  first_line: number;
}

/** An array name of the cell, as a switch; `price`: what keeping it adds, in words. */
export interface Name {
  name: string;
  line: number | null;
  state: NameState;
  price: string;
  /** why it is kept in any case; empty: it can be switched */
  fixed: string;
  /** other names of the same array */
  shares: string[];
}

/** A loop's unit: one body, run for every step. */
export interface Unit {
  title: string;
  /** some of its steps ran compiled */
  compiled: boolean;
  /** how long, where it left, why it has no unit */
  text: string;
  rows: UnitRow[];
  /** names that it binds, with their types */
  variables: [string, string][];
  /** what is looked at when it begins */
  guards: string[];
}

/** A line of the user's text with what it became. */
export interface UnitRow {
  line: number;
  /** it stands in this cell */
  own: boolean;
  /** the function that it stands in, where the loop calls that */
  of: string;
  code: string;
  /** its instructions; several where the names hold other kinds by turns */
  versions: { kinds: string; instructions: string[] }[];
  /** why the unit left or was refused there */
  refused: string;
}

/** What the cell costs; null where it was not measured. Bytes and seconds. */
export interface Totals {
  bytes_imperative: number | null;
  bytes_planned: number | null;
  bytes_lower_bound: number | null;
  arena_bytes: number | null;
  kernels_before: number | null;
  kernels_after: number | null;
  compile_s: number | null;
  /** Python's time for recording; standing still where a value was needed */
  record_s: number | null;
  settle_s: number | null;
  run_s: number | null;
  /** the program is not through yet: its time is not known */
  running: boolean;
  cached: boolean;
  /** replayed, skipped or compiled; empty where it is not known */
  replay: string;
}

export interface Stage {
  name: string;
  label: string;
  summary: string;
  graph: Graph;
  changes: Change[];
  program: string;
  /** for each line of the program its node, or a member of one; -1: none; empty: not told */
  program_nodes: number[];
  kernels: Kernel[];
}

export interface Graph {
  nodes: Node[];
  edges: Edge[];
}

/** A node of the graph; w and h are its card's size, in layout pixels. */
export interface Node {
  id: number;
  op: string;
  kind: NodeKind;
  label: string;
  detail: string;
  name: string;
  family: Family;
  line: number | null;
  col: number | null;
  code: string;
  shape: number[] | null;
  dtype: string;
  /** of its values; null: a shape or dtype is not known */
  bytes: number | null;
  device: string;
  kernel: number | null;
  buffer: number | null;
  origins: number[];
  scope: string;
  segment: number;
  head: boolean;
  members: Member[];
  /** the program text of a control-flow node's bodies */
  body: string;
  /** index of the innermost group */
  group: number | null;
  /** of a parameter: the operator on whose card it can be written */
  host: number | null;
  w: number;
  h: number;
}

export interface Member {
  id: number;
  op: string;
  label: string;
  line: number | null;
}

export interface Edge {
  src: number;
  dst: number;
  out: number;
  arg: number;
  label: string;
  bytes: number;
  kind: (typeof EDGE_KINDS)[number];
}

export interface Group {
  label: string;
  kind: GroupKind;
  parent: number | null;
}

export interface Change {
  node: number;
  action: Action;
  into: number | null;
  why: string;
  line: number | null;
}

export interface Kernel {
  id: number;
  op: string;
  nodes: number[];
  lines: number[];
  text: string;
}

/** Of one program in a kernel's process: `count` ids from `offset` on. */
export interface Serials {
  process: string;
  first: number;
  count: number;
  offset: number;
}

/** Of one kernel of the plan: seconds, FLOP and bytes, of all its runs together. */
export interface KernelTime {
  node: number;
  s: number;
  flop: number;
  bytes: number;
  /** of a fused kernel: (member, share of the time as its cost is estimated) */
  members: [number, number][];
}

export interface Memory {
  steps: Step[];
  buffers: Buffer[];
  arena_bytes: number;
  planned: number;
  lower_bound: number;
  imperative: number;
  optimal: boolean;
  /** buffers of the arena in the order in which the planner placed them */
  placed: number[];
  method: string;
}

export interface Step {
  step: number;
  node: number;
  label: string;
  line: number | null;
}

/** One buffer of the plan: `bytes` at `offset`, alive from step `start` to step `end`, both included. */
export interface Buffer {
  id: number;
  node: number;
  label: string;
  bytes: number;
  offset: number;
  start: number;
  end: number;
  kind: BufferKind;
  line: number | null;
  shares: number[];
}
