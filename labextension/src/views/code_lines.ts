// The lines of code that nodes came from: of the picture's own cell, of another one, or of a file.
import type { Node, Place, Spec } from '../spec';
import { visible } from '../visible';
import { linesOf } from './stages';

export interface CodeLine extends Place {
  /** it stands in the picture's own cell */
  own: boolean;
}

/** What a picture says of its code. */
export type Source = Pick<Spec, 'cell' | 'places'>;

/** A line of the picture's own cell. */
export function ownLine({ cell }: Source, line: number, code = ''): CodeLine {
  const text = cell?.lines[line - 1] ?? code;
  return { own: true, cell: cell?.id ?? null, file: '', line, code: text.trim() };
}

/** The lines that nodes came from, each once: those of the own cell first, in order. */
export function codeOf(
  nodes: readonly Pick<Node, 'line' | 'members' | 'places' | 'code'>[],
  source: Source
): CodeLine[] {
  const found = new Map<string, CodeLine>();
  for (const node of nodes) {
    linesOf(node).forEach(line => found.set(`${line}`, ownLine(source, line, node.code)));
  }
  const own = [...found.values()].sort((a, b) => a.line - b.line);
  const others = [...new Set(nodes.flatMap(node => node.places))].sort((a, b) => a - b);
  return [...own, ...others.map(index => ({ ...source.places[index], own: false }))];
}

/** Where it stands, in words: "model.py"; empty for the own cell. */
export function homeOf({ own, cell, file }: CodeLine): string {
  if (own) {
    return '';
  }
  const elsewhere = cell === null ? 'code without a file' : 'another cell';
  return visible(file.slice(file.lastIndexOf('/') + 1)) || elsewhere;
}
