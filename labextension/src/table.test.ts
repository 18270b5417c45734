import { describe, expect, it } from 'vitest';
import { integer, object, or, string } from './decode';
import { table } from './table';

interface Row {
  id: number;
  label: string;
}

const row = object<Row>({ id: integer, label: or(string, '') });

describe('table', () => {
  it('reads rows and columns alike', () => {
    const rows = [
      { id: 4, label: 'a' },
      { id: 7, label: 'b' },
      { id: 9, label: 'a' }
    ];
    expect(table(row)(rows, 'x')).toEqual(rows);
    const columns = { id: [4, 7, 9], label: { of: ['a', 'b'], at: [0, 1, 0] } };
    expect(table(row)({ count: 3, columns }, 'x')).toEqual(rows);
    const same = { count: 2, columns: { id: [1, 2], label: { all: 'c' } } };
    expect(table(row)(same, 'x')).toEqual([
      { id: 1, label: 'c' },
      { id: 2, label: 'c' }
    ]);
    expect(table(row)(undefined, 'x')).toEqual([]);
    expect(table(row)({ count: 0, columns: {} }, 'x')).toEqual([]);
  });

  it('takes rows of the table before', () => {
    const before = [
      { id: 1, label: 'a' },
      { id: 2, label: 'b' }
    ];
    const now = { count: 1, columns: { id: [3], label: ['c'] }, same: [1, -1, 0] };
    const read = table(row, before)(now, 'x');
    expect(read).toEqual([before[1], { id: 3, label: 'c' }, before[0]]);
    expect(read[0]).toBe(before[1]);
    expect(table(row, before)({ count: 0, same: [0, 1] }, 'x')).toEqual(before);
  });

  it.each([
    [{ count: 2, columns: { id: [1] } }, 'x.columns.id: expected a column of 2 values'],
    [{ count: 1, columns: { id: { of: 3, at: [0] } } }, 'expected a column of 1 values'],
    [{ count: 1, columns: { id: { of: [5], at: [1] } } }, 'x[0].id: expected an integer'],
    [{ count: -1, columns: {} }, 'x: expected columns and their length'],
    [{ count: 1e9, columns: {} }, 'x: expected columns and their length'],
    [{ count: 0, same: [0] }, 'x.same[0]: there is no row 0'],
    [{ count: 1, columns: { id: [1] }, same: [-1, -1] }, 'x.same[1]: there is no row -1'],
    [{ columns: {} }, 'x.count: expected an integer, got nothing'],
    ['rows', 'x: expected a list, got "rows"']
  ])('refuses %j', (value, message) => {
    expect(() => table(row)(value, 'x')).toThrow(message);
  });

  it('refuses rows that nothing refers to', () => {
    const value = { count: 2, columns: { id: [1, 2] }, same: [-1] };
    expect(() => table(row)(value, 'x')).toThrow('x.same: expected 2 new rows, got 1');
  });
});
