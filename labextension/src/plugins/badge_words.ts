// What a cell's badge says: how its last run went, or how it will run.
import type { Ran } from '../frames';
import type { Mode } from './toggle_magic';

export interface BadgeWords {
  words: string;
  title: string;
  /** it has not run like that yet, as far as its kernel knows */
  isNext: boolean;
}

const MODES: Record<Mode, string> = {
  symbolic: 'the cell is recorded, folded, fused and planned, then run',
  imperative: 'each operator runs as it is written',
  auto: 'as written, until measuring tells a faster way'
};

const WAYS: Record<Ran['way'], string> = {
  recorded: 'recorded',
  compiled: 'compiled',
  written: 'as written',
  skipped: 'without body',
  nothing: 'nothing compiled'
};

/** `magic`: the mode that the cell's own text asks for; `standard`: that of others. Null: nobody knows. */
export function badgeWords(
  magic: Mode | null,
  standard: Mode | null,
  ran: Ran | null
): BadgeWords | null {
  // Of a cell whose magic is another one since, its last run tells nothing.
  if (ran && (ran.explicit ? ran.mode : null) === magic) {
    const how = ran.failed || wayOf(ran);
    const words = how ? `${ran.mode}: ${how}` : ran.mode;
    const why = ran.why || MODES[ran.mode];
    return {
      words,
      title: `Last run: ${ran.failed ? `${ran.failed}: ${why}` : why}`,
      isNext: false
    };
  }
  const mode = magic ?? standard;
  return mode && { words: mode, title: `When it runs: ${MODES[mode]}`, isNext: true };
}

// What goes without saying is not said.
function wayOf({ mode, way }: Ran): string {
  const usual: Record<Mode, string> = { symbolic: 'recorded', imperative: 'written', auto: '' };
  return way === usual[mode] ? '' : WAYS[way];
}
