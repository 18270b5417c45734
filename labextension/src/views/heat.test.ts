import { expect, it } from 'vitest';
import fourLines from '../testdata/four_lines.json';
import { parseSpec } from '../protocol';
import { Heat, percent, rates, warmthText, warmthTexts } from './heat';
import { programLinks } from './program_view';
import { StageModel } from './stages';

const spec = parseSpec(fourLines);
const model = new StageModel(spec);
const last = spec.stages.length - 1;
const fused = spec.stages[last].graph.nodes.filter(node => node.members.length > 0);
const [kernel] = fused;
const shares: [number, number][] = kernel.members.map((m, i) => [m.id, i === 0 ? 0.25 : 0.75]);
const times = [{ node: kernel.id, s: 4e-3, flop: 8e6, bytes: 2e6, members: shares }];

it('gives a kernel its time and shares it among what it was made of', () => {
  const heat = new Heat(times, model);
  expect(heat.total).toBe(4e-3);
  expect(heat.of(last).get(kernel.id)).toBe(4e-3);
  const written = heat.of(0);
  expect(written.get(kernel.members[0].id)).toBeCloseTo(1e-3);
  expect(written.get(kernel.members[1].id)).toBeCloseTo(3e-3);
  expect(heat.member(kernel.members[1].id)).toBeCloseTo(3e-3);
  for (const stage of spec.stages.keys()) {
    const all = [...heat.of(stage).values()].reduce((sum, s) => sum + s, 0);
    expect(all).toBeCloseTo(4e-3);
  }
});

it('is not there where nothing was measured', () => {
  const heat = new Heat([], model);
  expect(heat.measured).toBe(false);
  expect(heat.of(0).size).toBe(0);
  expect(parseSpec(fourLines).heat).toEqual([]);
});

it('says shares and rates', () => {
  expect(percent(0)).toBe('0 %');
  expect(percent(0.004)).toBe('< 1 %');
  expect(percent(0.336)).toBe('34 %');
  const warmth = { s: 1.2e-3, share: 0.5, level: 1, estimated: false };
  expect(warmthText(warmth)).toBe('1.2 ms · 50 %');
  expect(warmthText({ ...warmth, estimated: true })).toBe('≈ 1.2 ms · 50 %');
  expect(warmthTexts({ ...warmth, estimated: true }).slice(1)).toEqual(['≈ 1.2 ms', '≈ 50 %']);
  const heat = new Heat(times, model);
  expect(heat.warmth(1, [kernel.id]).estimated).toBe(false); // measured
  expect(heat.warmth(1, [kernel.members[0].id]).estimated).toBe(true);
  expect(rates(times[0])).toBe('2 GFLOP/s, 0.5 GB/s');
  expect(rates({ ...times[0], s: 0 })).toBe('');
});

it('links lines of the program to the nodes that the kernel named', () => {
  const stage = spec.stages[last];
  const lines = stage.program.trimEnd().split('\n').length;
  const nodes = [-1, kernel.members[1].id, kernel.id, ...Array<number>(lines).fill(-1)];
  const links = programLinks({ ...stage, program_nodes: nodes.slice(0, lines) });
  expect(links.slice(0, 3)).toEqual([
    [],
    [kernel.id],
    [kernel.id, 0, 5] // what has no line of its own stands in its reader's
  ]);
});

it('refuses shares that are none', () => {
  const bad = { ...fourLines, heat: [{ ...times[0], members: [[1]] }] };
  expect(() => parseSpec(bad)).toThrow(/heat\[0\]\.members\[0\]: expected a list of two values/);
});
