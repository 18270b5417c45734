import { describe, expect, it } from 'vitest';
import { parseSpec, ProtocolError } from './protocol';
import fixture from './testdata/four_lines.json';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

function broken(change: (spec: Loose) => void): unknown {
  const copy = JSON.parse(JSON.stringify(fixture)) as Loose;
  change(copy);
  return copy;
}

describe('parseSpec', () => {
  it('reads a whole spec', () => {
    const spec = parseSpec(fixture);
    expect(spec.stages.map(s => s.name)).toEqual(['written', 'fold', 'fuse', 'plan']);
    expect(spec.totals.bytes_imperative).toBe(320);
    expect(spec.memory?.buffers[2].shares).toEqual([1]);
    const fused = spec.stages[2].graph.nodes[2];
    expect(fused.members.map(m => m.line)).toEqual([5, 6]);
  });

  it('fills in what is absent', () => {
    const spec = parseSpec({
      version: 1,
      stages: [{ name: 'written', graph: { nodes: [{ id: 7 }] } }]
    });
    expect(spec.stages[0].label).toBe('written');
    expect(spec.stages[0].graph.nodes[0]).toMatchObject({
      kind: 'op',
      family: 'other',
      group: null
    });
    expect(spec.memory).toBeNull();
    expect(spec.totals.run_s).toBeNull();
    expect(spec.initial).toEqual({ stage: 0, view: 'graph', open: [], fold: false });
  });

  it('reads a picture in which nothing was computed', () => {
    expect(parseSpec({ version: 2 })).toMatchObject({ stages: [], units: [], memory: null });
  });

  it('reads loops of a cell without a graph', () => {
    const row = { line: 3, code: 't.append(str(k))', refused: 'a call of str()' };
    const unit = { title: 'lines 2–3', rows: [row], variables: [['k', 'int']] };
    const spec = parseSpec({ version: 1, stages: [], units: [unit] });
    expect(spec.units[0].rows[0]).toMatchObject({ own: true, of: '', versions: [] });
    expect(spec.units[0]).toMatchObject({ compiled: false, variables: [['k', 'int']], guards: [] });
  });

  const faults: [string, (spec: Loose) => void, string][] = [
    ['another version', s => (s.version = 3), 'reads versions 1 and 2, the picture has version 3'],
    ['a string for a list', s => (s.stages = 'x'), 'spec.stages: expected a list, got "x"'],
    [
      'a node without id',
      s => delete s.stages[0].graph.nodes[2].id,
      'spec.stages[0].graph.nodes[2].id: expected an integer, got nothing'
    ],
    [
      'an infinite size',
      s => (s.stages[0].graph.nodes[0].w = Infinity),
      'nodes[0].w: expected a positive number'
    ],
    [
      'a group that is not there',
      s => (s.stages[0].graph.nodes[0].group = 3),
      'node 0 is of group 3'
    ],
    [
      'groups that hold one another',
      s => (s.groups = [{ label: 'a', kind: 'block', parent: 0 }]),
      'spec.groups[0].parent: expected a group before it, got 0'
    ],
    [
      'an edge to nowhere',
      s => (s.stages[0].graph.edges[0].dst = 99),
      'edges[0].dst: there is no node 99'
    ],
    ['a node twice', s => (s.stages[0].graph.nodes[1].id = 0), 'node 0 appears twice'],
    [
      'an unknown family',
      s => (s.stages[1].graph.nodes[0].family = 'magic'),
      'family: expected one of elementwise'
    ],
    [
      'a negative size',
      s => (s.memory.buffers[0].bytes = -1),
      'buffers[0].bytes: expected a number'
    ],
    [
      'a buffer that ends before it starts',
      s => (s.memory.buffers[0].end = -3),
      'memory.buffers[0]: the buffer ends at step -3'
    ]
  ];
  it.each(faults)('refuses %s', (_, change, message) => {
    expect(() => parseSpec(broken(change))).toThrow(ProtocolError);
    expect(() => parseSpec(broken(change))).toThrow(message);
  });

  it.each([null, undefined, 3, 'x', []])('refuses %s', value => {
    expect(() => parseSpec(value)).toThrow(ProtocolError);
  });

  it('takes no inherited keys', () => {
    expect(() => parseSpec(Object.create(fixture))).toThrow(
      'spec.version: expected a finite number'
    );
  });
});
