// Frames of the modelled clock: as those of the real one, with how fast it is shown.
import { boolean, integer, list, number, object, or, string } from './decode';
import type { Frame } from './frames';

export type Told = Omit<Frame, 'type'>;

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
}

const own = object<Omit<ModelledFrame, keyof Told | 'type'>>({
  clock: or(integer, 0),
  machine: or(string, ''),
  slower: or(number, null),
  live: or(boolean, false),
  lagging: or(list(integer), []),
  lost: or(integer, 0)
});

export function parseModelled(data: unknown, frame: Frame): ModelledFrame {
  return { ...frame, ...own(data, 'modelled_frame'), type: 'modelled_frame' };
}
