import { expect, test } from 'vitest';
import type { Ran } from '../frames';
import { badgeWords } from './badge_words';

const ran: Ran = {
  type: 'ran',
  cell: 'c',
  mode: 'auto',
  explicit: false,
  way: 'compiled',
  failed: '',
  why: '3 ms'
};

test('a badge tells the last run, whatever the mode is now', () => {
  const told = { words: 'auto: compiled', title: 'Last run: 3 ms', isNext: false };
  expect(badgeWords(null, 'imperative', ran)).toEqual(told);
  expect(badgeWords(null, null, { ...ran, mode: 'imperative', way: 'written' })?.words).toBe(
    'imperative'
  );
  expect(badgeWords(null, 'auto', { ...ran, way: 'written' })?.words).toBe('auto: as written');
});

test('what failed is told with its reason', () => {
  const refused: Ran = { ...ran, mode: 'symbolic', explicit: true, failed: 'refused', why: 'no x' };
  expect(badgeWords('symbolic', 'auto', refused)).toEqual({
    words: 'symbolic: refused',
    title: 'Last run: refused: no x',
    isNext: false
  });
});

test('a cell that has not run, or has another magic since, tells how it will run', () => {
  expect(badgeWords('symbolic', 'auto', ran)).toMatchObject({ words: 'symbolic', isNext: true });
  expect(badgeWords(null, 'auto', null)).toMatchObject({ words: 'auto', isNext: true });
  expect(badgeWords(null, 'auto', { ...ran, explicit: true })?.isNext).toBe(true);
  expect(badgeWords(null, null, null)).toBeNull();
});
