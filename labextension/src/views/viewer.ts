// What stands for a picture on the page: the graph viewer, or what is told of a cell without one.
import type { Spec } from '../spec';
import { ownLine } from './code_lines';
import { h, keepKeys } from './dom';
import { GraphViewer, type ViewerEvents, type ViewerState } from './graph_viewer';
import { footnotes, header } from './header';
import { UnitsView } from './units_view';

export type Viewer = Pick<
  GraphViewer,
  | 'element'
  | 'state'
  | 'setState'
  | 'replan'
  | 'setSwitching'
  | 'ran'
  | 'point'
  | 'highlightLine'
  | 'dispose'
>;

export function viewerOf(spec: Spec, events: ViewerEvents, state?: Partial<ViewerState>): Viewer {
  return spec.stages.length > 0
    ? new GraphViewer(spec, events, state)
    : new PlainViewer(spec, events);
}

/** Loops alone, or nothing: there is no stage, and nothing to select or to plan again. */
class PlainViewer implements Viewer {
  readonly element: HTMLElement;
  readonly state: ViewerState = { stage: 0, selected: [] };
  private units!: UnitsView;

  constructor(
    spec: Spec,
    private readonly events: ViewerEvents
  ) {
    this.element = h('div.hyb-root.hyb-viewer', { 'data-spec': spec.id });
    keepKeys(this.element);
    this.replan(spec);
  }

  replan(spec: Spec): void {
    this.units = new UnitsView(spec.units, true, line =>
      this.events.code?.([ownLine(spec, line)], true)
    );
    const nothing = h('p.hyb-note', {}, 'The engine computed nothing here: there is no graph.');
    this.element.replaceChildren(
      h('div.hyb-chrome', {}, h('div.hyb-head', {}, header(spec))),
      spec.units.length > 0 ? this.units.element : nothing,
      footnotes(spec) ?? ''
    );
  }

  highlightLine(line: number | null): void {
    this.units.highlightLine(line);
  }

  point(): void {}

  setState(): void {}

  setSwitching(): void {}

  ran(): void {}

  dispose(): void {
    this.element.remove();
  }
}
