import { describe, expect, it } from 'vitest';
import { modeOf, toggleHybridize } from './toggle_magic';

describe('toggleHybridize', () => {
  it('adds the line and takes it away again', () => {
    const on = toggleHybridize('a = 1\nb = 2');
    expect(on).toEqual({ source: '%%hybridize\na = 1\nb = 2', options: '', on: true });
    expect(toggleHybridize(on?.source ?? '')).toEqual({
      source: 'a = 1\nb = 2',
      options: '',
      on: false
    });
  });

  it('keeps the options', () => {
    const off = toggleHybridize('%%hybridize --out d  --view memory \nd = 1');
    expect(off).toEqual({ source: 'd = 1', options: '--out d  --view memory', on: false });
    expect(toggleHybridize('d = 1', off?.options)?.source).toBe(
      '%%hybridize --out d  --view memory\nd = 1'
    );
  });

  it('stands empty cells and lone magics', () => {
    expect(toggleHybridize('')?.source).toBe('%%hybridize\n');
    expect(toggleHybridize('%%hybridize')?.source).toBe('');
    expect(toggleHybridize('%%hybridize\r\nx')?.source).toBe('x');
  });

  it('replaces %%imperative and refuses other magics', () => {
    expect(toggleHybridize('%%imperative\nx')?.source).toBe('%%hybridize\nx');
    expect(toggleHybridize('%%time\nx')).toBeNull();
  });
});

describe('toggleHybridize where symbolic is the default', () => {
  const toggle = (source: string, options = '') => toggleHybridize(source, options, 'symbolic');

  it('opts out with %%imperative and back in without a line', () => {
    expect(toggle('a = 1')).toEqual({ source: '%%imperative\na = 1', options: '', on: false });
    expect(toggle('%%imperative\na = 1')).toEqual({ source: 'a = 1', options: '', on: true });
  });

  it('keeps the options', () => {
    const off = toggle('%%hybridize --out d\nd = 1');
    expect(off).toEqual({ source: '%%imperative\nd = 1', options: '--out d', on: false });
    expect(toggle(off?.source ?? '', off?.options)?.source).toBe('%%hybridize --out d\nd = 1');
  });
});

it('reads the mode of a cell', () => {
  expect(modeOf('%%hybridize --out d\nx')).toBe('symbolic');
  expect(modeOf('%%imperative\nx')).toBe('imperative');
  expect(modeOf('%%bash\nls')).toBe('other');
  expect(modeOf('\n  \n%%hybridize\nx')).toBe('symbolic');
  expect(modeOf('%%time\n%%hybridize --out d\nx')).toBe('symbolic');
  expect(modeOf('%%time\nx')).toBeNull();
  expect(modeOf('x = 1\n%%hybridize')).toBeNull();
  expect(modeOf('%hybrid mode symbolic')).toBeNull();
});
