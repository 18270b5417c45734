// Written by tools/schema.py from jupyter_hybrid/views/schema.py: change that.
import {
  boolean,
  choice,
  code,
  exact,
  filled,
  integer,
  length,
  list,
  number,
  object,
  or,
  pair,
  size,
  string,
  type Decoder
} from './decode';
import {
  ACTIONS,
  BUFFER_KINDS,
  CATEGORIES,
  EDGE_KINDS,
  FAMILIES,
  GROUP_KINDS,
  NAME_STATES,
  NODE_KINDS,
  VIEWS,
  type Cell,
  type Place,
  type Member,
  type Node,
  type Edge,
  type Graph,
  type Group,
  type Change,
  type Kernel,
  type Stage,
  type Skipped,
  type Step,
  type Value,
  type Held,
  type Attempt,
  type Buffer,
  type DeviceMemory,
  type Memory,
  type KernelTime,
  type Serials,
  type Totals,
  type Message,
  type Stop,
  type LaterName,
  type Name,
  type UnitVersion,
  type UnitRow,
  type Unit,
  type Initial,
  type Beside,
  type Spec
} from './spec';
import { chained, table } from './table';

const cell = object<Cell>({
  id: or(string, null),
  lines: list(or(code, '')),
  first_line: or(integer, 0)
});

const place = object<Place>({
  cell: or(string, null),
  file: or(exact, ''),
  line: integer,
  code: or(code, '')
});

const member = object<Member>({
  id: integer,
  op: or(string, ''),
  label: or(string, ''),
  line: or(integer, null)
});

const node = object<Node>({
  id: integer,
  op: or(string, ''),
  kind: or(choice(NODE_KINDS), 'op'),
  label: or(string, ''),
  detail: or(string, ''),
  name: or(string, ''),
  family: or(choice(FAMILIES), 'other'),
  line: or(integer, null),
  col: or(integer, null),
  code: or(code, ''),
  places: list(integer),
  shape: or(list(integer), null),
  dtype: or(string, ''),
  bytes: or(size, null),
  device: or(string, ''),
  kernel: or(integer, null),
  buffer: or(integer, null),
  origins: list(integer),
  forward: list(integer),
  scope: or(string, ''),
  segment: or(integer, 0),
  head: or(boolean, false),
  members: list(member),
  body: or(code, ''),
  group: or(integer, null),
  host: or(integer, null),
  w: or(length, 132),
  h: or(length, 44)
});

const edge = object<Edge>({
  src: integer,
  dst: integer,
  out: or(integer, 0),
  arg: or(integer, 0),
  label: or(string, ''),
  bytes: or(size, 0),
  kind: or(choice(EDGE_KINDS), 'data')
});

const graph = (before?: Graph) =>
  object<Graph>({
    nodes: table(node, before?.nodes),
    edges: table(edge, before?.edges)
  });

const group = object<Group>({
  label: or(string, ''),
  kind: or(choice(GROUP_KINDS), 'range'),
  parent: or(integer, null)
});

const change = object<Change>({
  node: integer,
  action: or(choice(ACTIONS), 'kept'),
  into: or(integer, null),
  why: or(string, ''),
  step: or(integer, -1),
  rule: or(string, ''),
  line: or(integer, null)
});

const kernel = object<Kernel>({
  id: integer,
  op: or(string, ''),
  nodes: list(integer),
  lines: list(integer),
  text: or(string, '')
});

const stage = (before?: Stage) =>
  object<Stage>({
    name: or(string, ''),
    label: or(string, ''),
    summary: or(string, ''),
    graph: graph(before?.graph),
    changes: table(change),
    program: or(code, ''),
    program_nodes: list(integer),
    kernels: table(kernel)
  });

const skipped = object<Skipped>({
  name: or(string, ''),
  label: or(string, ''),
  why: or(string, '')
});

const step = object<Step>({
  step: integer,
  node: integer,
  label: or(string, ''),
  line: or(integer, null)
});

const value = object<Value>({
  node: integer,
  label: or(string, ''),
  start: integer,
  category: choice(CATEGORIES),
  line: or(integer, null)
});

const held = object<Held>({
  node: integer,
  label: or(string, ''),
  bytes: or(size, 0),
  line: or(integer, null),
  category: choice(CATEGORIES),
  written: or(boolean, false),
  start: or(integer, 0),
  end: or(integer, 0)
});

