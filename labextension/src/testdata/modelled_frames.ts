// Frames of the modelled clock for tests: a host, two devices, a link.
import type { Span } from '../frame_records';
import type { Lane } from '../frames';
import type { ModelledFrame } from '../modelled_frame';
import { ModelledStore } from '../views/modelled_store';
import { frame } from './live_frames';

function lane(id: number, name: string, device: string, kind: string): Lane {
  return { id, name, device, kind, virtual: device.startsWith('gpu') };
}

export const lanes = [
  lane(0, 'PCIe switch 0 to gpu(10)', 'links', 'link'),
  lane(1, 'gpu(10) compute', 'gpu(10)', 'compute'),
  lane(2, 'gpu(2) copy-in', 'gpu(2)', 'copy-in'),
  lane(3, 'host', 'host', 'host'),
  lane(4, 'gpu(2) compute', 'gpu(2)', 'compute'),
  lane(5, 'PCIe switch 0 to gpu(2)', 'links', 'link'),
  lane(6, 'cpu(0) compute', 'cpu(0)', 'compute')
];

export function modelled(spans: Span[], more: Partial<ModelledFrame> = {}): ModelledFrame {
  return {
    ...frame(spans, { lanes }),
    ...{ type: 'modelled_frame', clock: 1, machine: '', slower: 50, live: true },
    ...{ lagging: [], lost: 0, gpus: [], memory_kinds: [], memory: [], ...more }
  };
}

export function stored(spans: Span[], more: Partial<ModelledFrame> = {}): ModelledStore {
  const store = new ModelledStore();
  const told = modelled(spans, more);
  store.add(told);
  store.tell(told);
  return store;
}
