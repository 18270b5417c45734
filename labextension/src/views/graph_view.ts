// The graph of a stage on a canvas: pan, zoom, hover, choose, open and close, and the way from
// picture to picture.
import { cardOfGroup, groupOfCard } from './group_tree';
import type { Spec } from '../spec';
import type { Heat } from './heat';
import { LayoutRunner } from '../layout/runner';
import { layoutWorker } from '../generated/layout_worker';
import type { Camera } from './camera';
import type { Difference } from './difference';
import { h } from './dom';
import type { Card, Drawn } from './drawn';
import { findNodes } from './find';
import { graphTools, type ToolBar } from './graph_tools';
import { Marking } from './marking';
import { Minimap } from './minimap';
import { Motion } from './motion';
import { NodeList } from './node_list';
import { Outlook, type Gaze } from './outlook';
import { paintGraph, type Scene } from './paint_graph';
import { watchPointer } from './pointer';
import { Scenes } from './scenes';
import { SearchBar } from './search_bar';
import { Shown } from './shown';
import { saveImage } from './snapshot';
import type { StageModel } from './stages';
import type { StepGraph } from './step_graph';
import { Surface } from './surface';
import { readTheme, type Theme } from './theme';
import { tipOf } from './tip';
import { Tooltip } from './tooltip';
import { boxOf } from './transition';

const MIN_HEIGHT = 220;
const MAX_HEIGHT = 520;
/** A graph of more nodes has the greatest height at once. */
const SMALL = 200;
const SEARCH = {
  placeholder: 'Find a node',
  label: 'Find a node by name, operator, block or code'
};

export interface GraphViewEvents {
  /** nodes chosen by the person, all of a group for its card; none: nothing is chosen; `reveal`:
   * they are to be shown, even if they stand in closed groups */
  select: (ids: number[], add: boolean, reveal: boolean) => void;
  hover: (ids: number[]) => void;
  step: (delta: number) => void;
  /** to what was chosen before or after */
  go: (delta: number) => void;
  /** the person moved the camera */
  moved?: () => void;
}

/** What a graph view needs of a spec. */
export type Pictured = Pick<Spec, 'title' | 'cell' | 'places' | 'ends' | 'initial'>;

const NOTHING = { width: 1, height: 1 };

export class GraphView {
  readonly element: HTMLElement;
  private readonly plot = h('div.hyb-plot');
  private readonly note = h('p.hyb-plot-note', { role: 'status' });
  private readonly tools: ToolBar;
  private readonly surface: Surface;
  private readonly list: NodeList;
  private readonly tooltip: Tooltip;
  private readonly search: SearchBar<number>;
  private readonly outlook: Outlook;
  private readonly minimap = new Minimap((x, y) => {
    this.outlook.centre(x, y);
    this.cameraMoved();
  });
  private readonly runner = new LayoutRunner(layoutWorker);
  private scenes: Scenes;
  private shown: Shown | null = null;
  private theme: Theme | null = null;
  private motion: Motion | null = null;
  private readonly marking = new Marking();
  private said = '';
  private turn = 0;
  private step: StepGraph | null = null;

