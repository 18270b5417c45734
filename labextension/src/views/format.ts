// Numbers, bytes and times as a person reads them.

/** 320 -> "320 B", 4096 -> "4 KB", 1536000 -> "1.46 MB" (1 KB = 1024 B). */
export function bytes(n: number | null): string {
  if (n === null) {
    return '–';
  }
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = Math.abs(n);
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const text = unit === 0 ? String(value) : trim(value);
  return `${n < 0 ? '−' : ''}${text} ${units[unit]}`;
}

/** Seconds, from nanoseconds to minutes. */
export function seconds(s: number | null): string {
  if (s === null) {
    return '–';
  }
  const a = Math.abs(s);
  if (a >= 120) {
    return `${trim(s / 60)} min`;
  }
  if (a >= 1) {
    return `${trim(s)} s`;
  }
  if (a >= 1e-3) {
    return `${trim(s * 1e3)} ms`;
  }
  if (a >= 1e-6) {
    return `${trim(s * 1e6)} µs`;
  }
  return a === 0 ? '0 s' : `${trim(s * 1e9)} ns`;
}

/** 2.1e9 -> "2.1 GFLOP" */
export function count(n: number, unit: string): string {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  const power = Math.min(Math.floor(Math.log10(Math.max(Math.abs(n), 1)) / 3), prefixes.length - 1);
  return `${trim(n / 1000 ** power)} ${prefixes[power]}${unit}`;
}

export function shape(dims: number[] | null): string {
  if (dims === null) {
    return '?';
  }
  const parts = dims.map(d => (d < 0 ? '?' : String(d)));
  return parts.length === 1 ? `(${parts[0]},)` : `(${parts.join(', ')})`;
}

export function plural(n: number, noun: string): string {
  return `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
}

/** Cuts a text to `max` characters, with an ellipsis. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, Math.max(max - 1, 0))}…`;
}

function trim(value: number): string {
  const a = Math.abs(value);
  const digits = a >= 100 ? 0 : a >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}
