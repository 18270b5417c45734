import { expect, it } from 'vitest';
import { parseSpec } from '../protocol';
import fixture from '../testdata/four_lines.json';
import { timesOf } from './header';

const times = (totals: object) =>
  timesOf({ ...parseSpec(fixture).totals, took_s: null, loops_s: null, ...totals }).map(
    ([name, , time]) => `${name} ${time}`
  );

it('tells what the cell took where the time of its kernels is not the time of its loops', () => {
  expect(times({ run_s: 1.23e-6, took_s: 0.05 })).toEqual(['run 1.23 µs']);
  expect(times({ run_s: 1.23e-6, took_s: 0.05, loops_s: 0.013 })).toEqual(['took 50 ms']);
  expect(times({ run_s: 2, took_s: 0.05, loops_s: 0.013 })).toEqual(['took 50 ms', 'run 2 s']);
  expect(times({ run_s: null, running: true, took_s: 0.05, loops_s: 0.01 })).toEqual([
    'took 50 ms',
    'now running'
  ]);
});
