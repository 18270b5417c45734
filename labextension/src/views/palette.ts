// Colours and marks. Hues are of Okabe-Ito and Tol's sets, safe for colour-blind people; every
// colour has a second channel (a glyph on the card, a tag with the buffer's number).
import type { Action, Category, Family } from '../spec';
import type { Difference } from './difference';

export interface Swatch {
  color: string;
  glyph: string;
  label: string;
}

export const FAMILY: Record<Family, Swatch> = {
  elementwise: { color: '#0072b2', glyph: 'ƒ', label: 'elementwise' },
  linear: { color: '#d55e00', glyph: '×', label: 'matrix product' },
  conv: { color: '#e69f00', glyph: '∗', label: 'convolution, pooling' },
  reduce: { color: '#009e73', glyph: 'Σ', label: 'reduction' },
  shape: { color: '#7a7f87', glyph: '↔', label: 'shape' },
  random: { color: '#cc79a7', glyph: '?', label: 'random' },
  index: { color: '#56b4e9', glyph: '[ ]', label: 'indexing' },
  loss: { color: '#882255', glyph: 'ℓ', label: 'softmax, loss' },
  creation: { color: '#999933', glyph: '1', label: 'creation' },
  copy: { color: '#5b4fa2', glyph: '⇄', label: 'device copy' },
  gradient: { color: '#7f5539', glyph: '∂', label: 'gradient' },
  input: { color: '#44546a', glyph: '→', label: 'input' },
  constant: { color: '#8c8c8c', glyph: '#', label: 'constant' },
  effect: { color: '#b8336a', glyph: '!', label: 'effect, sync point' },
  other: { color: '#6f6f6f', glyph: '·', label: 'other' }
};

/** What bytes in memory are for. */
export const CATEGORY: Record<Category, { color: string; label: string }> = {
  parameter: { color: '#0072b2', label: 'parameters' },
  input: { color: '#44546a', label: 'inputs' },
  constant: { color: '#8c8c8c', label: 'constants' },
  activation: { color: '#e69f00', label: 'activations, kept for the gradients' },
  gradient: { color: '#7f5539', label: 'gradients' },
  temporary: { color: '#56b4e9', label: 'temporary values' },
  result: { color: '#009e73', label: 'results' }
};

/** Of the hottest card where heat is shown. */
export const HOT = '#e8590c';

/** The plan's buffers cycle through these; the number on the card tells equal hues apart. */
const BUFFERS = [
  '#0072b2',
  '#e69f00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#d55e00',
  '#999933',
  '#882255',
  '#44aa99',
  '#ddcc77'
];

export function bufferColor(id: number): string {
  return BUFFERS[((id % BUFFERS.length) + BUFFERS.length) % BUFFERS.length];
}

/** A mark for what a pass did to a node, and the word for it. */
export const ACTION: Record<Action, { mark: string; verb: string }> = {
  folded: { mark: '=', verb: 'folded' },
  merged: { mark: '⋈', verb: 'merged' },
  removed: { mark: '−', verb: 'removed' },
  fused: { mark: '⊕', verb: 'fused' },
  rewritten: { mark: '~', verb: 'rewritten' },
  added: { mark: '+', verb: 'added' },
  moved: { mark: '↷', verb: 'moved' },
  kept: { mark: '·', verb: 'kept' }
};

/** A sign, a colour and words for what is different between two pictures; borders differ, too. */
export const DIFFERENCE: Record<Difference, Swatch> = {
  'only A': { color: '#d55e00', glyph: '−', label: 'only in A' },
  'only B': { color: '#009e73', glyph: '+', label: 'only in B' },
  changed: { color: '#aa3377', glyph: '≠', label: 'changed' },
  same: { color: '#7a7f87', glyph: '=', label: 'same' }
};
