// Frames of the modelled clock: as those of the real one, with how fast it is shown.
import { boolean, integer, list, number, object, or, string } from './decode';
import { decodeCosts, decodeMemory, type Bytes, type MemoryState } from './frame_records';
import type { Frame } from './frames';

export type Told = Omit<Frame, 'type'>;

/** A device's data sheet: bytes/s, bytes of memory. */
export interface Sheet {
  bandwidth: number;
  memory: number;
}

export interface ModelledFrame extends Told {
  type: 'modelled_frame';
  /** counts declarations of devices; another number: all before is void; 0: nothing is modelled */
  clock: number;
  /** the devices in words */
  machine: string;
  /** real seconds in a second of the picture; null: nothing is computed yet, and it stands */
  slower: number | null;
  /** false: nothing runs, and all is shown */
  live: boolean;
  /** lanes with operators that have ended in the picture and are not computed */
  lagging: number[];
  /** spans that were no longer kept when they were asked for */
  lost: number;
  /** by the number of the GPU */
  gpus: Sheet[];
  /** what memory is used for, in the order of `memory` */
  memory_kinds: string[];
  memory: MemoryState[];
}

const own = object<Omit<ModelledFrame, keyof Told | 'type' | 'memory'>>({
  clock: or(integer, 0),
  machine: or(string, ''),
  slower: or(number, null),
  live: or(boolean, false),
  lagging: or(list(integer), []),
  lost: or(integer, 0),
  gpus: or(list(object<Sheet>({ bandwidth: number, memory: number })), []),
  memory_kinds: or(list(string), [])
});

/** `costs`, `memory`: absent in what earlier kernels sent. */
export function parseModelled(
  data: unknown,
  frame: Frame,
  costs?: Bytes,
  memory?: Bytes
): ModelledFrame {
  const told = own(data, 'modelled_frame');
  if (costs) {
    decodeCosts(costs, frame.spans);
  }
  return {
    ...frame,
    ...told,
    type: 'modelled_frame',
    memory: memory ? decodeMemory(memory, told.memory_kinds.length) : []
  };
}