  constructor(
    private spec: Pictured,
    private model: StageModel,
    private stage: number,
    private readonly events: GraphViewEvents
  ) {
    this.scenes = new Scenes(model, this.runner, spec.initial);
    this.list = new NodeList({
      select: card =>
        events.select(card === null ? [] : (this.shown?.nodes(card) ?? []), false, false),
      toggle: card => {
        const found = this.shown?.drawn.byId.get(card);
        this.toggle(found?.opens ?? found?.group);
      },
      step: events.step
    });
    this.search = new SearchBar(SEARCH, {
      find: query => findNodes(this.model.stages[this.stage].graph, this.scenes.tree, query),
      found: ids => {
        this.marking.found = ids;
        this.surface.draw();
      },
      go: id => events.select([id], false, true),
      closed: () => this.list.element.focus({ preventScroll: true })
    });
    this.note.hidden = true;
    this.tools = this.toolBar();
    this.element = h(
      'div.hyb-graph',
      {
        onkeydown: (event: KeyboardEvent) => {
          if ((event.ctrlKey || event.metaKey) && event.key === 'f') {
            this.search.open();
            event.preventDefault();
          }
        }
      },
      this.list.element,
      this.plot,
      this.search.element,
      h('div.hyb-graph-foot', {}, this.note, this.tools.element)
    );
    this.surface = new Surface(
      this.plot,
      (context, now) => this.paint(context, now),
      before => this.shown && this.outlook.resized(before, this.shown.drawn, this.motion)
    );
    this.outlook = new Outlook(this.surface);
    this.plot.append(this.minimap.element);
    this.tooltip = new Tooltip(this.plot);
    watchPointer(this.plot, this.camera, {
      moved: () => this.cameraMoved(),
      hover: at => this.point(at),
      click: (at, how) => this.click(at, how)
    });
    this.plot.style.height = `${this.height()}px`;
    this.show(false);
  }

  setStage(stage: number, animate: boolean): void {
    if (stage !== this.stage || this.step !== null) {
      this.stage = stage;
      this.step = null;
      this.show(animate);
    }
  }

  /** Shows the graph after one rewrite of the stage; null: after all of them. */
  setStep(step: StepGraph | null): void {
    this.step = step;
    this.show(true);
  }

  /** The same cell planned again: its picture changes as from stage to stage. */
  replan(spec: Pictured, model: StageModel, stage: number): void {
    this.spec = spec;
    this.model = model;
    this.stage = stage;
    this.step = null;
    this.scenes = this.scenes.of(model, spec.initial);
    this.show(true);
  }

  /**
   * Chooses nodes; `reveal`: where they stand is shown, the group around a single one opened;
   * `meant`: of an open kernel's operators these alone.
   */
  setSelected(ids: number[], reveal: boolean, meant: readonly number[] = []): void {
    Object.assign(this.marking, { selected: ids, meant });
    if (reveal && ids.length === 1 && this.scenes.reveal(ids[0], this.stage)) {
      this.show(true);
    }
    this.list.setSelected([...this.marking.chosen]);
    this.relight();
    const card = this.shown?.card(ids, meant);
    if (card && reveal && !this.motion && this.surface.width > 0) {
      this.outlook.moved = this.camera.reveal(boxOf(card), this.surface) || this.outlook.moved;
    }
  }

  /** Opens the kernel that an operator is inside of. */
  openAround(member: number): void {
    if (this.scenes.openAround(member, this.stage)) {
      this.show(true);
    }
  }

  /** The closed group whose card alone stands for nodes; its path, null: it is not so. */
  groupOf(ids: number[]): string | null {
    const cards = this.shown?.cards(ids) ?? new Set<number>();
    const [card] = cards;
    const group = cards.size === 1 ? groupOfCard(card) : null;
    return group === null ? null : this.scenes.tree.path(group);
  }

  setHovered(ids: number[], meant: readonly number[] = []): void {
    Object.assign(this.marking, { hovered: ids, pointed: meant });
    this.plot.dataset.pointed = ids.join(' ');
    this.surface.draw();
  }

  /** The times of the last run; `hot`: cards are coloured by them. */
  setHeat(heat: Heat, hot: boolean): void {
    this.marking.setHeat(heat, hot);
    this.relight();
  }

  /** By node, to the picture beside it; null: there is none. */
  setDifferences(differences: ReadonlyMap<number, Difference> | null): void {
    this.marking.setDifferences(differences);
    this.listCards();
    this.surface.draw();
  }

  get gaze(): Gaze {
    return this.outlook.gaze(this.shown?.drawn ?? NOTHING);
  }

  /** Looks there, without telling that the camera moved. */
  look(gaze: Gaze): void {
    if (this.shown && this.outlook.isSeen) {
      this.outlook.look(gaze, this.shown.drawn);
      this.surface.draw();
    }
  }

