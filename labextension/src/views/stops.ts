// The breaks of a cell in words. Those with one message stand together: in one line where they are
// the same, else under what they have in common.
import type { Stop } from '../spec';
import { seconds } from './format';

const WORTH_SAYING_S = 1e-3;
const MOST_LINES = 12;
const MOST_VALUES = 3;

/** What is said of breaks with one message; `each`: of every one, where they differ. */
export interface Told {
  text: string;
  each: string[];
}

export function tellStops(stops: Stop[]): Told[] {
  const found = new Map<string, Stop[]>();
  stops.forEach((stop, i) => {
    const key = stop.id || String(i); // older files tell no messages apart
    found.set(key, [...(found.get(key) ?? []), stop]);
  });
  return [...found.values()].map(group => {
    const alike = group.every(stop => stop.reason === group[0].reason);
    return { text: told(group), each: alike ? [] : group.map(stop => told([stop])) };
  });
}

/** `Lines 3, 7: print shows a value, 12 times, 3.1 ms`. */
function told(group: Stop[]): string {
  const words = common(group);
  const count = group.reduce((sum, stop) => sum + stop.count, 0);
  const took = group.reduce((sum, stop) => sum + stop.seconds, 0);
  const times = count > 1 ? `, ${count.toLocaleString('en')} times` : '';
  const price = took >= WORTH_SAYING_S ? `, ${seconds(took)}` : '';
  // of a loop the reason itself begins with its lines
  return (/^line/.test(words) ? '' : where(group)) + words + times + price;
}

function where(group: Stop[]): string {
  const lines = [...new Set(group.map(stop => stop.line ?? 0))].filter(line => line > 0);
  const shown = lines.sort((a, b) => a - b).slice(0, MOST_LINES);
  const more = lines.length - shown.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  return lines.length > 0 ? `Line${lines.length > 1 ? 's' : ''} ${shown.join(', ')}${rest}: ` : '';
}

/** The message with the arguments that all have. Where one alone differs its first few values are
 * named, else others are …. */
function common(group: Stop[]): string {
  const [first] = group;
  if (group.every(stop => stop.reason === first.reason)) {
    return first.reason;
  }
  const texts = (name: string): string[] => [
    ...new Set(group.map(stop => stop.args.find(a => a.name === name)?.text ?? '…'))
  ];
  const several = first.args.filter(a => texts(a.name).length > 1).length > 1;
  return first.id.replace(/\{(\w+)\}/g, (_, name: string) => {
    const found = texts(name);
    return found.length > (several ? 1 : MOST_VALUES) ? '…' : found.join(', ');
  });
}
