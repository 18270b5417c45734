// Makes hostile characters of untrusted text visible: drawn as they are, they hide, turn others round
// or break lines. Python's views/visible.py does the same.

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0\ufffe\uffff]/gu;
const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Each such character as Python writes it: `\u202e`; those of `kept` stay as they are. */
export function visible(text: string, kept = ''): string {
  return text.replace(UNSEEN, char => (kept.includes(char) ? char : written(char)));
}

/** Code and programs keep their lines and tabs. */
export function visibleCode(text: string): string {
  return visible(text, '\n\t');
}

function written(char: string): string {
  const hex = char.codePointAt(0)!.toString(16);
  const [mark, digits] = hex.length < 3 ? ['x', 2] : hex.length < 5 ? ['u', 4] : ['U', 8];
  return SHORT[char] ?? `\\${mark}${hex.padStart(digits as number, '0')}`;
}
