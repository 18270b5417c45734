// What the timeline says in words: of what is under the pointer, of its lanes and of the engine.
import { FLAG, heldFor, type Span } from '../frame_records';
import type { EngineState, Lane, Site } from '../frames';
import { workIn } from './aggregate';
import { bytes, count, plural, seconds } from './format';
import { ModelledStore } from './modelled_store';
import { laneOf } from './modelled_words';
import type { LaneRing, SpanStore } from './span_store';
import type { Range } from './work';

/** Times of the modelled clock are never told without that word. */
export function spent(milliseconds: number, { isModelled }: SpanStore): string {
  return `${seconds(milliseconds / 1e3)}${isModelled ? ' modelled' : ''}`;
}

function waitWords(span: Span, store: SpanStore): string[] {
  const [site, pushed] = [span.site, span.node].map(id => store.sites.get(id));
  const name = span.name > 0 ? store.names.get(span.name) : undefined;
  return [
    `waits ${spent(span.busy, store)} for ${name ?? 'what is queued'}`,
    ...(site ? [siteWords(site)] : []),
    ...(name && pushed ? [`${name} was pushed at ${siteWords(pushed)}`] : []),
    ...(span.flags & FLAG.running ? ['still waiting'] : [])
  ];
}

function nameOf({ name }: Span, store: SpanStore): string {
  return store.names.get(name) ?? `operator ${name}`;
}

// On the modelled clock the host has no operators: it works, and then it pushes one.
function titleOf(span: Span, store: SpanStore): string {
  const isHost = store.isModelled && store.lanes.get(span.lane)?.lane.kind === 'host';
  if (span.name === 0) {
    return isHost ? 'the host works' : 'operators of several kinds';
  }
  const name = nameOf(span, store);
  return isHost ? `the host works, then pushes ${name}` : name;
}

/** Of a span: what it was, how long, where it was pushed. */
export function spanWords(span: Span, store: SpanStore): string[] {
  if (span.flags & FLAG.wait) {
    return waitWords(span, store);
  }
  const isMerged = Boolean(span.flags & FLAG.merged);
  const lines = [titleOf(span, store)];
  const how = isMerged ? 'told together' : 'in a row';
  const each = span.count > 1 ? `, ${plural(span.count, 'operator')} ${how}` : '';
  const of = isMerged ? ` of work in ${seconds(span.duration / 1e3)}` : '';
  lines.push(`${spent(span.busy, store)}${of}${each}`);
  const lane = store.isModelled && store.lanes.get(span.lane)?.lane;
  if (lane && lane.kind !== 'host') {
    lines.push(laneOf(lane), ...costWords(span, lane, store));
  }
  const site = store.sites.get(span.site);
  if (site) {
    lines.push(siteWords(site));
  }
  const flags = flagWords(span);
  return flags ? [...lines, flags] : lines;
}

/** Of what a modelled device did: `2.1 GFLOP, 61 % of the peak of its type`, and the same of bytes. */
function costWords(span: Span, { kind, device }: Lane, store: SpanStore): string[] {
  const { flops = 0, moved = 0, peak = 0, flags, duration } = span;
  if (kind !== 'compute') {
    const where = kind === 'all-reduce' || kind === 'link' ? 'over each link' : 'copied';
    return moved > 0 ? [`${bytes(moved)} ${where}`] : [];
  }
  const sheet = store instanceof ModelledStore ? store.sheet(device) : undefined;
  const known = flags & FLAG.running ? 0 : duration / 1e3; // of one that runs it is not known yet
  const share = (done: number, rate: number, of: string) =>
    known > 0 && rate > 0 ? `, ${percent(done / (rate * known))} of ${of}` : '';
  return [
    flops > 0 && count(flops, 'FLOP') + share(flops, peak, 'the peak of its type'),
    moved > 0 && `${bytes(moved)} moved${share(moved, sheet?.bandwidth ?? 0, 'its bandwidth')}`
  ].filter(line => line !== false);
}

function percent(share: number): string {
  const whole = Math.round(100 * share);
  return whole < 1 ? 'less than 1 %' : `${whole} %`;
}

function siteWords({ cell, line, text, code }: Site): string {
  const place = [cell === null && text, line !== null && `line ${line}`].filter(Boolean).join(', ');
  return code ? `${place}:  ${code}` : place;
}

