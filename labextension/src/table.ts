// Long lists as Python's views/packed.py sends them: columns, and references to the stage before.
import { fault, integer, isRecord, list, type Decoder } from './decode';

type Rows = Record<string, unknown>[];

/** Rows as a list of objects or as columns; `before`: the rows that it may refer to. */
export function table<T extends object>(row: Decoder<T>, before: readonly T[] = []): Decoder<T[]> {
  const plain = list(row);
  return (value, path) => {
    if (!isRecord(value)) {
      return plain(value, path);
    }
    const rows = unpack(value, path).map((raw, i) => row(raw, `${path}[${i}]`));
    const same = list(integer)(value.same, `${path}.same`);
    if (same.length === 0) {
      return rows;
    }
    let next = 0;
    const all = same.map((index, i) => {
      const found = index < 0 ? rows[next++] : before[index];
      if (!found) {
        throw fault(`${path}.same[${i}]`, `there is no row ${index}`);
      }
      return found;
    });
    if (next !== rows.length) {
      throw fault(`${path}.same`, `expected ${rows.length} new rows, got ${next}`);
    }
    return all;
  };
}

/** A list whose rows refer to the row before them. */
export function chained<T>(row: (before?: T) => Decoder<T>): Decoder<T[]> {
  return (value, path) => {
    let before: T | undefined;
    return list<T>((raw, at) => (before = row(before)(raw, at)))(value, path);
  };
}

function unpack(value: Record<string, unknown>, path: string): Rows {
  const count = integer(value.count, `${path}.count`);
  const columns = value.columns ?? {};
  if (!isRecord(columns) || count < 0 || count > MOST) {
    throw fault(path, 'expected columns and their length');
  }
  const rows: Rows = Array.from({ length: count }, () => ({}));
  for (const key of Object.keys(columns)) {
    const at = column(columns[key], count, `${path}.columns.${key}`);
    rows.forEach((made, i) => {
      made[key] = at(i);
    });
  }
  return rows;
}

/** A length that no picture has: a broken file must not take the page's memory. */
const MOST = 1e7;

function column(value: unknown, count: number, path: string): (i: number) => unknown {
  if (isRecord(value) && 'all' in value) {
    return () => value.all;
  }
  const of = isRecord(value) ? value.of : null;
  const at = isRecord(value) ? value.at : value;
  if (!Array.isArray(at) || at.length !== count || (of !== null && !Array.isArray(of))) {
    throw fault(path, `expected a column of ${count} values`);
  }
  return of === null ? i => at[i] : i => of[at[i] as number];
}
