import { expect, it } from 'vitest';
import type { Stop } from '../spec';
import { tellStops } from './stops';

function stop(line: number | null, id: string, given: Record<string, string> = {}, more = {}) {
  const args = Object.entries(given).map(([name, text]) => ({ name, text, id: '', args: [] }));
  const reason = id.replace(/\{(\w+)\}/g, (_, name: string) => given[name]);
  return { line, reason, id, args, count: 1, seconds: 0, ...more } satisfies Stop;
}

it('tells equal breaks once, with their lines, how often they came up and what they cost', () => {
  const print = 'print shows a value';
  const stops = [
    stop(7, print, {}, { count: 10, seconds: 0.002 }),
    stop(4, 'a clock is read'),
    stop(3, print),
    stop(9, print, {}, { seconds: 0.0011 })
  ];
  expect(tellStops(stops)).toEqual([
    { text: `Lines 3, 7, 9: ${print}, 12 times, 3.1 ms`, each: [] },
    { text: 'Line 4: a clock is read', each: [] }
  ]);
});

it('tells breaks of one message under what they have in common', () => {
  const id = '{name} with dtype {dtype}';
  const stops = [
    stop(2, id, { name: 'np.add', dtype: 'int8' }, { seconds: 0.001 }),
    stop(5, id, { name: 'np.add', dtype: 'bool' }, { count: 2 })
  ];
  expect(tellStops(stops)).toEqual([
    {
      text: 'Lines 2, 5: np.add with dtype int8, bool, 3 times, 1 ms',
      each: ['Line 2: np.add with dtype int8, 1 ms', 'Line 5: np.add with dtype bool, 2 times']
    }
  ]);
});

it('leaves out what differs in several ways, or has many values', () => {
  const loops = [3, 8].map(line =>
    stop(line, '{lines}: {n} steps', { lines: `line ${line}`, n: `${line}` })
  );
  expect(tellStops(loops)[0].text).toBe('Lines 3, 8: …: … steps, 2 times');
  const calls = ['f', 'g', 'h', 'k'].map((name, i) => stop(i + 1, '{name}() is called', { name }));
  expect(tellStops(calls)[0].text).toBe('Lines 1, 2, 3, 4: …() is called, 4 times');
});

it('names a dozen lines, and none where the message does or there is none', () => {
  const many = Array.from({ length: 15 }, (_, i) => stop(i + 1, 'it waits'));
  const [{ text }] = tellStops(many);
  expect(text).toBe('Lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 3 more: it waits, 15 times');
  const loop = stop(3, '{lines} left to Python', { lines: 'lines 3-5' });
  expect(tellStops([loop])[0].text).toBe('lines 3-5 left to Python');
  expect(tellStops([stop(null, 'autograd records')])[0].text).toBe('autograd records');
});

it('leaves the texts of older files as they are', () => {
  const text = 'print shows a value, 12 times, 3.1 ms';
  const old = [stop(3, ''), stop(7, '')].map(s => ({ ...s, reason: text }));
  expect(tellStops(old).map(t => t.text)).toEqual([`Line 3: ${text}`, `Line 7: ${text}`]);
});
