import { describe, expect, it } from 'vitest';
import { parseLive } from '../frames';
import { parseStageRan } from '../stage_ran';
import { result, valueFacts } from './stage_run';

const RUN = {
  best_s: 1e-5,
  median_s: 2e-5,
  runs: 20,
  bytes: 240,
  shared: false,
  before: 'dead code',
  difference: { outputs: 2, unlike: 1, name: 'y', max_abs: '1.2e-07', max_ulp: 1, equal: false },
  why: ''
};
const ANSWER = { type: 'stage_ran', id: 'a', stage: 'fuse', run: RUN };

describe('a run of a stage', () => {
  it('is read from the message, with what is absent filled in', () => {
    const read = parseLive({ ...ANSWER, values: [{ id: 3, count: 4, nans: 1, infs: 0 }] });
    expect(read).toMatchObject({ type: 'stage_ran', refused: null, first_nan: null });
    expect(
      parseStageRan({ ...ANSWER, run: null, refused: { text: 'x is gone' } }).values
    ).toBeNull();
    expect(() => parseStageRan({ ...ANSWER, run: { ...RUN, runs: 'many' } })).toThrow(
      'stage_ran.run.runs: expected an integer, got "many"'
    );
  });

  it('says how far its outputs are from those of the stage before, and why', () => {
    const run = parseStageRan(ANSWER).run!;
    expect(result(run)).toBe(
      '1 of 2 outputs differ from “dead code” by at most 1.2e-07, 1 unit in the last place in y: ' +
        'this pass should keep every bit, please report it'
    );
    expect(result({ ...run, why: 'BatchNorm folding may change the last bits.' })).toContain(
      'in y: BatchNorm folding may'
    );
    expect(result({ ...run, difference: { ...run.difference!, equal: true } })).toBe(
      'equal to “dead code”, bit for bit (2 outputs)'
    );
    expect(result({ ...run, difference: null })).toContain('first stage');
  });

  it('gives a card the figures of a value', () => {
    const { values, closed } = parseStageRan({
      ...ANSWER,
      closed: [{ kernel: 9, why: '“dead code” gives other results' }],
      values: [
        { id: 3, count: 4, nans: 2, infs: 0, min: '1', max: '4', mean: '2.5', preview: '1, nan' },
        {
          id: 4,
          count: 4,
          nans: 4,
          infs: 0,
          stage: 'dead code',
          spread: { bins: [3, 1], every: 1 }
        }
      ]
    });
    const [value, other] = values!;
    expect(closed[0].kernel).toBe(9);
    expect([value.stage, value.spread]).toEqual(['', null]);
    expect([other.stage, other.spread!.bins]).toEqual(['dead code', [3, 1]]);
    expect(valueFacts(other)).toContainEqual(['NaN', '4']);
    expect(valueFacts(value)).toEqual([
      ['min', '1'],
      ['max', '4'],
      ['mean', '2.5'],
      ['NaN', '2, left out of min, max, mean'],
      ['inf', 'none'],
      ['values', '1, nan']
    ]);
  });
});
