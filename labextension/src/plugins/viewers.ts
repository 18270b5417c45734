// The viewers on the page, by the id of their spec: all with one id show the same stage and nodes.
import { Signal, type ISignal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';
import { parseSpec } from '../protocol';
import type { Spec } from '../spec';
import type { StageRan } from '../stage_ran';
import type { RunRequest, ViewerState } from '../views/graph_viewer';
import { nodeOfSerial, serialsOf, type Traced } from '../views/serials';
import type { Viewer } from '../views/viewer';

export interface Shown {
  owner: Widget;
  spec: Spec;
  viewer: Viewer;
}

export interface ViewerChange extends ViewerState {
  id: string;
}

export interface Switched {
  from: Shown;
  name: string;
  kept: string[];
}

export interface RunAsked extends RunRequest {
  from: Shown;
}

/** How many plans are kept for pictures that are drawn again. */
const REMEMBER_PLANS = 40;
/** How many states are kept for pictures that are drawn again. */
const REMEMBER = 500;

export class Viewers {
  private readonly shown = new Set<Shown>();
  private readonly states = new Map<string, ViewerState>();
  private readonly plans = new Map<string, Spec>();
  private readonly switchedSignal = new Signal<this, Switched>(this);
  private readonly runSignal = new Signal<this, RunAsked>(this);
  private readonly pointedSignal = new Signal<this, Traced>(this);
  private readonly changedSignal = new Signal<this, ViewerChange>(this);

  /** A person moved a slider or chose nodes. */
  get changed(): ISignal<this, ViewerChange> {
    return this.changedSignal;
  }

  /** A person moved the switch of a name. */
  get switched(): ISignal<this, Switched> {
    return this.switchedSignal;
  }

  /** A person asks for a stage to be run. */
  get runAsked(): ISignal<this, RunAsked> {
    return this.runSignal;
  }

  /** A person points at nodes: what the trace calls them. */
  get pointed(): ISignal<this, Traced> {
    return this.pointedSignal;
  }

  userPoint(from: Shown, ids: number[]): void {
    this.pointedSignal.emit(serialsOf(this.specOf(from).serials, ids));
  }

  /** A person points at a span, of this node of the trace; null: at none. */
  pointAt(process: string, serial: number | null): void {
    for (const entry of this.shown) {
      const { serials } = this.specOf(entry);
      const node = serial === null ? null : nodeOfSerial(serials, process, serial);
      entry.viewer.point(node === null ? [] : [node]);
    }
  }

  /** A person clicked a span: pictures of its program choose its node. */
  choose(process: string, serial: number): void {
    for (const entry of this.shown) {
      const node = nodeOfSerial(this.specOf(entry).serials, process, serial);
      if (node !== null) {
        entry.viewer.setState({ selected: [node] });
        this.userChange(entry, entry.viewer.state);
      }
    }
  }

  private specOf({ spec }: Shown): Spec {
    return this.plans.get(spec.id) ?? spec;
  }

  userSwitch(from: Shown, name: string, kept: string[]): void {
    this.switchedSignal.emit({ from, name, kept });
  }

  userRun(from: Shown, request: RunRequest): void {
    this.runSignal.emit({ from, ...request });
  }

  /** A stage was run: all pictures with its id tell. */
  stageRan(answer: StageRan): void {
    for (const entry of this.shown) {
      if (entry.spec.id === answer.id) {
        entry.viewer.ran(answer);
      }
    }
  }

  /** The plan that a picture was switched to last. */
  planOf(id: string): Spec | undefined {
    return this.plans.get(id);
  }

  /** A picture's cell was planned again: all pictures with its id change. */
  replan(id: string, data: unknown): void {
    const spec = parseSpec(data);
    this.plans.delete(id);
    this.plans.set(id, spec);
    if (this.plans.size > REMEMBER_PLANS) {
      this.plans.delete(this.plans.keys().next().value as string);
    }
    for (const entry of this.shown) {
      if (entry.spec.id === id) {
        entry.viewer.replan(spec);
      }
    }
  }

  /** Says on the pictures for which `of` holds whether names can be switched, and if not, why. */
  setSwitching(reason: string | null, of: (entry: Shown) => boolean): void {
    for (const entry of this.shown) {
      if (of(entry)) {
        entry.viewer.setSwitching(reason);
      }
    }
  }

  all(): Iterable<Shown> {
    return this.shown;
  }

  /** The last state of a picture, for one that is drawn again. */
  stateOf(id: string): ViewerState | undefined {
    return this.states.get(id);
  }

  add(entry: Shown): void {
    this.shown.add(entry);
  }

  remove(entry: Shown): void {
    this.shown.delete(entry);
  }

  /** A person's choice in one viewer: the others with its id follow, and the kernel is told. */
  userChange(from: Shown, state: ViewerState): void {
    this.spread(from.spec.id, state, from);
    this.changedSignal.emit({ id: from.spec.id, ...state });
  }

  /** Python's choice. */
  apply(id: string, stage: number | null, selected: number[] | null): void {
    const state: Partial<ViewerState> = {};
    if (stage !== null) {
      state.stage = stage;
    }
    if (selected !== null) {
      state.selected = selected;
    }
    this.spread(id, state, null);
  }

  private spread(id: string, state: Partial<ViewerState>, from: Shown | null): void {
    for (const entry of this.shown) {
      if (entry.spec.id === id && entry !== from) {
        entry.viewer.setState(state);
      }
    }
    this.states.delete(id);
    this.states.set(id, { stage: 0, selected: [], ...this.current(id, from), ...state });
    if (this.states.size > REMEMBER) {
      this.states.delete(this.states.keys().next().value as string);
    }
  }

  private current(id: string, from: Shown | null): ViewerState | undefined {
    if (from) {
      return from.viewer.state;
    }
    for (const entry of this.shown) {
      if (entry.spec.id === id) {
        return entry.viewer.state;
      }
    }
    return this.states.get(id);
  }
}
