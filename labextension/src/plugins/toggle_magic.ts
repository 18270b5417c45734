// Switches the %%hybridize line of a cell's text on and off.

export interface Toggled {
  source: string;
  /** what stood behind %%hybridize, kept for the next time */
  options: string;
  on: boolean;
}

export type Mode = 'symbolic' | 'imperative' | 'auto';

const MAGIC = /^(?:[ \t]*\r?\n)*%%(\w+)(?:[ \t]+(.*?))?[ \t]*(?:\r?\n|$)/;
/** Magics that run their body as a cell of its own. */
const AROUND = new Set(['time', 'capture']);

/** The cell's mode by its magics; null where the default of the notebook holds. */
export function modeOf(source: string): Mode | 'other' | null {
  const match = MAGIC.exec(source);
  if (!match) {
    return null;
  }
  const [head, magic] = match;
  if (AROUND.has(magic)) {
    return modeOf(source.slice(head.length));
  }
  return magic === 'hybridize' ? 'symbolic' : magic === 'imperative' ? 'imperative' : 'other';
}

/** Switches between the modes; `standard` is that of cells without a magic. Null: another magic
 * stands first. */
export function toggleHybridize(
  source: string,
  options = '',
  standard: Mode = 'imperative'
): Toggled | null {
  const match = MAGIC.exec(source);
  const magic = match?.[1];
  if (match && magic !== 'hybridize' && magic !== 'imperative') {
    return null;
  }
  const rest = match ? source.slice(match[0].length) : source;
  const on = (modeOf(source) ?? standard) !== 'symbolic';
  const kept = magic === 'hybridize' ? (match?.[2] ?? '') : options;
  const wanted = on ? 'hybridize' : 'imperative';
  // The default needs no line of its own, unless it is to have options.
  if ((on ? 'symbolic' : 'imperative') === standard && !(on && options)) {
    return { source: rest, options: kept, on };
  }
  const line = on && options ? `%%${wanted} ${options}` : `%%${wanted}`;
  return { source: `${line}\n${rest}`, options: kept, on };
}
