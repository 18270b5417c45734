// What is wrong with a layout, in words: the judge of the tests.
import type { Layout, LayoutTask } from '../layout/task';

interface Rect {
  name: string;
  x: number;
  y: number;
  w: number;
  h: number;
  /** the frames around it, by id */
  within: Set<number>;
}

const NEAR = 1e-6;
const SAMPLES = 8;

/** Overlaps, boxes outside their frames, and, unless coarse, lines through boxes that are not theirs. */
export function faults(task: LayoutTask, layout: Layout): string[] {
  const found: string[] = [];
  const parents = new Map(task.frames.map(frame => [frame.id, frame.parent]));
  const around = (frame: number | null) => {
    const within = new Set<number>();
    for (let at = frame; at !== null; at = parents.get(at) ?? null) {
      within.add(at);
    }
    return within;
  };
  const boxes = task.boxes.map(({ id, w, h, frame }, i): Rect => {
    const [x, y] = layout.centres[i];
    return { name: `box ${id}`, x, y, w, h, within: around(frame) };
  });
  const frames = task.frames.map(({ id, parent, w }, i): Rect => {
    if (layout.frames[i].w < w) {
      found.push(`frame ${id} is narrower than its title`);
    }
    return { name: `frame ${id}`, ...layout.frames[i], within: around(parent) };
  });
  const picture = { x: layout.width / 2, y: layout.height / 2, w: layout.width, h: layout.height };
  for (const rect of [...boxes, ...frames]) {
    if (!contains(picture, rect)) {
      found.push(`${rect.name} lies outside the picture`);
    }
  }
  boxes.forEach((a, i) => {
    boxes.slice(i + 1).forEach(b => overlap(a, b) && found.push(`${a.name} overlaps ${b.name}`));
  });
  frames.forEach((frame, i) => {
    const { id } = task.frames[i];
    for (const rect of [...boxes, ...frames]) {
      const inside = rect.within.has(id);
      if (inside ? !contains(frame, rect) : overlap(frame, rect)) {
        const ring = frame === rect || frame.within.has(task.frames[frames.indexOf(rect)]?.id);
        if (!ring) {
          found.push(`${rect.name} ${inside ? 'leaves' : 'overlaps'} ${frame.name}`);
        }
      }
    }
  });
  task.edges.forEach(({ src, dst }, i) => {
    const from = task.boxes.findIndex(box => box.id === src);
    const to = task.boxes.findIndex(box => box.id === dst);
    const line = layout.lines[i];
    if (from < 0 || to < 0 || from === to) {
      found.push(...(line.length > 0 ? [`edge ${i} should have no line`] : []));
      return;
    }
    const own = new Set([...boxes[from].within, ...boxes[to].within]);
    const others = [...boxes, ...frames.filter((_, f) => !own.has(task.frames[f].id))];
    found.push(
      ...lineFaults(line, task.direction, { from: boxes[from], to: boxes[to] }, others, layout).map(
        fault => `edge ${i}, ${src} to ${dst}, ${fault}`
      )
    );
  });
  return found;
}

function lineFaults(
  line: [number, number][],
  direction: LayoutTask['direction'],
  { from, to }: { from: Rect; to: Rect },
  others: Rect[],
  layout: Layout
): string[] {
  const down = direction === 'down';
  const start = down ? [from.x, from.y + from.h / 2] : [from.x + from.w / 2, from.y];
  const end = down ? [to.x, to.y - to.h / 2] : [to.x - to.w / 2, to.y];
  if (line.length < 2 || far(line[0], start) || far(line[line.length - 1], end)) {
    return ['does not join its boxes'];
  }
  if (layout.coarse) {
    return [];
  }
  const hit = new Set<string>();
  for (let i = 1; i < line.length; i++) {
    for (let k = 0; k <= SAMPLES; k++) {
      const [x, y] = between(line[i - 1], line[i], k / SAMPLES, down);
      const point = { x, y, w: 0, h: 0 };
      others.filter(rect => overlap(rect, point)).forEach(({ name }) => hit.add(name));
      if (x < 0 || y < 0 || x > layout.width || y > layout.height) {
        hit.add('the border');
      }
    }
  }
  return [...hit].map(name => `runs through ${name}`);
}

/** A point of the cubic that the painter draws, with tangents along the direction. */
function between(a: number[], b: number[], t: number, down: boolean): [number, number] {
  const along = 3 * t * (1 - t) * 0.5 + t * t * t; // control points half way
  const across = t * t * (3 - 2 * t);
  const [x, y] = down ? [across, along] : [along, across];
  return [a[0] + (b[0] - a[0]) * x, a[1] + (b[1] - a[1]) * y];
}

function far(a: number[], b: number[]): boolean {
  return Math.abs(a[0] - b[0]) > NEAR || Math.abs(a[1] - b[1]) > NEAR;
}

type Area = Omit<Rect, 'name' | 'within'>;

function overlap(a: Area, b: Area): boolean {
  return (
    Math.abs(a.x - b.x) < (a.w + b.w) / 2 - NEAR && Math.abs(a.y - b.y) < (a.h + b.h) / 2 - NEAR
  );
}

function contains(outer: Area, inner: Area): boolean {
  return (
    Math.abs(outer.x - inner.x) <= (outer.w - inner.w) / 2 + NEAR &&
    Math.abs(outer.y - inner.y) <= (outer.h - inner.h) / 2 + NEAR
  );
}
