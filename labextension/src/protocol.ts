// The parser of graph specs: bad data is refused with the place and the fault.
import {
  boolean,
  choice,
  fault,
  integer,
  length,
  list,
  number,
  object,
  or,
  size,
  string,
  type Decoder
} from './decode';
import {
  ACTIONS,
  BUFFER_KINDS,
  EDGE_KINDS,
  FAMILIES,
  GROUP_KINDS,
  NAME_STATES,
  NODE_KINDS,
  SPEC_VERSIONS,
  VIEWS,
  type Buffer,
  type Cell,
  type Change,
  type Edge,
  type Graph,
  type Group,
  type Kernel,
  type KernelTime,
  type Member,
  type Memory,
  type Name,
  type Node,
  type Serials,
  type Spec,
  type Stage,
  type Step,
  type Totals,
  type Unit,
  type UnitRow
} from './spec';
import { table } from './table';

export * from './spec';
export { ProtocolError } from './decode';

const text = or(string, '');
const figure = or(number, null);
const count = or(integer, 0);
const id = or(integer, null);
const bytes = or(size, 0);
const ids = list(integer);

const member = object<Member>({ id: integer, op: text, label: text, line: id });

const node = object<Node>({
  id: integer,
  op: text,
  kind: or(choice(NODE_KINDS), 'op'),
  label: text,
  detail: text,
  name: text,
  family: or(choice(FAMILIES), 'other'),
  line: id,
  col: id,
  code: text,
  shape: or(ids, null),
  dtype: text,
  bytes: or(size, null),
  device: text,
  kernel: id,
  buffer: id,
  origins: ids,
  scope: text,
  segment: count,
  head: or(boolean, false),
  members: list(member),
  body: text,
  group: id,
  host: id,
  w: or(length, 132),
  h: or(length, 44)
});

const edge = object<Edge>({
  src: integer,
  dst: integer,
  out: count,
  arg: count,
  label: text,
  bytes,
  kind: or(choice(EDGE_KINDS), 'data')
});

const group = object<Group>({ label: text, kind: or(choice(GROUP_KINDS), 'range'), parent: id });

// `before`: the graph of the stage before, of which rows that have not changed are taken.
const graph =
  (before: Graph): Decoder<Graph> =>
  (value, path) => {
    const tables = { nodes: table(node, before.nodes), edges: table(edge, before.edges) };
    const parsed = object<Graph>(tables)(value, path);
    const known = new Set<number>();
    parsed.nodes.forEach((n, i) => {
      if (known.has(n.id)) {
        throw fault(`${path}.nodes[${i}].id`, `node ${n.id} appears twice`);
      }
      known.add(n.id);
      n.label ||= n.op;
    });
    parsed.edges.forEach((e, i) => {
      for (const end of ['src', 'dst'] as const) {
        if (!known.has(e[end])) {
          throw fault(`${path}.edges[${i}].${end}`, `there is no node ${e[end]}`);
        }
      }
    });
    return parsed;
  };

const change = object<Change>({
  node: integer,
  action: or(choice(ACTIONS), 'kept'),
  into: id,
  why: text,
  line: id
});

const share: Decoder<[number, number]> = (value, path) => {
  const [of, part] = list(number)(value, path);
  if (part === undefined) {
    throw fault(path, 'expected a member and its share');
  }
  return [of, part];
};

const kernelTime = object<KernelTime>({
  node: integer,
  s: size,
  flop: or(size, 0),
  bytes: or(size, 0),
  members: list(share)
});

const kernel = object<Kernel>({ id: integer, op: text, nodes: ids, lines: ids, text });

const stages: Decoder<Stage[]> = (value, path) => {
  let before: Graph = { nodes: [], edges: [] };
  return list<Stage>((raw, at) => {
    const stage = object<Stage>({
      name: text,
      label: text,
      summary: text,
      graph: graph(before),
      changes: table(change),
      program: text,
      program_nodes: ids,
      kernels: table(kernel)
    })(raw, at);
    before = stage.graph;
    return stage;
  })(value, path);
};

const plainBuffer = object<Buffer>({
  id: integer,
  node: or(integer, -1),
  label: text,
  bytes: size,
  offset: bytes,
  start: integer,
  end: integer,
  kind: or(choice(BUFFER_KINDS), 'arena'),
  line: id,
  shares: ids
});

