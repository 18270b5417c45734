// The parser of graph specs: bad data is refused with the place and the fault.
import { fault, number, object } from './decode';
import { SPEC_VERSIONS, type Graph, type Memory, type Spec } from './spec';
import { spec } from './spec_decoders';

export * from './spec';
export { ProtocolError } from './decode';

type Checked = Pick<Spec, 'stages' | 'groups' | 'places'>;

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
  checkStages(parsed, 'spec');
  if (parsed.beside) {
    checkStages(parsed.beside, 'spec.beside');
  }
  if (parsed.memory) {
    checkBuffers(parsed.memory);
  }
  return parsed;
}

function checkStages({ stages, groups, places }: Checked, path: string): void {
  groups.forEach(({ parent }, i) => {
    if (parent !== null && !(parent >= 0 && parent < i)) {
      throw fault(`${path}.groups[${i}].parent`, `expected a group before it, got ${parent}`);
    }
  });
  stages.forEach((stage, i) => {
    stage.label ||= stage.name;
    checkGraph(stage.graph, groups.length, places.length, `${path}.stages[${i}].graph`);
  });
}

function checkGraph(graph: Graph, groups: number, places: number, path: string): void {
  const known = new Set<number>();
  graph.nodes.forEach((node, i) => {
    if (known.has(node.id)) {
      throw fault(`${path}.nodes[${i}].id`, `node ${node.id} appears twice`);
    }
    if (node.group !== null && !(node.group >= 0 && node.group < groups)) {
      throw fault(
        `${path}.nodes[${i}].group`,
        `node ${node.id} is of group ${node.group}, which is not there`
      );
    }
    if (node.places.some(place => !(place >= 0 && place < places))) {
      throw fault(`${path}.nodes[${i}].places`, `node ${node.id} is of a place that is not there`);
    }
    known.add(node.id);
    node.label ||= node.op;
  });
  graph.edges.forEach((edge, i) => {
    for (const end of ['src', 'dst'] as const) {
      if (!known.has(edge[end])) {
        throw fault(`${path}.edges[${i}].${end}`, `there is no node ${edge[end]}`);
      }
    }
  });
}

function checkBuffers({ buffers }: Memory): void {
  buffers.forEach(({ start, end }, i) => {
    if (end < start) {
      throw fault(
        `spec.memory.buffers[${i}]`,
        `the buffer ends at step ${end}, before its start ${start}`
      );
    }
  });
}
