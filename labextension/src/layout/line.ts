// A line under way: flat coordinates, without points in the middle of vertical runs.

const SAME = 1e-6; // px

/** Adds a point; a run that goes on vertically is made longer instead. */
export function addPoint(line: number[], x: number, y: number): void {
  const size = line.length;
  if (size >= 2 && same(line[size - 2], x)) {
    if (same(line[size - 1], y)) {
      return;
    }
    if (size >= 4 && same(line[size - 4], x)) {
      line[size - 1] = y;
      return;
    }
  }
  line.push(x, y);
}

function same(a: number, b: number): boolean {
  return Math.abs(a - b) < SAME;
}