  /** Shows the picture as at first: whole, or from its inputs on. */
  lookAnew(): void {
    if (this.shown) {
      this.outlook.first(this.shown.drawn);
      this.surface.draw();
    }
  }

  setTrail(back: boolean, forward: boolean): void {
    this.tools.setTrail(back, forward);
  }

  themeChanged(): void {
    this.theme = null;
    this.surface.draw();
  }

  dispose(): void {
    this.surface.dispose();
    this.runner.dispose();
  }

  private get camera(): Camera {
    return this.outlook.camera;
  }

  get byBuffer(): boolean {
    return this.model.stages[this.stage].graph.nodes.some(node => node.buffer !== null);
  }

  private toolBar(): ToolBar {
    const { scenes } = this;
    return graphTools(
      {
        zoom: factor => {
          this.outlook.zoom(factor);
          this.cameraMoved();
        },
        fit: () => this.overview(),
        search: () => this.search.open(),
        trace: on => {
          this.marking.lit.ways = on;
          this.relight();
        },
        path: on => {
          this.marking.lit.path = on;
          this.relight();
        },
        go: this.events.go,
        save: () => {
          if (this.shown && this.theme) {
            const { title } = this.spec;
            this.say(saveImage(this.scene(this.shown, null), this.theme, title || 'graph'));
          }
        },
        level: deeper => {
          this.scenes.step(deeper, this.stage);
          this.show(true);
        },
        fold: folding => {
          this.scenes.fold(folding);
          this.show(true);
        },
        turn: right => {
          this.scenes.turn(right ? 'right' : 'down');
          this.outlook.moved = false;
          this.show(true);
        }
      },
      { groups: scenes.hasGroups, parameters: scenes.hasParameters, folding: scenes.folding }
    );
  }

