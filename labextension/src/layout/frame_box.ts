// A frame's size and where its inside stands in it. All sizes are along a layout that runs down;
// one that runs to the right is turned in the end, and there the title stands at the left.
import { FRAME_MARGIN, FRAME_TITLE } from './measures';

export interface FrameBox {
  w: number;
  h: number;
  /** where the inside begins, from the frame's left upper corner */
  insetX: number;
  insetY: number;
}

const EMPTY = { w: 40, h: 20 };

export function frameBox(
  inside: { width: number; height: number },
  titleWidth: number,
  down: boolean
): FrameBox {
  const left = down ? FRAME_MARGIN : FRAME_TITLE;
  const top = down ? FRAME_TITLE : FRAME_MARGIN;
  const tightW = (inside.width || EMPTY.w) + left + FRAME_MARGIN;
  const tightH = (inside.height || EMPTY.h) + top + FRAME_MARGIN;
  // Whole even sizes: middles and ports stay on the grid of positions.
  const w = even(down ? Math.max(tightW, titleWidth) : tightW);
  const h = even(down ? tightH : Math.max(tightH, titleWidth));
  return {
    w,
    h,
    insetX: left + Math.floor((w - tightW) / 2),
    insetY: top + Math.floor((h - tightH) / 2)
  };
}

function even(size: number): number {
  return 2 * Math.ceil(size / 2);
}