/** Where there is no span: operators that nobody saw, or spans that are not kept any more. */
export function placeWords(
  ring: LaneRing,
  { time, slack }: { time: number; slack: number }
): string[] {
  const gap = ring.gapAt(time, slack);
  if (gap) {
    const length = seconds((gap.end_ms - gap.start_ms) / 1e3);
    const what = gap.count > 0 ? unrecordedWords(gap.count) : 'not recorded';
    return [what, `in ${length}: more than the trace could keep`];
  }
  if (time >= ring.droppedUntil) {
    return [];
  }
  const { busy, count } = workIn(ring, time - slack, time + slack);
  const about = `${Math.round((100 * busy) / (2 * slack))} % busy for ${seconds(slack / 500)}`;
  return count > 0 || busy > 0 ? [`about ${plural(count, 'operator')}`, about] : [];
}

function unrecordedWords(operators: number): string {
  return `${plural(operators, 'operator')} not recorded`;
}

function flagWords(span: Span): string {
  const { flags } = span;
  const held = heldFor(span);
  const before = held > 0 ? ` for ${seconds(held / 1e3)} before, which is no work` : '';
  const words: [number, string][] = [
    [FLAG.inline, 'run inline by the caller'],
    [FLAG.artificial, `held by slow motion${before}`],
    [FLAG.error, 'failed'],
    [FLAG.wait, 'a thread waits'],
    [FLAG.running, 'still running']
  ];
  return words
    .filter(([bit]) => flags & bit)
    .map(([, word]) => word)
    .join(', ');
}

/** In place of a picture: also where it was cleared. */
export const NOTHING_YET = 'Connected. What runs on the engine appears here.';

/** A time on the axis, as finely as the milliseconds of `step` need. */
export function timeWords(time: number, step: number): string {
  const decimals = Math.min(9, Math.max(0, Math.ceil(3 - Math.log10(step))));
  return `${(time / 1e3).toFixed(Number.isFinite(decimals) ? decimals : 9)} s`;
}

/** `12.3451 to 12.3460 s selected, 0.89 ms` */
export function rangeWords({ start, end }: Range): string {
  const step = (end - start) / 10;
  const from = timeWords(start, step).replace(' s', '');
  return `${from} to ${timeWords(end, step)} selected, ${seconds((end - start) / 1e3)}`;
}

/** The engine's settings. */
export function engineWords(engine: EngineState): string {
  const parts = [`${engine.kind} engine`];
  if (engine.kind !== 'naive') {
    parts.push(engine.inline ? 'small operators inline' : 'every operator queued');
  }
  if (engine.limit !== null) {
    parts.push(`at most ${plural(engine.limit, 'pending operator')}`);
  }
  if (engine.slow > 0) {
    parts.push(`slow motion, ${seconds(engine.slow)} each`);
  }
  return parts.join(' · ');
}

/** A lane for those who do not see it: its operators, and how busy it was in that time. `late`: it
 * has some that are not computed. */
export function laneWords(ring: LaneRing, start: number, end: number, late = false): string {
  const { lane, operators, merged, unrecorded } = ring;
  const what = [lane.name || lane.device, lane.virtual && 'virtual', lane.kind].filter(Boolean);
  const share = Math.round(100 * Math.min(1, workIn(ring, start, end).busy / (end - start)));
  const parts = [
    merged && `${merged.toLocaleString('en')} of them merged`,
    unrecorded && `${unrecorded.toLocaleString('en')} not recorded`
  ];
  const told = [plural(operators, 'operator'), ...parts.filter(Boolean)].join(', ');
  return `${what.join(', ')}: ${told}, ${share} % busy${late ? ', lagging' : ''}`;
}

/** The memory of the pools, and how many operators nobody saw. */
export function poolWords({ pools, rings }: SpanStore): string {
  const unrecorded = rings.reduce((sum, ring) => sum + ring.unrecorded, 0);
  return pools
    .map(p => `${p.device}: ${bytes(p.used)} in use, ${bytes(p.reserved)} reserved`)
    .concat(unrecorded > 0 ? [unrecordedWords(unrecorded)] : [])
    .join(' · ');
}
