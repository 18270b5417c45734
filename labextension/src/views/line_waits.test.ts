import { expect, it } from 'vitest';
import { FLAG } from '../frame_records';
import { frame, span } from '../testdata/live_frames';
import { LineWaits } from './line_waits';

const site = (line: number, cell: string | null = 'a', text = '') => ({
  cell,
  line,
  text,
  file: '',
  code: 'x'
});
const wait = (start: number, ms: number, at: number, name: number, pushed: number) =>
  span(start, ms, { flags: FLAG.wait, site: at, name, node: pushed });
const told = {
  names: new Map([[1, 'dot']]),
  sites: new Map([
    [1, site(7)],
    [2, site(3)],
    [3, site(2, 'b')],
    [4, site(5, null, 'net.py in step')]
  ])
};

it('says of a line how long it waited, for what, and where that was pushed', () => {
  const waits = new LineWaits();
  const more = { ...told, now: 50 };
  expect(waits.add(frame([wait(1, 12.3, 1, 1, 2), span(2, 9, { site: 2 })], more))).toEqual(['a']);
  const running = span(60, 5, { flags: FLAG.wait | FLAG.running, site: 1 });
  expect(waits.add(frame([wait(20, 0.4, 2, 1, 2), running]))).toEqual(['a']);
  const first = { site: site(7), text: 'waited 12.3 ms for `dot` pushed at line 3' };
  expect(waits.notes('a')).toEqual([first]);
  expect(waits.notes('b')).toEqual([]);
  waits.add(frame([wait(70, 2, 3, 1, 2), wait(75, 3, 3, 1, 2), wait(80, 1, 3, 0, 0)]));
  expect(waits.notes('b').map(({ text }) => text)).toEqual([
    'waited 5 ms, 2 times, for `dot` pushed at line 3 of another cell, 6 ms in all'
  ]);
  waits.add(frame([wait(90, 20, 2, 1, 4)]));
  expect(waits.notes('a')[1].text).toBe('waited 20 ms for `dot` pushed at net.py in step, line 5');
});

it('takes of the first frame, which tells of all runs, only what is of the last cell', () => {
  const waits = new LineWaits();
  const history = [wait(10, 30, 1, 1, 2), wait(60, 4, 1, 1, 2)];
  waits.add(frame(history, { ...told, now: 80, seq: 1, cell_ms: 55 }));
  expect(waits.notes('a').map(({ text }) => text)).toEqual([
    'waited 4 ms for `dot` pushed at line 3'
  ]);
});

it('counts waits of one line that came as one', () => {
  const waits = new LineWaits();
  const flags = FLAG.wait | FLAG.merged;
  const merged = span(10, 30, { flags, site: 1, name: 1, node: 2, busy: 6, count: 40 });
  waits.add(frame([merged], told));
  expect(waits.notes('a')[0].text).toBe('waited 6 ms, 40 times, for `dot` pushed at line 3');
});

it('forgets a cell that runs again, also what comes late of its earlier run', () => {
  const waits = new LineWaits();
  waits.add(frame([wait(1, 12.3, 1, 1, 2)], { ...told, now: 50 }));
  waits.forget('a');
  expect(waits.notes('a')).toEqual([]);
  waits.add(frame([wait(49, 8, 1, 1, 2), wait(51, 9, 1, 0, 0)], { now: 70 }));
  expect(waits.notes('a').map(({ text }) => text)).toEqual(['waited 9 ms for what was queued']);
});
