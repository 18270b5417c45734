import { describe, expect, it } from 'vitest';
import { parseSpec } from '../protocol';
import fixture from '../testdata/four_lines.json';
import { Camera } from './camera';
import { diffLines } from './diff';
import { bytes, seconds, shape } from './format';
import { linesOfCards } from './lines';
import { edgeWidth, route } from './paint_edge';
import { programLinks } from './program_view';

const spec = parseSpec(fixture);

it('writes bytes, times and shapes', () => {
  expect([0, 320, 1024, 1_536_000].map(bytes)).toEqual(['0 B', '320 B', '1 KB', '1.46 MB']);
  expect([0.5e-7, 3.4e-6, 0.02, 1.5, 600].map(seconds)).toEqual([
    '50 ns',
    '3.4 µs',
    '20 ms',
    '1.5 s',
    '10 min'
  ]);
  expect([shape([10]), shape([2, -1]), shape([]), shape(null)]).toEqual([
    '(10,)',
    '(2, ?)',
    '()',
    '?'
  ]);
});

it('diffs programs line by line', () => {
  expect(diffLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd'])).toEqual([
    { text: 'a', kind: 'same' },
    { text: 'b', kind: 'removed' },
    { text: 'x', kind: 'added' },
    { text: 'c', kind: 'same' },
    { text: 'd', kind: 'added' }
  ]);
});

it('links program lines to nodes by name, else by the line they give', () => {
  expect(programLinks(spec.stages[3])).toEqual([[0], [5], [6]]);
  expect(programLinks(spec.stages[0])).toEqual([[0], [1, 2], [2], [3], [4]]);
  const stage = spec.stages[2];
  const [ones, full, fused] = stage.graph.nodes;
  const members = [
    { id: 3, op: 'multiply', label: 'c = multiply', line: null },
    { id: 4, op: 'add_scalar', label: 'add_scalar', line: null }
  ];
  const nodes = [
    { ...ones, name: 'data' },
    { ...full, id: 7, kind: 'effect' as const, label: 'print' },
    { ...fused, members, line: null, name: '' }
  ];
  const program =
    '# input data: float64 (10,)\n# one kernel:\n  c = multiply(b, a)\n  v4 = c + 1\n' +
    'print(v4)\na == b\n';
  const links = programLinks({ ...stage, graph: { ...stage.graph, nodes }, program });
  expect(links).toEqual([[0], [], [6], [6], [7], []]);
});

it('draws more bytes wider, within bounds', () => {
  expect(edgeWidth(1 << 20)).toBeGreaterThan(edgeWidth(80));
  expect(edgeWidth(0)).toBeGreaterThan(1);
  expect(edgeWidth(1e15)).toBeLessThanOrEqual(6);
});

it('moves a line along with its ends', () => {
  const [edge] = linesOfCards(
    spec.stages[0].graph.edges,
    new Map([0, 1, 2, 3, 4].map(i => [i, i]))
  );
  const box = { x: 0, y: 0, w: 40, h: 20 };
  const below = { ...box, y: 100 };
  const points: [number, number][] = [
    [0, 10],
    [0, 90]
  ];
  const ends = { src: box, dst: below, srcHome: box, dstHome: below };
  expect(route({ ...edge, points }, ends)).toEqual(points);
  expect(route({ ...edge, points }, { ...ends, src: { ...box, x: 30 } })).toEqual([
    [30, 10],
    [0, 90]
  ]);
});

describe('Camera', () => {
  const view = { width: 600, height: 400 };

  it('shows a small graph whole and a long one at reading size from its top', () => {
    const camera = new Camera();
    camera.fit(300, 200, view);
    expect(camera.scale).toBe(1);
    camera.fit(300, 9000, view);
    expect(camera.scale).toBe(1);
    expect(camera.locate(0, 24).y).toBeCloseTo(0);
    camera.fit(300, 9000, view, true);
    expect(9000 * camera.scale).toBeLessThanOrEqual(view.height);
  });

  it('zooms around a point', () => {
    const camera = new Camera();
    const before = camera.locate(100, 50);
    camera.zoom(2, 100, 50);
    expect(camera.locate(100, 50)).toEqual(before);
  });
});
