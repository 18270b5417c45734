// What the timeline says of a span's arrows.
import type { Span } from '../frame_records';
import type { Arrow, Flow } from './flow';
import { plural } from './format';
import type { SpanStore } from './span_store';
import { spent } from './timeline_words';

const MOST = 3;

/** When it was pushed, what it read and who read its results. */
export function flowWords(flow: Flow | null, store: SpanStore): string[] {
  if (!flow) {
    return [];
  }
  const of = (kind: Arrow['kind']) => flow.arrows.filter(arrow => arrow.kind === kind);
  const spans = (kind: Arrow['kind']) => of(kind).flatMap(({ other }) => other ?? []);
  const [push] = of('push');
  const [read, readers] = [spans('producer'), spans('consumer')];
  const lines = push ? [`pushed ${spent(push.to.time - push.from.time, store)} before it ran`] : [];
  const unknown = flow.unknown > 0 ? [`${plural(flow.unknown, 'operator')} not shown`] : [];
  if (read.length + unknown.length > 0) {
    lines.push(`reads results of ${[...named(read, store), ...unknown].join(', ')}`);
  }
  if (readers.length > 0) {
    lines.push(`read by ${named(readers, store).join(', ')}`);
  }
  return lines;
}

function named(spans: readonly Span[], store: SpanStore): string[] {
  const words = spans.slice(0, MOST).map(({ name, site }) => {
    const line = store.sites.get(site)?.line;
    const what = store.names.get(name) ?? `operator ${name}`;
    return line ? `${what} (line ${line})` : what;
  });
  return spans.length > MOST ? [...words, `${spans.length - MOST} more`] : words;
}
