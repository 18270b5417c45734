import { expect, it } from 'vitest';
import { nodeOfSerial, serialsOf } from './serials';

const serials = [
  { first: 100, count: 5, offset: 0 },
  { first: 40, count: 3, offset: 10 },
  { first: 0, count: 0, offset: 20 } // on several devices
];

it('tells nodes and spans by each other', () => {
  expect(nodeOfSerial(serials, 102)).toBe(2);
  expect(nodeOfSerial(serials, 42)).toBe(12);
  expect([0, 39, 43, 99, 105].map(serial => nodeOfSerial(serials, serial))).toEqual(
    Array(5).fill(null)
  );
  expect(serialsOf(serials, [2, 12, 7, 13, 20])).toEqual([102, 42]);
});
