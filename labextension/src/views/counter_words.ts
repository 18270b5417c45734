// What the timeline says of a device's queue and memory.
import { QUEUE_PARTS, type DeviceCounters } from './device_counters';
import { bytes, plural } from './format';
import type { TrackRow } from './timeline_rows';

const MEANING = {
  running: 'running',
  ready: 'ready, wait for the device',
  waiting: 'wait for other operators'
} as const;

export function counterTitle({ kind, counters }: TrackRow): string {
  return `${counters.device} ${kind}`;
}

/** How it is now. */
export function counterUnder({ kind, counters: { last } }: TrackRow): string {
  if (!last) {
    return 'not told';
  }
  const { used, waiting, ready, running } = last;
  return kind === 'memory'
    ? `${bytes(used)} in use`
    : `${(waiting + ready + running).toLocaleString('en')} pending now`;
}

/** How it was at a time. */
export function counterWords(row: TrackRow, time: number): string[] {
  const values = row.counters[row.kind].at(time);
  if (!values) {
    return [];
  }
  if (row.kind === 'memory') {
    return [`${bytes(values[0])} of ${row.counters.device} in use`];
  }
  const total = values.reduce((sum, value) => sum + value, 0);
  const parts = QUEUE_PARTS.map((part, i) => `${values[i].toLocaleString('en')} ${MEANING[part]}`);
  return [`${plural(total, 'operator')} pending on ${row.counters.device}`, ...parts];
}

/** A device's counters now, for those who do not see them. */
export function counterSummary({ device, last }: DeviceCounters): string {
  if (!last) {
    return `${device}: not told`;
  }
  const parts = QUEUE_PARTS.map(part => `${last[part].toLocaleString('en')} ${part}`);
  return `${device}: ${parts.join(', ')}; ${bytes(last.used)} in use`;
}
