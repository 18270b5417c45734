// The whole viewer: header, stage slider, the three views and the details, with one selection.
import type { Name, Place, Spec, View } from '../spec';
import type { StageRan } from '../stage_ran';
import { codeOf, ownLine, type CodeLine, type Source } from './code_lines';
import { Details } from './details';
import { h, keepKeys } from './dom';
import { GraphView } from './graph_view';
import { footnotes, header } from './header';
import { legend } from './legend';
import { NamesBar } from './names_bar';
import { MemoryView } from './memory_view';
import { ProgramView } from './program_view';
import { StageRunView, type RunWish } from './stage_run';
import { SideBySide } from './side_by_side';
import { StageSlider } from './stage_slider';
import { Heat } from './heat';
import { nodesOfLine, StageModel } from './stages';
import { statusWords } from './status_words';
import { Stepper } from './stepper';
import { watchTheme } from './theme';
import { UnitsView } from './units_view';
import { ViewTabs } from './view_tabs';
import { Visited } from './visited';

/** What a person chose; the same three things are traits of the Python widget. */
export interface ViewerState {
  stage: number;
  selected: number[];
}

/** A stage to be run; `kept`: the names of the plan that is shown, null: as the cell ran. */
export interface RunRequest extends RunWish {
  kept: string[] | null;
}

export interface ViewerEvents {
  /** the person moved the slider or chose nodes */
  change?: (state: ViewerState) => void;
  /** the lines of code that the selection came from; `focus`: show them */
  code?: (lines: CodeLine[], focus: boolean) => void;
  /** the person points at nodes of the plan, or has chosen them and points at none */
  pointed?: (ids: number[]) => void;
  /** the person moved a name's switch: `kept` are the names that are on */
  switched?: (name: string, kept: string[]) => void;
  /** the person asks for a stage to be run */
  run?: (request: RunRequest) => void;
}

const NARROW = 640;

export class GraphViewer {
  readonly element: HTMLElement;
  private model!: StageModel;
  private slider!: StageSlider;
  private readonly graph: GraphView;
  private readonly sides: SideBySide;
  private memory: MemoryView | null = null;
  private program!: ProgramView;
  private details!: Details;
  private units!: UnitsView;
  private heat!: Heat;
  private hot = false;
  private readonly stepper = new Stepper(() => this.showStep());
  private readonly names: NamesBar;
  private readonly run: StageRunView;
  private plan: string | null = null;
  private switched: Name[] = [];
  private source!: Source;
  private readonly tabs = new ViewTabs(view => this.showView(view));
  private readonly status = h('p.hyb-status', { role: 'status', 'aria-live': 'polite' });
  private readonly heatButton = h(
    'button.hyb-mode.hyb-heat',
    {
      type: 'button',
      'aria-pressed': 'false',
      title:
        'Colour nodes and lines by what they took of the last run: one run, which may be a cold ' +
        'one; “Run this stage” times many',
      onclick: () => this.showHeat(!this.hot)
    },
    'Heat'
  );
  private readonly legendBox = h('div');
  // What is made anew for each plan of the cell stands in these.
  private readonly head = h('div.hyb-head');
  private readonly loops = h('div');
  private readonly foot = h('div');
  private readonly bar = h('div.hyb-bar');
  private readonly body = h('div.hyb-body');
  private readonly main = h('div.hyb-main', {}, ...Object.values(this.tabs.panels));
  private readonly stop: (() => void)[] = [];
  private stageIndex = 0;
  private chosen: number[] = [];
  private readonly visited = new Visited<ViewerState>(
    (a, b) => a.stage === b.stage && same(a.selected, b.selected)
  );
  private view: View = 'graph';

