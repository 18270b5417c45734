// What the timeline knows of the modelled clock: lanes of the host, of devices and of links.
import type { Lane } from '../frames';
import type { ModelledFrame, Sheet } from '../modelled_frame';
import type { DeviceCounters } from './device_counters';
import { DeviceMemory } from './device_memory';
import type { Shares } from './device_shares';
import { SpanStore, type LaneRing } from './span_store';

const GPU = /^gpu\((\d+)\)$/;
const KINDS = ['host', 'compute', 'copy-in', 'copy-out', 'all-reduce', 'link'];

export class ModelledStore extends SpanStore {
  override readonly isModelled = true;
  machine = '';
  /** lanes with operators that the CPU has not computed up to now */
  lagging: ReadonlySet<number> = new Set();
  /** spans that nobody saw */
  lost = 0;
  /** of devices, in the time that is in sight */
  shares = new Map<string, Shares>();
  /** by the number of the GPU */
  gpus: readonly Sheet[] = [];
  /** by device, of those that have told */
  readonly memories = new Map<string, DeviceMemory>();
  protected override readonly sameCell = 0;

  /** Takes in what only these frames tell; tells whether a device's memory is new. */
  tell({ machine, lagging, lost, gpus, memory, memory_kinds }: ModelledFrame): boolean {
    const before = this.memories.size;
    this.machine = machine;
    this.lagging = new Set(lagging);
    this.lost += lost;
    this.gpus = gpus;
    for (const state of memory) {
      const known = this.memories.get(state.device);
      const of = known ?? new DeviceMemory(state.device, memory_kinds);
      this.memories.set(state.device, of);
      of.add(state);
    }
    return this.memories.size > before;
  }

  /** What a GPU's data sheet says; undefined: it is none. */
  sheet(device: string): Sheet | undefined {
    const gpu = GPU.exec(device);
    return gpu ? this.gpus[Number(gpu[1])] : undefined;
  }

  override afresh(now: number): SpanStore {
    const made = super.afresh(now);
    if (made instanceof ModelledStore) {
      made.gpus = this.gpus;
      for (const { device, kinds, held } of this.memories.values()) {
        const memory = new DeviceMemory(device, kinds);
        memory.add({ time: now, device, held: [...held] });
        made.memories.set(device, memory);
      }
    }
    return made;
  }

  /** The host first, then device by device, links last. */
  override get rings(): LaneRing[] {
    return [...this.lanes.values()].sort(
      (a, b) =>
        deviceRank(a.lane) - deviceRank(b.lane) ||
        KINDS.indexOf(a.lane.kind) - KINDS.indexOf(b.lane.kind) ||
        a.lane.name.localeCompare(b.lane.name, 'en', { numeric: true }) ||
        a.lane.id - b.lane.id
    );
  }

  /** What the host hands out is no work, and what crosses links is a copy's already. */
  override get working(): LaneRing[] {
    return this.rings.filter(({ lane }) => lane.kind !== 'host' && lane.kind !== 'link');
  }

  override get counters(): DeviceCounters[] {
    return [];
  }

  protected override empty(): SpanStore {
    return Object.assign(new ModelledStore(), { machine: this.machine });
  }
}

function deviceRank({ device, kind }: Lane): number {
  const gpu = GPU.exec(device);
  if (gpu) {
    return Number(gpu[1]);
  }
  return kind === 'host' ? -1 : kind === 'link' ? 2e6 : 1e6;
}
