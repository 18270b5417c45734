// The timelines of a kernel: of real time and, where devices are modelled, of modelled time.
import type { EngineState, Frame } from '../frames';
import type { ModelledFrame } from '../modelled_frame';
import { ClockSwitch, type ClockName } from './clock_switch';
import { h } from './dom';
import { ModelledTimeline } from './modelled_timeline';
import type { Place } from './paint_marks';
import type { Traced } from './serials';
import { Timeline } from './timeline';
import type { TimelineEvents } from './timeline_pointing';

export class TwoClocks {
  readonly element = h('div.hyb-two-clocks');
  private readonly real: Timeline;
  private readonly clocks = new ClockSwitch(clock => this.show(clock));
  /** null: no device was modelled yet */
  private modelled: ModelledTimeline | null = null;

  constructor(private readonly events: TimelineEvents = {}) {
    this.real = new Timeline(events);
    this.clocks.element.hidden = true;
    this.element.append(this.clocks.element, this.real.element);
  }

  push(frame: Frame): void {
    this.real.push(frame);
  }

  pushModelled(frame: ModelledFrame): void {
    if (frame.clock === 0) {
      this.end();
      return;
    }
    if (!this.modelled) {
      this.modelled = new ModelledTimeline(this.events);
      this.modelled.element.hidden = true;
      this.element.append(this.modelled.element);
    }
    this.clocks.element.hidden = false;
    this.modelled.push(frame);
  }

  setEngine(engine: EngineState): void {
    this.real.setEngine(engine);
  }

  markNodes(traced: Traced): void {
    this.each(timeline => timeline.markNodes(traced));
  }

  markLine(place: Place | null): void {
    this.each(timeline => timeline.markLine(place));
  }

  say(message: string | null): void {
    this.real.say(message);
  }

  /** Another kernel: nothing of the last one is kept. */
  reset(): void {
    this.end();
    this.real.reset();
  }

  dispose(): void {
    this.each(timeline => timeline.dispose());
    this.element.remove();
  }

  /** No device is modelled any more. */
  private end(): void {
    this.clocks.choose('real time');
    this.clocks.element.hidden = true;
    this.modelled?.timeline.dispose();
    this.modelled = null;
  }

  private show(clock: ClockName): void {
    this.real.element.hidden = clock !== 'real time';
    if (this.modelled) {
      this.modelled.element.hidden = clock !== 'modelled time';
    }
  }

  private each(visit: (timeline: Timeline) => void): void {
    [this.real, ...(this.modelled ? [this.modelled.timeline] : [])].forEach(visit);
  }
}
