// The words of the tooltip over a card.
import type { Node } from '../spec';
import { codeOf, homeOf, type Source } from './code_lines';
import type { Card } from './drawn';
import { bytes, shape } from './format';
import { describeNode } from './node_list';
import type { Mark } from './stages';

const MOST = 6;

/** The lines of a card's tooltip; `operands`: the parameters written on it. */
export function tipOf(
  card: Card,
  operands: readonly Node[],
  mark: Mark | undefined,
  source: Source
): string[] {
  if (card.kind === 'group') {
    return [card.label, card.detail, ...parameters(operands), 'click ⊞ to open it'];
  }
  const lines = [
    describeNode(card),
    `${card.bytes === null ? 'size unknown' : bytes(card.bytes)} on ${card.device || 'cpu(0)'}`,
    ...parameters(operands)
  ];
  if (card.members.length > 0) {
    lines.push(`made of ${card.members.map(m => m.label).join(', ')}`);
  }
  for (const line of codeOf([card], source).slice(0, 3)) {
    lines.push(`${[homeOf(line), line.line].filter(Boolean).join(', ')}  ${line.code}`);
  }
  const why = mark?.changes[0]?.why;
  return why ? [...lines, why] : lines;
}

function parameters(operands: readonly Node[]): string[] {
  const named = operands.slice(0, MOST).map(node => `${node.label} ${shape(node.shape)}`);
  const rest = operands.length - named.length;
  return rest > 0 ? [...named, `and ${rest} more parameters`] : named;
}