  constructor(
    spec: Spec,
    private readonly events: ViewerEvents = {},
    state: Partial<ViewerState> = {}
  ) {
    this.names = new NamesBar({
      switched: (name, kept) => this.events.switched?.(name, kept),
      hover: name => this.hover(name === null ? [] : this.nodesNamed(name))
    });
    const { run } = events;
    this.run = new StageRunView({
      run: run && spec.cell ? wish => run({ ...wish, kept: this.kept() }) : null,
      select: id => {
        this.graph.openAround(id);
        this.userSelect([id], false);
      },
      changed: () => this.showSelection(false)
    });
    if (!events.switched) {
      this.setSwitching('this is a still picture.');
    }
    this.fill(spec);
    this.stageIndex = this.clamp(state.stage ?? spec.initial.stage);
    this.graph = new GraphView(spec, this.model, this.stageIndex, {
      select: (ids, add, reveal) => this.userSelect(ids, add, reveal),
      hover: ids => this.hover(ids),
      step: delta => this.slider.step(delta),
      go: delta => this.go(delta),
      moved: () => this.sides.firstMoved()
    });
    this.graph.element.append(this.stepper.bar.element);
    this.sides = new SideBySide(this.graph, {
      select: (ids, add, reveal) => this.userSelect(ids, add, reveal),
      hover: ids => this.hover(ids),
      go: delta => this.go(delta),
      stage: stage => this.userStage(stage),
      changed: () => this.sidesChanged()
    });
    this.sides.fill(spec, this.model);
    const { head, element: second, button } = this.sides;
    this.tabs.panels.graph.append(head, this.graph.element, this.legendBox, second);
    this.bar.prepend(this.tabs.element, this.heatButton, button, this.names.opener);
    this.element = h(
      'div.hyb-root.hyb-viewer',
      { 'data-spec': spec.id },
      h('div.hyb-chrome', {}, this.head, this.bar),
      this.names.element,
      this.body,
      this.status,
      this.loops,
      this.foot
    );
    keepKeys(this.element);
    this.element.addEventListener('keydown', event => this.trailKey(event));
    this.element.addEventListener('keydown', event => this.stepKey(event), { capture: true });
    this.stop.push(watchTheme(() => this.themeChanged()));
    const observer = new ResizeObserver(() => {
      this.element.classList.toggle('hyb-narrow', this.element.clientWidth < NARROW);
    });
    observer.observe(this.element);
    this.stop.push(() => observer.disconnect());
    this.showView(spec.initial.view);
    this.showStage(false);
    this.setState({ selected: state.selected ?? [] });
    this.visited.visit(this.state);
    if (spec.beside) {
      this.sides.open();
    }
  }

  /** Shows another plan of the same cell; the stage stays, and the picture changes as it goes. */
  replan(spec: Spec): void {
    const { name } = this.model.stages[this.stageIndex];
    this.memory?.dispose();
    this.fill(spec);
    const same = spec.stages.findIndex(stage => stage.name === name);
    this.stageIndex = same < 0 ? this.clamp(this.stageIndex) : same;
    this.graph.replan(spec, this.model, this.stageIndex);
    this.sides.fill(spec, this.model);
    this.showStage(false);
  }

  /** Why names cannot be switched (no kernel); null: they can. */
  setSwitching(reason: string | null): void {
    this.names.setReason(reason);
    this.run.setReason(reason);
  }

  /** A stage was run, or not, with the reason. */
  ran(answer: StageRan): void {
    this.run.receive(answer);
  }

  // Everything but the graph, which changes its picture itself.
  private fill(spec: Spec): void {
    const { stages } = spec;
    if (this.plan !== spec.replanned) {
      this.run.forget();
    }
    this.plan = spec.replanned;
    this.switched = spec.names;
    this.source = spec;
    this.model = new StageModel(spec);
    this.heat = new Heat(spec.heat, this.model);
    this.heatButton.hidden = !this.heat.measured;
    this.hot &&= this.heat.measured;
    this.slider?.stop();
    this.slider?.element.remove();
    this.slider = new StageSlider(stages, stage => this.userStage(stage));
    this.bar.append(this.slider.element);
    this.memory = spec.memory
      ? new MemoryView(spec.memory, spec.cell?.lines ?? [], {
          select: buffer => this.user(this.model.nodesOf(buffer)),
          hover: buffer => this.hover(this.model.nodesOf(buffer)),
          selectNodes: ids => this.user(ids),
          hoverNodes: ids => this.hover(ids)
        })
      : null;
    this.program = new ProgramView(spec, this.model, {
      select: ids => this.user(ids),
      hover: ids => this.hover(ids)
    });
    this.details = new Details(spec, this.model, this.heat, this.run, {
      select: id => this.userSelect([id], false),
      hover: id => this.hover(id === null ? [] : [id]),
      code: line => this.events.code?.([line], true),
      step: step => this.stepper.go(step)
    });
    const none = h('p.hyb-note', {}, 'This picture has no memory plan.');
    this.tabs.panels.memory.replaceChildren(this.memory?.element ?? none);
    this.tabs.panels.program.replaceChildren(this.program.element);
    this.program.setVisible(this.view === 'program');
    this.body.replaceChildren(this.main, this.details.element);
    this.head.replaceChildren(header(spec));
    this.units = new UnitsView(spec.units, false, line =>
      this.events.code?.([ownLine(spec, line)], true)
    );
    this.loops.replaceChildren(this.units.element);
    this.foot.replaceChildren(footnotes(spec) ?? '');
    this.names.show(spec);
  }

