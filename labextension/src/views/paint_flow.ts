// Draws the arrows of a span: from its push, from those whose results it read, to those that read its own.
import type { Window } from './aggregate';
import type { Arrow, Flow } from './flow';
import type { Theme } from './theme';
import { LABEL_WIDTH, type Row } from './timeline_rows';

type Context = CanvasRenderingContext2D;

/** More are told of in words only. */
const MOST = 40;
const HEAD = 6;

export function paintFlow(
  context: Context,
  rows: readonly Row[],
  flow: Flow,
  window: Window,
  theme: Theme
): void {
  const lanes = new Map(
    rows.flatMap(row =>
      row.kind === 'lane' ? [[row.ring.lane.id, row.top + row.height / 2] as const] : []
    )
  );
  const scale = window.width / (window.end - window.start);
  const x = (time: number) => LABEL_WIDTH + (time - window.start) * scale;
  context.save();
  context.beginPath();
  context.rect(LABEL_WIDTH, 0, window.width, 1e5);
  context.clip();
  for (const arrow of flow.arrows.slice(0, MOST)) {
    const [from, to] = [lanes.get(arrow.from.lane), lanes.get(arrow.to.lane)];
    if (from !== undefined && to !== undefined) {
      paintArrow(context, arrow, [x(arrow.from.time), from], [x(arrow.to.time), to], theme);
    }
  }
  context.restore();
}

function readers(theme: Theme): string {
  return theme.dark ? '#3ccfa0' : '#00785a';
}

function paintArrow(
  context: Context,
  { kind }: Arrow,
  [x1, y1]: [number, number],
  [x2, y2]: [number, number],
  theme: Theme
): void {
  const color = { push: theme.text, producer: theme.accent, consumer: readers(theme) }[kind];
  // In one lane it goes over the spans in between.
  const lift = y1 === y2 ? 22 : 0;
  const bend = Math.max(12, Math.min(60, Math.abs(x2 - x1) / 2));
  const path = () => {
    context.beginPath();
    context.moveTo(x1, y1 - lift / 3);
    context.bezierCurveTo(x1 + bend, y1 - lift, x2 - bend, y2 - lift, x2, y2 - lift / 3);
  };
  // A rim in the colour of the page keeps it apart from what it crosses.
  context.setLineDash([]);
  path();
  context.strokeStyle = theme.background;
  context.lineWidth = 4;
  context.stroke();
  context.setLineDash(kind === 'push' ? [4, 3] : []);
  path();
  context.strokeStyle = color;
  context.lineWidth = 1.8;
  context.stroke();
  context.setLineDash([]);
  paintHead(context, x2, y2 - lift / 3, Math.atan2((lift * 2) / 3, bend), color, theme);
}

function paintHead(
  context: Context,
  x: number,
  y: number,
  angle: number,
  color: string,
  theme: Theme
): void {
  const corner = (turn: number): [number, number] => [
    x - HEAD * Math.cos(angle + turn),
    y - HEAD * Math.sin(angle + turn)
  ];
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(...corner(0.45));
  context.lineTo(...corner(-0.45));
  context.closePath();
  context.lineWidth = 3;
  context.strokeStyle = theme.background;
  context.stroke();
  context.fillStyle = color;
  context.fill();
}
