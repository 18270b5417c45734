// Which lines of cells waited for the engine, for how long and for what: the longest of a line in a
// sentence.
import { FLAG, type Span } from '../frame_records';
import type { Frame, Site } from '../frames';
import { seconds } from './format';

/** Shorter ones, in milliseconds and all together, are not worth a word. */
const SHORTEST_MS = 1;
/** So many times the longest all together are told of, too. */
const MUCH_MORE = 1.05;

interface Waited {
  site: Site;
  /** of the operator; '': of several */
  name: string;
  pushed: Site | null;
  ms: number;
  count: number;
}

/** A line of a cell, as it ran, and what is to be said of it. */
export interface LineNote {
  site: Site;
  text: string;
}

export class LineWaits {
  private readonly names = new Map<number, string>();
  private readonly sites = new Map<number, Site>();
  private readonly cells = new Map<string, Map<string, Waited>>();
  /** waits of an earlier run of a cell, which may come late, began before that time */
  private readonly since = new Map<string, number>();
  private now = 0;

  /** Takes in a frame; gives the cells of which there is something new. */
  add(frame: Frame): string[] {
    frame.names.forEach((name, id) => this.names.set(id, name));
    frame.sites.forEach((site, id) => this.sites.set(id, site));
    this.now = frame.now;
    const changed = new Set<string>();
    // The first frame tells of earlier runs, too: which cell's waits are of its last one?
    const from = frame.seq === 1 ? (frame.cell_ms ?? Infinity) : -Infinity;
    for (const span of frame.spans) {
      const isDone = (span.flags & (FLAG.wait | FLAG.running)) === FLAG.wait;
      const site = isDone ? this.sites.get(span.site) : undefined;
      if (site?.cell && span.start >= (this.since.get(site.cell) ?? from)) {
        this.addWait(site.cell, site, span);
        changed.add(site.cell);
      }
    }
    return [...changed];
  }

  /** A cell runs again: its waits so far are of an earlier run. */
  forget(cell: string): void {
    this.cells.delete(cell);
    this.since.set(cell, this.now);
  }

  notes(cell: string): LineNote[] {
    const lines = new Map<number | null, Waited[]>();
    for (const waited of this.cells.get(cell)?.values() ?? []) {
      lines.set(waited.site.line, [...(lines.get(waited.site.line) ?? []), waited]);
    }
    return [...lines.values()].flatMap(waits => {
      const total = waits.reduce((sum, { ms }) => sum + ms, 0);
      const [longest] = [...waits].sort((a, b) => b.ms - a.ms);
      const more = total > MUCH_MORE * longest.ms ? `, ${seconds(total / 1e3)} in all` : '';
      return total < SHORTEST_MS ? [] : { site: longest.site, text: sentence(longest) + more };
    });
  }

  private addWait(cell: string, site: Site, span: Span): void {
    const waits = this.cells.get(cell) ?? new Map<string, Waited>();
    this.cells.set(cell, waits);
    const key = `${span.site} ${span.name} ${span.node}`;
    const name = span.name > 0 ? (this.names.get(span.name) ?? '') : '';
    const pushed = this.sites.get(span.node) ?? null;
    const waited = waits.get(key) ?? { site, name, pushed, ms: 0, count: 0 };
    waits.set(key, { ...waited, ms: waited.ms + span.busy, count: waited.count + span.count });
  }
}

function sentence({ site, name, pushed, ms, count }: Waited): string {
  const times = count > 1 ? `, ${count.toLocaleString('en')} times,` : '';
  const what = name === '' ? 'what was queued' : `\`${name}\``;
  const where = name !== '' && pushed ? ` pushed at ${placeOf(pushed, site)}` : '';
  return `waited ${seconds(ms / 1e3)}${times} for ${what}${where}`;
}

function placeOf({ cell, line, text }: Site, from: Site): string {
  if (cell === null) {
    return `${text}, line ${line ?? '?'}`;
  }
  return `line ${line ?? '?'}${cell === from.cell ? '' : ' of another cell'}`;
}
