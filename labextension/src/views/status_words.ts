// The line under a picture: the stage that is shown, its size, and what is chosen.
import { bytes, plural } from './format';
import { describeNode } from './node_list';
import type { StageModel } from './stages';

/** `inside`: the step that is shown, in words; empty: the stage as a whole. */
export function statusWords(
  model: StageModel,
  index: number,
  inside: string,
  chosen: readonly number[]
): string {
  const stage = model.stages[index];
  const where =
    `Stage ${index + 1} of ${model.stages.length}: ${stage.label}. ` +
    (inside ||
      `${plural(stage.graph.nodes.length, 'node')}, all their values ${sizeOf(stage.graph.nodes)}.`);
  const node = chosen.length > 0 ? model.node(index, chosen[0]) : undefined;
  if (!node) {
    return where;
  }
  const more = chosen.length > 1 ? ` and ${chosen.length - 1} more` : '';
  return `${where} Selected: ${describeNode(node)}${more}.`;
}

function sizeOf(nodes: readonly { bytes: number | null }[]): string {
  const size = nodes.reduce((sum, node) => sum + (node.bytes ?? 0), 0);
  const unknown = nodes.filter(node => node.bytes === null).length;
  const rest = unknown > 0 ? `${unknown.toLocaleString('en')} of unknown size` : '';
  const known = unknown < nodes.length || unknown === 0 ? bytes(size) : '';
  return [known, rest].filter(Boolean).join(' and ');
}
