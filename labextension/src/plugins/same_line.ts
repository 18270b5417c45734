// Where a line of code that ran is now, in a text that may have been edited since.
import { visibleCode } from '../visible';

/** Which of `lines` is a line of another version; null: none, or there are several like it. */
export function sameLine(lines: readonly string[], line: number, text: string): number | null {
  const code = sameCode(text);
  const codes = lines.map(sameCode);
  if (codes[line - 1] === code) {
    return line;
  }
  const at = codes.indexOf(code);
  return code === '' || at < 0 || codes.includes(code, at + 1) ? null : at + 1;
}

/** The kernel sends a line without its indentation, cut when it is long; it is read for people. */
export function sameCode(line: string): string {
  return visibleCode(line.trim()).slice(0, 200);
}
