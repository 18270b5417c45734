// The text under a card's label, and how wide a card is for it.
import type { Node } from '../spec';
import { plural, shape } from './format';

const CHARACTER = 6.4;
const AIR = 24;

/** Attributes, or shape and dtype; `operands`: how many parameters the card stands for, too. */
export function subtitle(node: Pick<Node, 'detail' | 'shape' | 'dtype'>, operands: number): string {
  const own = node.detail || (node.shape ? `${shape(node.shape)} ${node.dtype}` : node.dtype);
  return [own, operands > 0 ? plural(operands, 'parameter') : ''].filter(Boolean).join(' · ');
}

/** The width that a subtitle takes, in layout pixels. */
export function widthOf(text: string): number {
  return CHARACTER * text.length + AIR;
}