const attempt = object<Attempt>({
  method: or(string, ''),
  bytes: or(size, 0),
  s: or(number, null),
  offsets: list(integer)
});

const buffer = object<Buffer>({
  id: integer,
  node: or(integer, -1),
  label: or(string, ''),
  bytes: size,
  offset: or(size, 0),
  start: integer,
  end: integer,
  kind: or(choice(BUFFER_KINDS), 'arena'),
  line: or(integer, null),
  shares: list(integer),
  values: list(value)
});

const deviceMemory = object<DeviceMemory>({
  device: or(string, ''),
  arena_bytes: or(size, 0),
  planned_bytes: or(size, 0),
  lower_bound_bytes: or(size, 0)
});

const memory = object<Memory>({
  steps: table(step),
  buffers: table(buffer),
  held: table(held),
  arena_bytes: or(size, 0),
  planned: or(size, 0),
  lower_bound: or(size, 0),
  imperative: or(size, 0),
  optimal: or(boolean, false),
  placed: list(integer),
  devices: list(deviceMemory),
  unsure: or(size, 0),
  repeated: or(integer, 0),
  method: or(string, ''),
  attempts: list(attempt),
  attempted: list(integer),
  arena_bound: or(size, 0)
});

const kernelTime = object<KernelTime>({
  node: integer,
  s: size,
  flop: or(size, 0),
  bytes: or(size, 0),
  members: list(pair(integer, number))
});

const serials = object<Serials>({
  process: or(string, ''),
  first: integer,
  count: integer,
  offset: or(integer, 0)
});

const totals = object<Totals>({
  bytes_imperative: or(number, null),
  bytes_planned: or(number, null),
  bytes_lower_bound: or(number, null),
  arena_bytes: or(number, null),
  kernels_before: or(number, null),
  kernels_after: or(number, null),
  compile_s: or(number, null),
  record_s: or(number, null),
  settle_s: or(number, null),
  run_s: or(number, null),
  took_s: or(number, null),
  loops_s: or(number, null),
  running: or(boolean, false),
  cached: or(boolean, false),
  replay: or(string, '')
});

export const message: Decoder<Message> = object<Message>({
  name: or(string, ''),
  text: or(string, ''),
  id: or(string, ''),
  args: list((value, path) => message(value, path))
});

const stop = object<Stop>({
  line: or(integer, null),
  reason: or(string, ''),
  id: or(string, ''),
  args: list(message),
  count: or(size, 1),
  seconds: or(size, 0)
});

const laterName = object<LaterName>({
  name: or(string, ''),
  price: or(string, ''),
  bytes: or(size, 0)
});

const name = object<Name>({
  name: string,
  line: or(integer, null),
  state: choice(NAME_STATES),
  price: or(string, ''),
  fixed: or(string, ''),
  shares: list(string)
});

const unitVersion = object<UnitVersion>({
  kinds: or(string, ''),
  instructions: list(string)
});

const unitRow = object<UnitRow>({
  line: integer,
  own: or(boolean, true),
  of: or(string, ''),
  code: or(code, ''),
  versions: list(unitVersion),
  refused: or(string, ''),
  reasons: list(message)
});

const unit = object<Unit>({
  title: or(string, ''),
  compiled: or(boolean, false),
  text: or(string, ''),
  rows: list(unitRow),
  variables: list(pair(string, string)),
  guards: list(string)
});

const initial = object<Initial>({
  stage: or(integer, 0),
  view: or(choice(VIEWS), 'graph'),
  open: list(integer),
  fold: or(boolean, false)
});

const beside = object<Beside>({
  title: or(string, ''),
  cell: or(cell, null),
  places: list(place),
  stages: chained(stage),
  groups: table(group),
  ends: list(stop),
  initial: filled(initial)
});

export const spec = object<Spec>({
  version: integer,
  id: or(string, ''),
  title: or(string, ''),
  cell: or(cell, null),
  places: list(place),
  stages: chained(stage),
  groups: table(group),
  skipped: list(skipped),
  memory: or(memory, null),
  heat: table(kernelTime),
  serials: list(serials),
  totals: filled(totals),
  breaks: list(stop),
  ends: list(stop),
  deferred: list(laterName),
  names: list(name),
  replanned: or(string, null),
  notes: list(or(string, '')),
  units: list(unit),
  initial: filled(initial),
  beside: or(beside, null)
});
