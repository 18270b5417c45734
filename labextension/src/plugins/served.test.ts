import { expect, it } from 'vitest';
import { sameCode, sameLine } from './same_line';
import { served } from './served';

it('finds the path by which the server knows a file of the kernel', () => {
  expect(served('model.py', 'week 3/net.ipynb', '/home/ann')).toBe('week 3/model.py');
  expect(served('parts/model.py', 'net.ipynb', '/home/ann')).toBe('parts/model.py');
  expect(served('/home/ann/lib/model.py', 'week 3/net.ipynb', '/home/ann/')).toBe('lib/model.py');
  expect(served('~/work/model.py', 'net.ipynb', '~/work')).toBe('model.py');
  expect(served('~/work/model.py', 'net.ipynb', '/home/ann')).toBe('work/model.py');
  expect(served('~/works/model.py', 'net.ipynb', '~/work')).toBeNull();
  expect(served('/home/anna/model.py', 'net.ipynb', '/home/ann')).toBeNull();
  expect(served('/opt/model.py', 'net.ipynb', '~/work')).toBeNull();
  expect(served('/opt/model.py', 'net.ipynb', '/')).toBe('opt/model.py');
});

it('finds a line where it is now, and none where that is not clear', () => {
  const now = ['# new', 'y = dot(x, x)', '  z = y + 1', 'z = y + 1'];
  expect(sameLine(now, 1, 'y = dot(x, x)')).toBe(2);
  expect(sameLine(now, 4, 'z = y + 1')).toBe(4);
  expect(sameLine(now, 2, 'z = y + 1')).toBeNull();
  expect(sameLine(now, 1, 'y = dot(x, w)')).toBeNull();
  expect(sameLine(now, 1, '')).toBeNull();
  expect(sameCode(`  ${'a'.repeat(300)}`)).toBe('a'.repeat(200));
});