  get state(): ViewerState {
    return { stage: this.stageIndex, selected: [...this.chosen] };
  }

  /** Sets what Python asked for; does not call back. */
  setState(state: Partial<ViewerState>): void {
    if (state.stage !== undefined && this.clamp(state.stage) !== this.stageIndex) {
      this.stageIndex = this.clamp(state.stage);
      this.showStage(true);
    }
    if (state.selected !== undefined && !same(state.selected, this.chosen)) {
      this.chosen = [...state.selected];
      this.showSelection(true);
    }
  }

  /** Points at nodes of the plan, since a person points at what they did; none: at none. */
  point(ids: number[]): void {
    this.showHover(ids);
  }

  /** Points at the nodes of a line of the user's cell (null: at none), and of places elsewhere. */
  highlightLine(line: number | null, isAt: (place: Place) => boolean = () => false): void {
    const { nodes } = this.model.stages[this.stageIndex].graph;
    this.units.highlightLine(line);
    const places = this.source.places.map(isAt);
    const elsewhere = nodes.filter(node => node.places.some(place => places[place]));
    const here = line === null ? [] : nodesOfLine({ nodes }, line);
    this.hover([...here, ...elsewhere.map(node => node.id)]);
  }

  dispose(): void {
    this.stop.forEach(stop => stop());
    this.slider.stop();
    this.graph.dispose();
    this.sides.dispose();
    this.memory?.dispose();
    this.names.dispose();
    this.run.dispose();
    this.element.remove();
  }

  // The names of a plan that was not run; null: the plan that was.
  private kept(): string[] | null {
    return this.plan === null
      ? null
      : this.switched.filter(name => name.state === 'kept').map(({ name }) => name);
  }

  // Nodes of the cell as written that a name stands for.
  private nodesNamed(name: string): number[] {
    const { nodes } = this.model.stages[0].graph;
    return nodes.filter(node => node.name === name).map(node => node.id);
  }

  private trailKey(event: KeyboardEvent): void {
    const delta = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (event.altKey && delta !== 0) {
      this.go(delta);
      event.preventDefault();
      event.stopPropagation();
    }
  }

  // To what was chosen before (-1) or after (1).
  private go(delta: number): void {
    const place = this.visited.go(delta);
    if (place) {
      this.setState(place);
      this.tell();
    }
  }

  private visit(): void {
    this.visited.visit(this.state);
    this.tell();
  }

  private tell(): void {
    const trail = [this.visited.leads(-1), this.visited.leads(1)] as const;
    this.graph.setTrail(...trail);
    this.sides.setTrail(...trail);
    this.events.change?.(this.state);
  }

  private showView(view: View): void {
    this.view = view;
    this.element.dataset.view = view;
    this.tabs.show(view);
    this.program.setVisible(view === 'program');
  }

  private showHeat(hot: boolean): void {
    this.hot = hot;
    this.heatButton.setAttribute('aria-pressed', String(hot));
    this.graph.setHeat(this.heat, hot);
    this.sides.setHeat(this.heat, hot);
    this.program.setHeat(hot ? this.heat : null);
    this.showLegend();
  }

  private showLegend(): void {
    const { graph } = this.model.stages[this.stageIndex];
    const whole = this.model.marks(this.stageIndex).size > 0 ? 'stage' : null;
    const changed = this.stepper.step === null ? whole : 'step';
    const heat = this.hot ? this.heat : null;
    const { isOpen } = this.sides;
    this.legendBox.replaceChildren(
      isOpen ? this.sides.legend() : '',
      isOpen && !heat
        ? ''
        : legend(graph, this.graph.byBuffer, changed, heat, ids => this.hover(ids))
    );
  }

