// A line diff of two texts: what a pass did to the program.

export interface DiffLine {
  text: string;
  kind: 'same' | 'added' | 'removed';
}

/** Beyond this the table would be large: no diff is shown. */
const LIMIT = 1500;

/** Longest common subsequence of lines; removed lines come before added ones. */
export function diffLines(before: string[], after: string[]): DiffLine[] {
  const n = before.length;
  const m = after.length;
  const mark = (lines: string[], kind: DiffLine['kind']) => lines.map(text => ({ text, kind }));
  if (n > LIMIT || m > LIMIT) {
    return mark(after, 'same');
  }
  const width = m + 1;
  const common = new Uint16Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      common[i * width + j] =
        before[i] === after[j]
          ? common[(i + 1) * width + j + 1] + 1
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < n && j < m) {
    if (before[i] === after[j]) {
      lines.push({ text: after[j], kind: 'same' });
      i += 1;
      j += 1;
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      lines.push({ text: before[i++], kind: 'removed' });
    } else {
      lines.push({ text: after[j++], kind: 'added' });
    }
  }
  return [...lines, ...mark(before.slice(i), 'removed'), ...mark(after.slice(j), 'added')];
}
