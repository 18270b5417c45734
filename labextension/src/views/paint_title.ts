// The row over a modelled device's lanes: what it is, and how it spent the time in sight.
import { shareWords } from './device_shares';
import { fitText, strokeLine, write } from './paint_text';
import type { ModelledStore } from './modelled_store';
import { deviceWords } from './modelled_words';
import { LABEL_WIDTH, type TitleRow } from './timeline_rows';
import { mix, type Theme } from './theme';

const AIR = 8;

export function paintTitle(
  context: CanvasRenderingContext2D,
  store: ModelledStore,
  { device, top, height }: TitleRow,
  width: number,
  theme: Theme
): void {
  const y = top + height / 2 + 3;
  context.strokeStyle = mix(theme.background, theme.line, 0.9);
  context.lineWidth = 1;
  strokeLine(context, 4, top + 2.5, LABEL_WIDTH + width, top + 2.5);
  const bold = (context.font = `600 11.5px ${theme.uiFont}`);
  const title = deviceWords(device);
  write(context, title, 4, y, bold, theme.text);
  const taken = 4 + context.measureText(title).width + 2 * AIR;
  const shares = store.shares.get(device);
  if (shares && device.startsWith('gpu')) {
    const plain = (context.font = `11px ${theme.uiFont}`);
    const right = LABEL_WIDTH + width;
    const text = fitText(context, shareWords(shares), right - taken);
    write(context, text, right, y, plain, theme.muted, 'right');
  }
}
