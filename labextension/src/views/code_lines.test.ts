import { expect, it } from 'vitest';
import { parseSpec } from '../protocol';
import { codeOf, homeOf } from './code_lines';

const nodes = [
  { id: 0, line: 3, places: [1] },
  { id: 1, kind: 'fused', members: [{ id: 5, line: 2 }], places: [1, 0] },
  { id: 2, places: [2] }
];
const picture = {
  version: 2,
  cell: { id: 'cell-7', lines: ['%%hybridize', 'y = net(x)', '  z = y + 1'] },
  places: [
    { cell: 'cell-2', line: 9, code: 'return F.dot(x, x)' },
    { file: 'parts/model.py', line: 4, code: 'h = F.exp(x)' },
    { line: 1, code: '' }
  ],
  stages: [{ name: 'written', graph: { nodes, edges: [] } }]
};

it('tells the lines of nodes, each once, with where they stand', () => {
  const spec = parseSpec(picture);
  const lines = codeOf(spec.stages[0].graph.nodes, spec);
  expect(lines.map(line => [homeOf(line), line.line, line.code])).toEqual([
    ['', 2, 'y = net(x)'],
    ['', 3, 'z = y + 1'],
    ['another cell', 9, 'return F.dot(x, x)'],
    ['model.py', 4, 'h = F.exp(x)'],
    ['code without a file', 1, '']
  ]);
  expect(lines.map(({ cell }) => cell)).toEqual(['cell-7', 'cell-7', 'cell-2', null, null]);
});

it('reads pictures that know no places, and refuses places that are not there', () => {
  const { places, ...old } = picture;
  const stages = [{ name: 'written', graph: { nodes: [{ id: 0, line: 3 }], edges: [] } }];
  const spec = parseSpec({ ...old, stages });
  expect(codeOf(spec.stages[0].graph.nodes, spec)).toHaveLength(1);
  expect(() => parseSpec({ ...picture, places: places.slice(2) })).toThrow(/nodes\[0\].places/);
});
