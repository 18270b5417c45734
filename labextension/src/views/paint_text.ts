// Text and simple shapes on a canvas; texts are cut to a width, with the widths remembered.

const cuts = new Map<string, string>();
const CACHE = 20_000;

/** The longest beginning of `text` that fits `width` pixels in the context's font. */
export function fitText(context: CanvasRenderingContext2D, text: string, width: number): string {
  const key = `${context.font}|${Math.round(width)}|${text}`;
  let cut = cuts.get(key);
  if (cut === undefined) {
    cut = measureCut(context, text, width);
    if (cuts.size > CACHE) {
      cuts.clear();
    }
    cuts.set(key, cut);
  }
  return cut;
}

function measureCut(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) {
    return text;
  }
  let low = 0;
  let high = Math.min(text.length, 200);
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, mid)}…`).width <= width) {
      low = mid;
    } else {
      high = mid - 1;
    }
  }
  return low === 0 ? '' : `${text.slice(0, low).trimEnd()}…`;
}

export function roundRect(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  w: number,
  h: number,
  radius: number
): void {
  context.beginPath();
  context.roundRect(x, y, w, h, Math.min(radius, w / 2, h / 2));
}

/** Writes at (x, y), vertically centred on y. */
export function write(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  font: string,
  color: string,
  align: CanvasTextAlign = 'left'
): void {
  context.font = font;
  context.textAlign = align;
  context.textBaseline = 'middle';
  context.fillStyle = color;
  context.fillText(text, x, y);
}

export function strokeLine(
  context: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number
): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
