// Switches the %%hybridize line of a cell's text on and off.

export interface Toggled {
  source: string;
  /** what stood behind %%hybridize, kept for the next time */
  options: string;
  on: boolean;
}

const MAGIC = /^%%(\w+)(?:[ \t]+(.*?))?[ \t]*(?:\r?\n|$)/;

/** The cell's mode by its first line; null where the default of the notebook holds. */
export function modeOf(source: string): 'symbolic' | 'imperative' | 'other' | null {
  const magic = MAGIC.exec(source)?.[1];
  if (magic === undefined) {
    return null;
  }
  return magic === 'hybridize' ? 'symbolic' : magic === 'imperative' ? 'imperative' : 'other';
}

/** Another cell magic cannot be combined with ours: null. */
export function toggleHybridize(source: string, options = ''): Toggled | null {
  const match = MAGIC.exec(source);
  const rest = match ? source.slice(match[0].length) : source;
  if (match?.[1] === 'hybridize') {
    return { source: rest, options: match[2] ?? '', on: false };
  }
  if (match && match[1] !== 'imperative') {
    return null;
  }
  const line = options ? `%%hybridize ${options}` : '%%hybridize';
  return { source: `${line}\n${rest}`, options, on: true };
}
