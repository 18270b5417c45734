// Decoders of untrusted JSON: small functions put together; every fault says where and what.
import { visible, visibleCode } from './visible';

/** Data from Python that the front end does not understand. */
export class ProtocolError extends Error {
  override name = 'ProtocolError';
}

/** Reads a value found at `path`; `undefined` and `null` both mean that it is absent. */
export type Decoder<T> = (value: unknown, path: string) => T;

export function fault(path: string, message: string): ProtocolError {
  return new ProtocolError(`${path}: ${message}`);
}

function expected(what: string, value: unknown, path: string): ProtocolError {
  return fault(path, `expected ${what}, got ${describe(value)}`);
}

function decoder<T>(what: string, holds: (value: unknown) => boolean): Decoder<T> {
  return (value, path) => {
    if (!holds(value)) {
      throw expected(what, value, path);
    }
    return value as T;
  };
}

export const number = decoder<number>('a finite number', Number.isFinite);
export const integer = decoder<number>('an integer', Number.isSafeInteger);
export const size = decoder<number>(
  'a number that is not negative',
  v => Number.isFinite(v) && (v as number) >= 0
);
export const length = decoder<number>(
  'a positive number',
  v => Number.isFinite(v) && (v as number) > 0
);
/** As it came: ids, and names of files that are to be opened. */
export const exact = decoder<string>('a string', v => typeof v === 'string');
/** For people: what can't be seen in it is written out. */
export const string: Decoder<string> = (value, path) => visible(exact(value, path));
export const code: Decoder<string> = (value, path) => visibleCode(exact(value, path));
export const boolean = decoder<boolean>('true or false', v => typeof v === 'boolean');

/** `fallback` where the value is absent. */
export function or<T, F>(decode: Decoder<T>, fallback: F): Decoder<T | F> {
  return (value, path) => (value === undefined || value === null ? fallback : decode(value, path));
}

export function choice<T extends string>(choices: readonly T[]): Decoder<T> {
  return decoder<T>(`one of ${choices.join(', ')}`, v => choices.includes(v as T));
}

/** A list; absent: empty. */
export function list<T>(decode: Decoder<T>): Decoder<T[]> {
  return (value, path) => {
    if (value === undefined || value === null) {
      return [];
    }
    if (!Array.isArray(value)) {
      throw expected('a list', value, path);
    }
    return value.map((item, i) => decode(item, `${path}[${i}]`));
  };
}

/** An object with the keys of `shape`; other keys are left out. */
export function object<T extends object>(shape: { [K in keyof T]: Decoder<T[K]> }): Decoder<T> {
  const keys = Object.keys(shape) as (keyof T & string)[];
  return (value, path) => {
    const source = record(value, path);
    const result: Partial<T> = {};
    for (const key of keys) {
      const own = Object.prototype.hasOwnProperty.call(source, key) ? source[key] : undefined;
      result[key] = shape[key](own, `${path}.${key}`);
    }
    return result as T;
  };
}

/** An absent object is one without any key. */
export function filled<T>(decode: Decoder<T>): Decoder<T> {
  return (value, path) => decode(value ?? {}, path);
}

export function pair<A, B>(first: Decoder<A>, second: Decoder<B>): Decoder<[A, B]> {
  return (value, path) => {
    if (!Array.isArray(value) || value.length !== 2) {
      throw expected('a list of two values', value, path);
    }
    return [first(value[0], `${path}[0]`), second(value[1], `${path}[1]`)];
  };
}

/** An object used as a map from integers; absent: empty. */
export function map<T>(decode: Decoder<T>): Decoder<Map<number, T>> {
  return (value, path) => {
    const entries = Object.entries(
      value === undefined || value === null ? {} : record(value, path)
    );
    return new Map(
      entries.map(([key, item]) => [integer(Number(key), path), decode(item, `${path}.${key}`)])
    );
  };
}

function record(value: unknown, path: string): Record<string, unknown> {
  if (!isRecord(value)) {
    throw expected('an object', value, path);
  }
  return value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === undefined || value === null) {
    return 'nothing';
  }
  if (typeof value === 'object') {
    return Array.isArray(value) ? 'a list' : 'an object';
  }
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}