const buffer: Decoder<Buffer> = (value, path) => {
  const parsed = plainBuffer(value, path);
  const { start, end } = parsed;
  if (end < start) {
    throw fault(path, `the buffer ends at step ${end}, before its start ${start}`);
  }
  return parsed;
};

const memory = object<Memory>({
  steps: table(object<Step>({ step: integer, node: integer, label: text, line: id })),
  buffers: table(buffer),
  arena_bytes: bytes,
  planned: bytes,
  lower_bound: bytes,
  imperative: bytes,
  optimal: or(boolean, false),
  placed: list(integer),
  method: text
});

const totals = object<Totals>({
  bytes_imperative: figure,
  bytes_planned: figure,
  bytes_lower_bound: figure,
  arena_bytes: figure,
  kernels_before: figure,
  kernels_after: figure,
  compile_s: figure,
  record_s: figure,
  settle_s: figure,
  run_s: figure,
  running: or(boolean, false),
  cached: or(boolean, false),
  replay: text
});

const pairOfTexts: Decoder<[string, string]> = (value, path) => {
  const [name = '', kinds = ''] = list(string)(value, path);
  return [name, kinds];
};

const unit = object<Unit>({
  title: text,
  compiled: or(boolean, false),
  text,
  rows: list(
    object<UnitRow>({
      line: integer,
      own: or(boolean, true),
      of: text,
      code: text,
      versions: list(
        object<UnitRow['versions'][number]>({ kinds: text, instructions: list(string) })
      ),
      refused: text
    })
  ),
  variables: list(pairOfTexts),
  guards: list(string)
});

const initial = object<Spec['initial']>({
  stage: count,
  view: or(choice(VIEWS), 'graph'),
  open: ids,
  fold: or(boolean, false)
});

const spec = object<Spec>({
  id: text,
  title: text,
  cell: or(object<Cell>({ id: or(string, null), lines: list(text), first_line: count }), null),
  stages,
  groups: table(group),
  skipped: list(object<Spec['skipped'][number]>({ name: text, label: text, why: text })),
  memory: or(memory, null),
  heat: table(kernelTime),
  serials: list(object<Serials>({ process: text, first: integer, count: integer, offset: count })),
  totals: (value, path) => totals(value ?? {}, path),
  breaks: list(object<Spec['breaks'][number]>({ line: id, reason: text })),
  ends: list(object<Spec['ends'][number]>({ line: id, reason: text })),
  deferred: list(object<Spec['deferred'][number]>({ name: text, price: text, bytes })),
  names: list(
    object<Name>({
      name: string,
      line: id,
      state: choice(NAME_STATES),
      price: text,
      fixed: text,
      shares: list(string)
    })
  ),
  replanned: or(string, null),
  notes: list(text),
  units: list(unit),
  initial: (value, path) => initial(value ?? {}, path)
});

/** Reads a spec as it came; throws a ProtocolError that names the place of the first fault. */
export function parseSpec(value: unknown): Spec {
  const { version } = object<{ version: number }>({ version: number })(value, 'spec');
  if (!SPEC_VERSIONS.includes(version)) {
    throw fault(
      'spec.version',
      `this viewer reads versions ${SPEC_VERSIONS.join(' and ')}, the picture has version ${version}; ` +
        'update the older of jupyter_hybrid and its JupyterLab extension'
    );
  }
  const parsed = spec(value, 'spec');
  if (parsed.stages.length + parsed.units.length === 0) {
    throw fault('spec.stages', 'expected at least one stage, got none');
  }
  parsed.groups.forEach(({ parent }, i) => {
    if (parent !== null && !(parent >= 0 && parent < i)) {
      throw fault(`spec.groups[${i}].parent`, `expected a group before it, got ${parent}`);
    }
  });
  for (const s of parsed.stages) {
    s.label ||= s.name;
    for (const { id: of, group: at } of s.graph.nodes) {
      if (at !== null && !parsed.groups[at]) {
        throw fault(`spec.stages.${s.name}`, `node ${of} is of group ${at}, which is not there`);
      }
    }
  }
  return parsed;
}
