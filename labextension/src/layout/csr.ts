// Compressed rows: lists of numbers by key, in two arrays.

/** The entries of key k are list[start[k]] to list[start[k + 1] - 1]. */
export interface Csr {
  start: Int32Array;
  list: Int32Array;
}

/** The places 0 .. keys.length - 1 by their key, in order; keys lie below `count`. */
export function groupBy(keys: Int32Array, count: number): Csr {
  const start = new Int32Array(count + 1);
  for (let i = 0; i < keys.length; i++) {
    start[keys[i] + 1]++;
  }
  for (let k = 0; k < count; k++) {
    start[k + 1] += start[k];
  }
  const next = start.slice(0, count);
  const list = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) {
    list[next[keys[i]]++] = i;
  }
  return { start, list };
}