  private sidesChanged(): void {
    this.sides.setHeat(this.heat, this.hot);
    this.showLegend();
    this.showSelection(false);
    if (this.sides.isOpen) {
      this.showView('graph');
    }
  }

  private showStage(animate: boolean): void {
    const { name } = this.model.stages[this.stageIndex];
    this.element.dataset.stage = String(this.stageIndex);
    this.element.dataset.stageName = name;
    this.run.show(name);
    this.slider.set(this.stageIndex);
    this.stepper.setStage(this.model, this.stageIndex);
    this.graph.setStage(this.stageIndex, animate);
    this.sides.setStage(this.stageIndex);
    this.program.setStage(this.stageIndex);
    this.memory?.setPlanned(this.stageIndex === this.model.stages.length - 1);
    this.showHeat(this.hot);
    this.showSelection(false);
  }

  // Inside a pass: after one of its rewrites, or after all of them.
  private showStep(): void {
    this.slider.stop();
    this.graph.setStep(this.stepper.graph());
    this.showLegend();
    this.showSelection(false);
  }

  private stepKey(event: KeyboardEvent): void {
    if (this.view === 'graph' && this.stepper.key(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  // Nodes of the picture; between two stages it has nodes of both.
  private here(ids: readonly number[]): number[] {
    const stages = [this.stageIndex, ...(this.stepper.step === null ? [] : [this.stageIndex - 1])];
    return [...new Set(stages.flatMap(stage => this.model.resolve(ids, stage)))];
  }

  private showSelection(reveal: boolean): void {
    const ids = this.model.resolve(this.chosen, this.stageIndex);
    this.graph.setSelected(this.here(this.chosen), reveal, this.chosen);
    this.sides.setSelected(this.chosen, ids, reveal);
    this.memory?.setSelected(this.model.buffersOf(this.chosen));
    this.program.setSelected(ids);
    const { steps, step, sentence } = this.stepper;
    const group = ids.length > 1 ? this.graph.groupOf(ids) : null;
    this.details.show(this.stageIndex, ids, group, this.chosen, { steps, step });
    this.status.textContent = statusWords(this.model, this.stageIndex, sentence, ids);
  }

  private hover(ids: number[]): void {
    this.showHover(ids);
    this.tellPointed(ids);
  }

  private tellPointed(ids: number[]): void {
    const plan = this.model.stages.length - 1;
    this.events.pointed?.(this.model.resolve(ids.length > 0 ? ids : this.chosen, plan));
  }

  private showHover(ids: number[]): void {
    const here = this.model.resolve(ids, this.stageIndex);
    this.graph.setHovered(this.here(ids), ids);
    this.sides.setHovered(ids, here);
    this.memory?.setHovered(this.model.buffersOf(ids));
    this.program.setHovered(here);
  }

  private userStage(stage: number): void {
    if (stage !== this.stageIndex) {
      this.stageIndex = this.clamp(stage);
      this.showStage(true);
      this.visit();
    }
  }

  private userSelect(ids: number[], add: boolean, reveal = true): void {
    const known = ids.every(id => this.chosen.includes(id));
    const rest = this.chosen.filter(id => !ids.includes(id));
    this.user(!add ? ids : known ? rest : [...rest, ...ids], reveal);
  }

  // `reveal`: open the groups around the node; not where the graph itself was clicked.
  private user(ids: number[], reveal = true): void {
    this.chosen = ids;
    this.showSelection(reveal);
    this.visit();
    const here = this.model.resolve(ids, this.stageIndex);
    const nodes = here.flatMap(id => this.model.node(this.stageIndex, id) ?? []);
    this.events.code?.(codeOf(nodes, this.source), false);
    this.tellPointed([]);
  }

  private themeChanged(): void {
    this.graph.themeChanged();
    this.sides.themeChanged();
    this.memory?.themeChanged();
  }

  private clamp(stage: number): number {
    return Math.min(Math.max(Math.round(stage), 0), this.model.stages.length - 1);
  }
}

function same(a: number[], b: number[]): boolean {
  return a.length === b.length && a.every((v, i) => v === b[i]);
}