  // Tall enough for every stage, so that no stage moves what stands below.
  private height(): number {
    const { stages } = this.model;
    const small = stages.reduce((sum, s) => sum + s.graph.nodes.length, 0) <= SMALL;
    const heights = (small ? stages : []).map((_, i) => {
      const drawn = this.scenes.at(i);
      return drawn instanceof Promise ? MAX_HEIGHT : drawn.height;
    });
    const tall = small ? Math.max(...heights) + 56 : MAX_HEIGHT;
    return Math.round(Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, tall)));
  }

  // Shows the stage as its groups stand now; at once, or when its layout is there.
  private show(animate: boolean, anchor: number | null = null): void {
    const turn = ++this.turn;
    const drawn = this.step ? this.scenes.between(this.step) : this.scenes.at(this.stage);
    if (!(drawn instanceof Promise)) {
      this.become(drawn, animate, anchor);
      return;
    }
    this.say(`Laying out ${this.model.stages[this.stage].graph.nodes.length} nodes…`);
    drawn.then(
      done => turn === this.turn && this.become(done, animate, anchor),
      () => undefined
    );
  }

  private become(drawn: Drawn, animate: boolean, anchor: number | null): void {
    const before = this.shown;
    const shown = new Shown(drawn, this.model, this.stage, this.step);
    this.shown = shown;
    this.marking.show(shown);
    this.listCards();
    this.plot.dataset.nodes = String(drawn.cards.length);
    this.plot.dataset.stage = String(this.stage);
    this.say(drawn.coarse ? 'A simple layout: a better one took too long.' : '');
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const target = this.outlook.next(before, shown, anchor);
    if (before && animate && !still && this.surface.width > 0) {
      this.motion = new Motion(before, shown, this.scenes.tree, this.camera, target);
    } else {
      this.motion = null;
      Object.assign(this.camera, target);
    }
    this.search.again();
    this.relight();
  }

  private listCards(): void {
    const { marking, shown } = this;
    if (shown) {
      const cards = [...shown.drawn.cards].sort(byCode);
      this.list.setCards(cards, new Map(cards.map(({ id }) => [id, marking.difference(id)])));
      this.list.setSelected([...marking.chosen]);
      this.list.setPositions(id => this.position(id));
    }
  }

  private relight(): void {
    this.marking.relight();
    this.say(this.said);
    this.surface.draw();
  }

  private toggle(group: number | null | undefined): void {
    if (group !== null && group !== undefined) {
      this.scenes.toggle(group);
      this.outlook.moved = true;
      this.show(true, cardOfGroup(group));
    }
  }

  private say(text: string): void {
    this.said = text;
    this.note.textContent = [text, this.marking.words].filter(Boolean).join(' ');
    this.note.hidden = this.note.textContent === '';
  }

  private cameraMoved(): void {
    this.outlook.moved = true;
    this.tooltip.hide();
    this.surface.draw();
    this.events.moved?.();
  }

  private overview(): void {
    if (this.shown) {
      this.outlook.whole(this.shown.drawn);
      this.cameraMoved();
    }
  }

  private paint(context: CanvasRenderingContext2D, now: number): void {
    const { shown } = this;
    if (!shown) {
      return;
    }
    this.theme ??= readTheme(this.element);
    const moving = this.motion?.at(now) ?? null;
    paintGraph(context, this.scene(shown, moving), this.camera, this.theme, this.surface);
    this.minimap.paint(
      { drawn: shown.drawn, heat: this.marking.warmth },
      this.camera,
      this.theme,
      this.surface,
      this.outlook.moved ? null : (this.motion?.aim ?? this.camera)
    );
    if (moving) {
      this.surface.draw();
    } else {
      this.motion = null;
      this.list.setPositions(id => this.position(id));
    }
  }

  private scene(shown: Shown, moving: ReturnType<Motion['at']>): Scene {
    return {
      drawn: shown.drawn,
      actors: moving?.actors ?? shown.actors,
      motion: moving?.moving ?? null,
      marks: shown.marks,
      step: shown.step,
      ...this.marking.of(shown),
      ends: this.spec.ends
    };
  }

  private position(card: number): { x: number; y: number } | null {
    const at = this.shown?.drawn.byId.get(card);
    const { scale, x, y } = this.camera;
    return at ? { x: x + at.x * scale, y: y + at.y * scale } : null;
  }

  private hit(at: { x: number; y: number }) {
    const { x, y } = this.camera.locate(at.x, at.y);
    return this.shown?.hits.at(x, y) ?? null;
  }

  private click(at: { x: number; y: number }, how: { twice: boolean; add: boolean }): void {
    this.tooltip.hide();
    this.list.element.focus({ preventScroll: true });
    const hit = this.hit(at);
    if (how.twice) {
      if (hit) {
        const opens = this.shown?.drawn.byId.get(hit.card)?.opens;
        this.toggle(hit.toggles === null ? opens : null);
      } else {
        this.lookAnew();
      }
    } else if (hit && hit.toggles !== null) {
      this.toggle(hit.toggles);
    } else {
      this.events.select(hit ? (this.shown?.nodes(hit.card) ?? []) : [], how.add, false);
    }
  }

  private point(at: { x: number; y: number } | null): void {
    const { shown } = this;
    const hit = at && this.hit(at);
    this.plot.style.cursor = hit ? 'pointer' : '';
    this.events.hover(hit && shown ? shown.nodes(hit.card) : []);
    const card = hit && shown?.drawn.byId.get(hit.card);
    if (at && card && shown) {
      const { drawn, marks } = shown;
      const operands = drawn.operands.get(card.id) ?? [];
      const tip = tipOf(card, operands, marks.get(card.id), this.spec);
      const words = this.marking.difference(card.id);
      this.tooltip.show(words ? [...tip, words] : tip, at.x, at.y);
    } else {
      this.tooltip.hide();
    }
  }
}

function byCode(a: Card, b: Card): number {
  return a.y - b.y || a.x - b.x || a.id - b.id;
}
