// In words: how fast the modelled clock is shown.
import type { ModelledFrame } from '../modelled_frame';
import { plural, seconds } from './format';

type Paced = Pick<ModelledFrame, 'slower' | 'live' | 'now'>;

/** `modelled time, 50 times slower: 1 s here is 20 ms` */
export function paceWords({ slower, live, now }: Paced): string {
  if (!live) {
    return `modelled time, ${seconds(now / 1e3)} so far`;
  }
  if (slower === null) {
    return 'modelled time: it moves as soon as the CPU has computed the first of it';
  }
  const is = `1 s here is ${seconds(1 / slower)}`;
  if (slower === 1) {
    return `modelled time, as fast as real time: ${is}`;
  }
  const factor = slower > 1 ? slower : Number((1 / slower).toPrecision(3));
  const times = factor.toLocaleString('en');
  return `modelled time, ${times} times ${slower > 1 ? 'slower' : 'faster'}: ${is}`;
}

/** Spans that nobody saw; '' where there are none. */
export function lostWords(lost: number): string {
  return lost > 0 ? `${plural(lost, 'span')} not kept` : '';
}
