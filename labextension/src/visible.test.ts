import { expect, test } from 'vitest';
import { code, exact, string } from './decode';
import { visible } from './visible';

test('what turns text round, hides in it or is no text is written out', () => {
  expect(visible('a\u202egnp.exe')).toBe('a\\u202egnp.exe');
  expect(visible('b\x00\x1b[31m\x85\t\n')).toBe('b\\x00\\x1b[31m\\x85\\t\\n');
  expect(visible('\u061c\u200e\u2069\ufeff\u3164\ud800x\u{e0041}')).toBe(
    '\\u061c\\u200e\\u2069\\ufeff\\u3164\\ud800x\\U000e0041'
  );
  expect(visible('größe = 梯度 * \\n 😀')).toBe('größe = 梯度 * \\n 😀');
});

test('a picture is decoded so; code keeps its lines, and what is used stays as it came', () => {
  const hostile = 'a\u202e\n\tb';
  expect(string(hostile, '')).toBe('a\\u202e\\n\\tb');
  expect(code(hostile, '')).toBe('a\\u202e\n\tb');
  expect(exact(hostile, '')).toBe(hostile);
});
