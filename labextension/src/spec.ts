// Written by tools/schema.py from jupyter_hybrid/views/schema.py: change that.

export const GRAPH_MIME = 'application/vnd.jupyter-hybrid.graph.v1+json';
export const SPEC_VERSIONS = [1, 2];

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
export type Family = (typeof FAMILIES)[number];

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
export type Action = (typeof ACTIONS)[number];

export const VIEWS = ['graph', 'memory', 'program'] as const;
export type View = (typeof VIEWS)[number];

export const NODE_KINDS = ['input', 'constant', 'op', 'fused', 'effect', 'output'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export const NAME_STATES = ['kept', 'deferred', 'planned away'] as const;
export type NameState = (typeof NAME_STATES)[number];

export const EDGE_KINDS = ['data', 'order'] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

export const GROUP_KINDS = ['block', 'part', 'line', 'prefix', 'repeat', 'step', 'range'] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

export const BUFFER_KINDS = ['arena', 'output', 'input'] as const;
export type BufferKind = (typeof BUFFER_KINDS)[number];

export const CATEGORIES = [
  'parameter',
  'input',
  'constant',
  'activation',
  'gradient',
  'temporary',
  'result'
] as const;
export type Category = (typeof CATEGORIES)[number];

/** The user's cell. Lines of nodes count from 1 in the whole cell, its magic line included. */
export interface Cell {
  id: string | null;
  lines: string[];
  first_line: number;
}

/** A line of code that is not in the picture's own cell; neither cell nor file: nobody knows. */
export interface Place {
  /** its id */
  cell: string | null;
  /** relative to the kernel's working directory where it is in it, or to ~ */
  file: string;
  line: number;
  code: string;
}

/** An operator of a fused kernel. */
export interface Member {
  id: number;
  op: string;
  label: string;
  line: number | null;
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
  /** indexes of the lines outside of the cell that it came from */
  places: number[];
  shape: number[] | null;
  dtype: string;
  /** of its values; null: a shape or dtype is not known */
  bytes: number | null;
  device: string;
  kernel: number | null;
  buffer: number | null;
  origins: number[];
  /** of a gradient: the nodes that it belongs to */
  forward: number[];
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

/** A value that a node reads, or a wait. */
export interface Edge {
  src: number;
  dst: number;
  out: number;
  arg: number;
  label: string;
  bytes: number;
  kind: EdgeKind;
}

/** One stage's nodes, in the order of the cell, and edges. */
export interface Graph {
  nodes: Node[];
  edges: Edge[];
}

/** What nodes can be collapsed into. */
export interface Group {
  label: string;
  kind: GroupKind;
  parent: number | null;
}

/** What a pass did to one node of the stage before. */
export interface Change {
  node: number;
  action: Action;
  into: number | null;
  why: string;
  /** the rewrite of its pass that it is part of, in their order; -1: not told */
  step: number;
  /** of that rewrite: `x * 1 -> x`; empty: not told */
  rule: string;
  line: number | null;
}

/** One launch: the operators that it computes, and their lines. */
export interface Kernel {
  id: number;
  op: string;
  nodes: number[];
  lines: number[];
  text: string;
}

/** The graph after a pass. */
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

/** A pass that changed nothing, and why. */
export interface Skipped {
  name: string;
  label: string;
  why: string;
}

/** One step of the plan. */
export interface Step {
  step: number;
  node: number;
  label: string;
  line: number | null;
}

/** What a buffer holds from a step on. */
export interface Value {
  node: number;
  label: string;
  start: number;
  category: Category;
  /** of its operator; a kernel's values have several */
  line: number | null;
}

/** An array of the caller's, alive all the while; `written`: the program fills it. */
export interface Held {
  node: number;
  label: string;
  bytes: number;
  line: number | null;
  category: Category;
  written: boolean;
  /** the steps of the part that reads or fills it */
  start: number;
  end: number;
}

/** A way to place the buffers, and the height that it reached. */
export interface Attempt {
  method: string;
  bytes: number;
  /** what it took; None: not measured alone */
  s: number | null;
  /** of the buffers `attempted`; empty: not kept */
  offsets: number[];
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
  /** what it holds, one after the other; empty: not told */
  values: Value[];
}

/** What a program on several devices takes on one of them, in bytes. */
export interface DeviceMemory {
  device: string;
  arena_bytes: number;
  planned_bytes: number;
  lower_bound_bytes: number;
}

/** The memory plan, in bytes. */
export interface Memory {
  steps: Step[];
  buffers: Buffer[];
  /** what it reads and fills of the caller's; no buffers */
  held: Held[];
  arena_bytes: number;
  planned: number;
  lower_bound: number;
  imperative: number;
  optimal: boolean;
  /** buffers of the arena in the order in which the planner placed them */
  placed: number[];
  devices: DeviceMemory[];
  /** results of a cell's parts that count as held to its end: nothing tells who lets go */
  unsure: number;
  /** parts of the cell that ran several times */
  repeated: number;
  method: string;
  /** the planner's methods on the largest arena, each alone; that of `method` is the plan's */
  attempts: Attempt[];
  /** the buffers of that arena */
  attempted: number[];
  /** the most of their bytes alive at one step; 0: not known */
  arena_bound: number;
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

/** Of one program in a kernel's process: `count` ids from `offset` on. */
export interface Serials {
  process: string;
  first: number;
  count: number;
  offset: number;
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
  /** Python's time for recording */
  record_s: number | null;
  /** standing still where a value was needed */
  settle_s: number | null;
  run_s: number | null;
  /** the cell, from its start to its end */
  took_s: number | null;
  /** of it, loops that ran compiled */
  loops_s: number | null;
  /** the program is not through yet: its time is not known */
  running: boolean;
  cached: boolean;
  /** replayed, skipped or compiled; empty where it is not known */
  replay: string;
}

/** What is told, as a template and its arguments, each a text or a message itself. */
export interface Message {
  /** of the argument that it is; empty: of none */
  name: string;
  /** in English */
  text: string;
  /** the template, in which `{name}` stands for an argument; empty: a text alone */
  id: string;
  args: Message[];
}

/** A place in the cell where the graph was cut, and why: a message and its arguments. */
export interface Stop {
  line: number | null;
  /** in English; in older files all there is, with count and price */
  reason: string;
  /** of the message, as in `Message`; empty: an older file's */
  id: string;
  args: Message[];
  /** how often it came up */
  count: number;
  /** what it cost altogether; 0: not known */
  seconds: number;
}

/** A name whose value is computed when it is read; `price`: what that costs, in words. */
export interface LaterName {
  name: string;
  price: string;
  bytes: number;
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

/** A line's instructions for the kinds of values that its names hold. */
export interface UnitVersion {
  kinds: string;
  instructions: string[];
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
  versions: UnitVersion[];
  /** why the unit left or was refused there */
  refused: string;
  /** the same, each reason; empty: an older file's */
  reasons: Message[];
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

/** What is shown first; `open`: groups; `fold`: parameters are on their operators' cards. */
export interface Initial {
  stage: number;
  view: View;
  open: number[];
  fold: boolean;
}

/** Another picture, to be compared with the one that holds it. */
export interface Beside {
  title: string;
  cell: Cell | null;
  places: Place[];
  stages: Stage[];
  groups: Group[];
  ends: Stop[];
  initial: Initial;
}

/** One picture of a cell, a block or a graph. */
export interface Spec {
  version: number;
  id: string;
  title: string;
  cell: Cell | null;
  /** lines of other cells and of files that nodes came from */
  places: Place[];
  stages: Stage[];
  /** the same in every stage; a parent stands before its children */
  groups: Group[];
  skipped: Skipped[];
  memory: Memory | null;
  /** what the kernels of the last run took; empty: it was not measured */
  heat: KernelTime[];
  /** what the trace calls nodes of the plan: id - offset + first */
  serials: Serials[];
  totals: Totals;
  breaks: Stop[];
  /** why each segment but the last ends where it does */
  ends: Stop[];
  deferred: LaterName[];
  names: Name[];
  /** the first line that would run this plan; null: it is the one that ran */
  replanned: string | null;
  notes: string[];
  /** loops that ran compiled, or have no unit */
  units: Unit[];
  initial: Initial;
  /** another picture, shown side by side with this */
  beside: Beside | null;
}
