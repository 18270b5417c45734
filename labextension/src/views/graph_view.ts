// The graph of a stage on a canvas: pan, zoom, hover, choose, and the way from stage to stage.
import type { Edge, Graph, Node, Spec, Stage } from '../spec';
import { Camera } from './camera';
import { h } from './dom';
import { bytes } from './format';
import { describeNode, NodeList } from './node_list';
import { paintGraph } from './paint_graph';
import { spine } from './spine';
import { linesOf, StageModel, type Mark } from './stages';
import { Surface } from './surface';
import { readTheme, type Theme } from './theme';
import { Tooltip } from './tooltip';
import { boxOf, DURATION_MS, edgeKey, Transition } from './transition';

const MIN_HEIGHT = 220;
const MAX_HEIGHT = 520;
const DRAG_THRESHOLD = 4;

export interface GraphViewEvents {
  /** nodes chosen by the person; null: none */
  select: (id: number | null, add: boolean) => void;
  hover: (id: number | null) => void;
  step: (delta: number) => void;
}

interface Motion {
  transition: Transition;
  before: Graph;
  start: number;
  camera: { scale: number; x: number; y: number };
  target: { scale: number; x: number; y: number } | null;
}

export class GraphView {
  readonly element: HTMLElement;
  private readonly plot: HTMLElement;
  private readonly surface: Surface;
  private readonly list: NodeList;
  private readonly tooltip: Tooltip;
  private readonly camera = new Camera();
  private theme: Theme | null = null;
  private motion: Motion | null = null;
  private marks: Map<number, Mark> = new Map();
  private selected = new Set<number>();
  private hovered = new Set<number>();
  private moved = false;
  private fitted = false;

