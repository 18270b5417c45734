import { expect, it } from 'vitest';
import { nodeOfSerial, serialsOf } from './serials';

const process = 'p';
const serials = [
  { process, first: 100, count: 5, offset: 0 },
  { process, first: 40, count: 3, offset: 10 },
  { process, first: 0, count: 0, offset: 20 } // on several devices
];

it('tells nodes and spans by each other', () => {
  expect(nodeOfSerial(serials, process, 102)).toBe(2);
  expect(nodeOfSerial(serials, process, 42)).toBe(12);
  const others = [0, 39, 43, 99, 105].map(serial => nodeOfSerial(serials, process, serial));
  expect(others).toEqual(Array(5).fill(null));
  expect(serialsOf(serials, [2, 12, 7, 13, 20])).toEqual({ process, serials: [102, 42] });
});

it('knows the spans of its own process only', () => {
  expect(nodeOfSerial(serials, 'restarted', 102)).toBeNull();
  expect(serialsOf([], [1])).toEqual({ process: '', serials: [] });
});
