// The timeline of the modelled clock: what virtual devices would do, at a pace that people can follow.
import type { ModelledFrame } from '../modelled_frame';
import { sharesOf, type Shares } from './device_shares';
import { h } from './dom';
import { ModelledStore } from './modelled_store';
import { lostWords, paceWords } from './pace_words';
import { PacedWindow } from './paced_window';
import { Timeline } from './timeline';
import type { TimelineEvents } from './timeline_pointing';
import { modelledLegend } from './timeline_tools';

const NOTHING = 'Devices are modelled. Their time begins with the first operator.';

export class ModelledTimeline {
  readonly element: HTMLElement;
  readonly timeline: Timeline;
  private readonly window = new PacedWindow();
  private readonly pace = h('p.hyb-pace', { role: 'status', 'aria-label': 'Pace' });
  private readonly machine = h('p.hyb-engine');
  private clock = 0;

  constructor(events: TimelineEvents) {
    this.timeline = new Timeline(events, {
      store: () => new ModelledStore(),
      window: this.window,
      legend: modelledLegend,
      nothing: NOTHING,
      refresh: (store, range) => store instanceof ModelledStore && refresh(store, range)
    });
    this.element = this.timeline.element;
    this.element.classList.add('hyb-modelled');
    this.element.querySelector('.hyb-timeline-tools')?.after(this.pace);
    this.element.querySelector('.hyb-legend')?.before(this.machine);
  }

  push(frame: ModelledFrame): void {
    if (frame.clock !== this.clock) {
      this.clock = frame.clock;
      this.timeline.reset();
    }
    this.timeline.push(frame);
    const store = this.timeline.spans;
    if (!(store instanceof ModelledStore)) {
      return;
    }
    if (store.tell(frame)) {
      this.timeline.resize();
    }
    this.window.pace(frame.slower, frame.live ? null : store.lastCell);
    this.element.dataset.live = String(frame.live);
    this.element.dataset.now = String(frame.now);
    this.element.dataset.lagging = frame.lagging
      .map(id => store.lanes.get(id)?.lane.name ?? id)
      .join(', ');
    set(this.pace, [paceWords(frame), lostWords(store.lost)].filter(Boolean).join(' · '));
    set(this.machine, frame.machine);
  }
}

function refresh(store: ModelledStore, range: { start: number; end: number }): boolean {
  const before = told(store.shares);
  store.shares = sharesOf(store, range);
  return told(store.shares) !== before;
}

function told(shares: ReadonlyMap<string, Shares>): string {
  return JSON.stringify([...shares]);
}

// A screen reader reads what is set anew.
function set(element: HTMLElement, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}