  constructor(
    private spec: Spec,
    private model: StageModel,
    private stage: number,
    private readonly events: GraphViewEvents
  ) {
    this.list = new NodeList({ select: id => events.select(id, false), step: events.step });
    this.plot = h('div.hyb-plot');
    const button = (text: string, title: string, onclick: () => void) =>
      h('button.hyb-tool', { type: 'button', title, 'aria-label': title, onclick }, text);
    const tools = h(
      'div.hyb-tools',
      {},
      button('+', 'Zoom in', () => this.zoomCentre(1.25)),
      button('−', 'Zoom out', () => this.zoomCentre(0.8)),
      button('fit', 'Show the whole graph', () => this.overview())
    );
    this.element = h('div.hyb-graph', {}, this.list.element, this.plot, tools);
    this.surface = new Surface(
      this.plot,
      (context, now) => this.paint(context, now),
      () => this.resized()
    );
    this.tooltip = new Tooltip(this.plot);
    this.listen();
    const tall = Math.max(...model.stages.map(s => s.graph.height));
    const height = Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, tall + 56));
    this.plot.style.height = `${Math.round(height)}px`;
    this.enter(stage);
  }

  setStage(stage: number, animate: boolean): void {
    if (stage === this.stage) {
      return;
    }
    const from = this.stage;
    this.stage = stage;
    this.enter(stage);
    this.move(this.model.stages[from], animate, () => new Transition(this.model, from, stage));
  }

  /** The same cell planned again: its picture changes as from stage to stage. */
  replan(spec: Spec, model: StageModel, stage: number): void {
    const from = this.model.stages[this.stage];
    const both = new StageModel({ stages: [from, model.stages[stage]] });
    this.spec = spec;
    this.model = model;
    this.stage = stage;
    this.enter(stage);
    this.move(from, true, () => new Transition(both, 0, 1));
  }

  private move(from: Stage, animate: boolean, transition: () => Transition): void {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (animate && !still && this.surface.width > 0) {
      const { scale, x, y } = this.camera;
      this.motion = {
        transition: transition(),
        before: from.graph,
        start: performance.now(),
        camera: { scale, x, y },
        target: this.moved ? null : this.fitFor(this.stage)
      };
    } else {
      this.motion = null;
      if (!this.moved) {
        this.fit();
      }
    }
    this.surface.draw();
  }

  setSelected(ids: number[], reveal: boolean): void {
    this.selected = new Set(ids);
    this.list.setSelected(ids);
    const node = ids.length > 0 ? this.model.node(this.stage, ids[0]) : undefined;
    if (node && reveal && !this.motion && this.surface.width > 0) {
      this.moved = this.camera.reveal(boxOf(node), this.surface) || this.moved;
    }
    this.surface.draw();
  }

  setHovered(ids: number[]): void {
    this.hovered = new Set(ids);
    this.surface.draw();
  }

  themeChanged(): void {
    this.theme = null;
    this.surface.draw();
  }

  focus(): void {
    this.list.element.focus({ preventScroll: true });
  }

  dispose(): void {
    this.surface.dispose();
  }

  private enter(stage: number): void {
    this.marks = this.model.marks(stage);
    const { nodes } = this.model.stages[stage].graph;
    this.list.setNodes([...nodes].sort(byCode));
    this.plot.dataset.nodes = String(nodes.length);
    this.plot.dataset.stage = String(stage);
  }

  private resized(): void {
    if (!this.fitted || !this.moved) {
      this.fit();
      this.fitted = true;
    }
  }

  private fit(): void {
    Object.assign(this.camera, this.fitFor(this.stage));
  }

  private fitFor(stage: number): Camera {
    const camera = new Camera();
    const { graph } = this.model.stages[stage];
    // What several inputs begin is between them.
    const way = spine(graph);
    const start = way[1] ?? way[0];
    const place = start ? { x: start.x ?? 0, y: way[0].y ?? 0 } : null;
    camera.fit(graph.width, graph.height, this.surface, false, place);
    return camera;
  }

  private overview(): void {
    const { width, height } = this.model.stages[this.stage].graph;
    this.camera.fit(width, height, this.surface, true);
    this.moved = true;
    this.surface.draw();
  }

  private zoomCentre(factor: number): void {
    this.camera.zoom(factor, this.surface.width / 2, this.surface.height / 2);
    this.moved = true;
    this.surface.draw();
  }

  private paint(context: CanvasRenderingContext2D, now: number): void {
    this.theme ??= readTheme(this.element);
    const t = this.motion ? Math.min(1, (now - this.motion.start) / DURATION_MS) : 1;
    const motion = this.motion;
    if (motion?.target) {
      const s = t * t * (3 - 2 * t);
      for (const key of ['scale', 'x', 'y'] as const) {
        this.camera[key] = motion.camera[key] + (motion.target[key] - motion.camera[key]) * s;
      }
    }
    const graph = this.model.stages[this.stage].graph;
    const before = motion?.before;
    const old = new Set(before?.edges.map(edgeKey));
    paintGraph(
      context,
      {
        graph,
        actors: motion
          ? motion.transition.at(t)
          : graph.nodes.map(node => ({ node, ...boxOf(node), alpha: 1 })),
        homes: new Map(graph.nodes.map(node => [node.id, boxOf(node)])),
        homesBefore: new Map(before?.nodes.map(node => [node.id, boxOf(node)])),
        edges: graph.edges,
        edgesLeaving: motion?.transition.edgesBefore ?? [],
        entering: new Set<Edge>(motion ? graph.edges.filter(e => !old.has(edgeKey(e))) : []),
        t,
        marks: this.marks,
        selected: this.selected,
        hovered: this.hovered,
        byBuffer: this.byBuffer,
        ends: this.spec.ends
      },
      this.camera,
      this.theme,
      this.surface
    );
    if (t < 1) {
      this.surface.draw();
    } else {
      this.motion = null;
      this.list.setPositions(id => this.position(id));
    }
  }

  get byBuffer(): boolean {
    return this.model.stages[this.stage].graph.nodes.some(node => node.buffer !== null);
  }

  private position(id: number): { x: number; y: number } | null {
    const node = this.model.node(this.stage, id);
    const { scale, x, y } = this.camera;
    return node ? { x: x + (node.x ?? 0) * scale, y: y + (node.y ?? 0) * scale } : null;
  }

  private hit(event: MouseEvent): Node | null {
    const bounds = this.plot.getBoundingClientRect();
    const { x, y } = this.camera.locate(event.clientX - bounds.left, event.clientY - bounds.top);
    const { nodes } = this.model.stages[this.stage].graph;
    for (let i = nodes.length - 1; i >= 0; i--) {
      const box = boxOf(nodes[i]);
      if (Math.abs(x - box.x) <= box.w / 2 && Math.abs(y - box.y) <= box.h / 2) {
        return nodes[i];
      }
    }
    return null;
  }

  private listen(): void {
    let drag: { x: number; y: number; far: boolean } | null = null;
    this.plot.addEventListener('pointerdown', event => {
      if (event.button === 0) {
        drag = { x: event.clientX, y: event.clientY, far: false };
      }
    });
    this.plot.addEventListener('pointermove', event => {
      if (drag) {
        const dx = event.clientX - drag.x;
        const dy = event.clientY - drag.y;
        if (!drag.far && Math.hypot(dx, dy) > DRAG_THRESHOLD) {
          drag.far = true;
          this.plot.setPointerCapture(event.pointerId);
          this.plot.classList.add('hyb-dragging');
        }
        if (drag.far) {
          this.camera.pan(dx, dy);
          this.moved = true;
          drag = { x: event.clientX, y: event.clientY, far: true };
          this.tooltip.hide();
          this.surface.draw();
        }
        return;
      }
      this.point(event);
    });
    this.plot.addEventListener('pointerup', event => {
      const clicked = drag && !drag.far;
      drag = null;
      this.plot.classList.remove('hyb-dragging');
      if (clicked) {
        this.tooltip.hide();
        this.focus();
        const add = event.shiftKey || event.metaKey || event.ctrlKey;
        this.events.select(this.hit(event)?.id ?? null, add);
      }
    });
    this.plot.addEventListener('pointercancel', () => {
      drag = null;
      this.plot.classList.remove('hyb-dragging');
    });
    this.plot.addEventListener('pointerleave', () => {
      this.tooltip.hide();
      this.events.hover(null);
    });
    this.plot.addEventListener('dblclick', () => {
      this.moved = false;
      this.fit();
      this.surface.draw();
    });
    this.plot.addEventListener(
      'wheel',
      event => {
        // A plain wheel belongs to the page; a pinch arrives as a wheel with ctrl.
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          const bounds = this.plot.getBoundingClientRect();
          const factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0025));
          this.camera.zoom(factor, event.clientX - bounds.left, event.clientY - bounds.top);
          this.moved = true;
          this.surface.draw();
        }
      },
      { passive: false }
    );
  }

  private point(event: PointerEvent): void {
    const node = this.hit(event);
    this.plot.style.cursor = node ? 'pointer' : '';
    this.events.hover(node?.id ?? null);
    if (!node) {
      this.tooltip.hide();
      return;
    }
    const bounds = this.plot.getBoundingClientRect();
    const lines = [
      describeNode(node),
      `${node.bytes === null ? 'size unknown' : bytes(node.bytes)} on ${node.device || 'cpu(0)'}`
    ];
    if (node.members.length > 0) {
      lines.push(`made of ${node.members.map(m => m.label).join(', ')}`);
    }
    for (const line of linesOf(node).slice(0, 3)) {
      const text = this.spec.cell?.lines[line - 1] ?? node.code;
      lines.push(`${line}  ${text.trim()}`);
    }
    const why = this.marks.get(node.id)?.changes[0]?.why;
    if (why) {
      lines.push(why);
    }
    this.tooltip.show(lines, event.clientX - bounds.left, event.clientY - bounds.top);
  }
}

function byCode(a: Node, b: Node): number {
  return (a.y ?? 0) - (b.y ?? 0) || (a.x ?? 0) - (b.x ?? 0) || a.id - b.id;
}
