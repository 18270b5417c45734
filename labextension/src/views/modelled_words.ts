// What the modelled timeline calls things.
import type { Lane } from '../frames';
import { shareWords } from './device_shares';
import { ModelledStore } from './modelled_store';
import type { SpanStore } from './span_store';

/** `gpu(0), virtual` */
export function deviceWords(device: string): string {
  return device.startsWith('gpu') ? `${device}, virtual` : device;
}

/** A lane beside those of its device, the best first: `copy in`; of a link `gpu(0) → gpu(1)`. */
export function shortNames({ name, device, kind }: Lane): string[] {
  if (kind === 'link') {
    const ends = name.replace(' to ', ' → ');
    return [ends, ends.slice(ends.indexOf(' ') + 1)];
  }
  const short = name.startsWith(`${device} `) ? name.slice(device.length + 1) : name;
  return [(short || kind).replace('copy-', 'copy ')];
}

/** What a lane does, as its tooltip says it: `on gpu(0) compute, virtual` */
export function laneOf({ name, virtual, kind }: Lane): string {
  return `${kind === 'link' ? 'over' : 'on'} ${name}${virtual ? ', virtual' : ''}`;
}

/** How devices spent the time in sight. */
export function sharesInWords(store: ModelledStore): string[] {
  return [...store.shares]
    .filter(([device]) => device.startsWith('gpu'))
    .map(([device, shares]) => `${deviceWords(device)}, modelled: ${shareWords(shares)}`);
}

/** Of a device, for who points at its title. */
export function titleWords(store: SpanStore, device: string): string[] {
  const shares = store instanceof ModelledStore ? store.shares.get(device) : undefined;
  const told = shares ? ['in the time that is shown, modelled:', shareWords(shares)] : [];
  return [deviceWords(device), ...told];
}
