// Draws a whole picture: frames, lines, cards; only what the camera sees.
import type { Camera } from './camera';
import type { Difference } from './difference';
import type { Drawn, Frame, Line } from './drawn';
import { groupOfCard } from './group_tree';
import { paintEdge, paintEdgeLabel, route, type Ends } from './paint_edge';
import type { Warmth } from './heat';
import { endsKey } from './lines';
import { colorOf, paintNode, rings, warmColor, type NodeLook } from './paint_node';
import { fitText, roundRect, strokeLine, write } from './paint_text';
import type { Mark } from './stages';
import { edgeKey, type StepGraph } from './step_graph';
import type { Theme } from './theme';
import { around, boxOf, type Actor, type Box } from './transition';

/** A picture on its way from another. */
export interface Moving {
  before: Drawn;
  leaving: Line[];
  entering: ReadonlySet<Line>;
  /** cards that had gone before already, and are drawn so while they leave */
  gone: ReadonlySet<number>;
  /** progress, 0 to 1 */
  t: number;
}

export interface Scene {
  drawn: Drawn;
  /** the cards, where they are now */
  actors: Actor[];
  /** null: the picture is at rest */
  motion: Moving | null;
  marks: Map<number, Mark>;
  /** the rewrite of a stage that is shown; null: the stage as a whole */
  step: StepGraph | null;
  selected: ReadonlySet<number>;
  hovered: ReadonlySet<number>;
  /** cards on ways from and to the selection, the others are faint; null: none are traced */
  traced: ReadonlySet<number> | null;
  /** the lines between them that are meant; null: all */
  tracedLines: ReadonlySet<string> | null;
  byBuffer: boolean;
  /** by card, what it has of the last run's time; null: that is not shown */
  heat: ReadonlyMap<number, Warmth> | null;
  /** by card, to the picture beside it; null: there is none, and `marks` are shown */
  differences: ReadonlyMap<number, Difference> | null;
  ends: { line: number | null; reason: string }[];
}

/** Below this scale no text can be read: plain boxes are drawn. */
const FAR = 0.3;
/** Of what is not on the ways that are traced. */
const FAINT = 0.25;
/** The height of a frame's title, where a click closes it. */
export const TITLE = 26;

type Context = CanvasRenderingContext2D;

export function paintGraph(
  context: Context,
  scene: Scene,
  camera: Camera,
  theme: Theme,
  view: { width: number; height: number }
): void {
  context.clearRect(0, 0, view.width, view.height);
  context.save();
  context.translate(camera.x, camera.y);
  context.scale(camera.scale, camera.scale);
  const t = scene.motion?.t ?? 1;
  context.globalAlpha = Math.max(0, (t - 0.5) * 2);
  for (const frame of scene.drawn.frames) {
    if (camera.sees(frame, view)) {
      paintFrame(context, frame, theme, camera.scale);
    }
  }
  context.globalAlpha = 1;
  paintSegments(context, scene, theme, camera, view);
  const actors = new Map(scene.actors.map(actor => [actor.card.id, actor]));
  const far = camera.scale < FAR;
  if (far) {
    paintFarEdges(context, scene, actors, theme, camera, view);
  } else {
    paintEdges(context, scene, actors, camera, theme, view);
  }
  for (const actor of scene.actors) {
    if (!camera.sees(actor, view)) {
      continue;
    }
    const { id } = actor.card;
    const look: NodeLook = {
      theme,
      byBuffer: scene.byBuffer,
      scale: camera.scale,
      selected: scene.selected.has(id),
      hovered: scene.hovered.has(id),
      mark: t > 0.5 && !scene.differences ? scene.marks.get(id) : undefined,
      gone: hasGone(scene, id),
      operands: scene.drawn.operands.get(id)?.length ?? 0,
      warmth: scene.heat ? (scene.heat.get(id) ?? null) : undefined,
      difference: scene.differences?.get(id)
    };
    const strength = scene.traced && !scene.traced.has(id) ? FAINT : 1;
    if (!far) {
      paintNode(context, { ...actor, alpha: actor.alpha * strength }, look);
      continue;
    }
    context.globalAlpha = actor.alpha * strength;
    context.fillStyle =
      look.warmth === undefined ? colorOf(actor.card, look) : warmColor(theme, look.warmth);
    context.fillRect(actor.x - actor.w / 2, actor.y - actor.h / 2, actor.w, actor.h);
    if (look.selected || look.hovered || look.mark) {
      rings(context, actor, look);
    }
  }
  context.restore();
}

function hasGone({ step, motion, drawn }: Scene, card: number): boolean {
  return Boolean(step?.gone.has(card) || (motion?.gone.has(card) && !drawn.byId.has(card)));
}

// From afar: all edges in one stroke, straight.
function paintFarEdges(
  context: Context,
  scene: Scene,
  actors: Map<number, Actor>,
  theme: Theme,
  camera: Camera,
  view: { width: number; height: number }
): void {
  context.beginPath();
  for (const { src, dst } of scene.drawn.lines) {
    const from = actors.get(src);
    const to = actors.get(dst);
    if (from && to && (camera.sees(from, view) || camera.sees(to, view))) {
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    }
  }
  context.strokeStyle = theme.line;
  context.lineWidth = 0.7 / camera.scale;
  context.stroke();
}

function paintEdges(
  context: Context,
  scene: Scene,
  actors: Map<number, Actor>,
  camera: Camera,
  theme: Theme,
  view: { width: number; height: number }
): void {
  const { drawn, motion } = scene;
  const labelled = new Set<string>();
  const labels: { line: Line; points: Line['points'] }[] = [];
  const draw = (line: Line, home: Drawn, alpha: number) => {
    const src = actors.get(line.src);
    const dst = actors.get(line.dst);
    if (!src || !dst || alpha <= 0 || line.points.length < 2) {
      return;
    }
    if (
      !camera.sees(around([src, dst]), view) &&
      !line.points.some(at => inView(at, camera, view))
    ) {
      return;
    }
    const ends: Ends = {
      src,
      dst,
      srcHome: motion ? (home.byId.get(line.src) ?? src) : src,
      dstHome: motion ? (home.byId.get(line.dst) ?? dst) : dst
    };
    const points = route(line, ends);
    const { selected, hovered, traced, tracedLines } = scene;
    const near = [line.src, line.dst].some(id => selected.has(id) || hovered.has(id));
    const both = traced?.has(line.src) && traced.has(line.dst);
    const meant = tracedLines?.has(endsKey(line.src, line.dst)) ?? true;
    const lit = traced ? both === true && meant : near;
    const strength = Math.min(src.alpha, dst.alpha) * alpha * (traced && !lit ? FAINT : 1);
    const down = home.direction === 'down';
    const { step } = scene;
    const gone = step?.gone.has(line.dst) ?? false;
    const fresh = step?.fresh.has(edgeKey(line)) ?? false;
    const { scale } = camera;
    paintEdge(context, line, points, { theme, alpha: strength, lit, fresh, gone, scale, down });
    // One label for each value, not one for each of its readers.
    const value = `${line.src}.${line.out} ${line.label}`;
    if (camera.scale > 0.55 && line.label && !motion && !labelled.has(value)) {
      labelled.add(value);
      labels.push({ line, points });
    }
  };
  motion?.leaving.forEach(line => draw(line, motion.before, 1 - motion.t / 0.5));
  drawn.lines.forEach(line =>
    draw(line, drawn, motion?.entering.has(line) ? (motion.t - 0.4) / 0.6 : 1)
  );
  // The shape of a value says more than how many there are.
  labels.sort((a, b) => a.line.values - b.line.values);
  const taken: Box[] = scene.actors.filter(actor => camera.sees(actor, view)).map(boxOf);
  labels.forEach(({ line, points }) => paintEdgeLabel(context, line.label, points, theme, taken));
}

function inView([x, y]: [number, number], camera: Camera, view: Parameters<Camera['sees']>[1]) {
  return camera.sees({ x, y, w: 0, h: 0 }, view);
}

function paintFrame(context: Context, frame: Frame, theme: Theme, scale: number): void {
  const left = frame.x - frame.w / 2;
  const top = frame.y - frame.h / 2;
  roundRect(context, left, top, frame.w, frame.h, 12);
  context.fillStyle = theme.raised;
  context.fill();
  context.strokeStyle = theme.line;
  context.lineWidth = 1 / Math.max(scale, 0.5);
  context.stroke();
  if (scale > FAR) {
    const font = (context.font = `600 11px ${theme.uiFont}`);
    const title = fitText(context, `⊟ ${frame.label}`, frame.w - 20);
    write(context, title, left + 10, top + TITLE / 2 + 1, font, theme.muted);
  }
}

// A dashed line across the picture where one segment of the cell ends and the next begins.
function paintSegments(
  context: Context,
  scene: Scene,
  theme: Theme,
  camera: Camera,
  view: { width: number; height: number }
): void {
  const { cards, frames } = scene.drawn;
  const last = cards.reduce((most, card) => Math.max(most, card.segment), 0);
  if (last === 0 || scene.motion) {
    return;
  }
  const extent = (segment: number): Box | null => {
    const own = cards.filter(card => card.segment === segment);
    const groups = new Set(own.map(card => card.group));
    const boxes = [...own, ...frames.filter(f => groups.has(groupOfCard(f.id)))].map(boxOf);
    return boxes.length > 0 ? around(boxes) : null;
  };
  const left = camera.locate(0, 0).x;
  const right = camera.locate(view.width, 0).x;
  let above = extent(0);
  for (let segment = 1; segment <= last; segment++) {
    const below = extent(segment);
    if (!above || !below) {
      above = below ?? above;
      continue;
    }
    const y = (above.y + above.h / 2 + below.y - below.h / 2) / 2;
    if (above.y + above.h / 2 <= below.y - below.h / 2) {
      const cause = scene.ends[segment - 1];
      const where = cause?.line ? `line ${cause.line}: ` : '';
      context.save();
      context.setLineDash([8, 6]);
      context.strokeStyle = theme.faint;
      context.lineWidth = 1;
      strokeLine(context, left, y, right, y);
      context.setLineDash([]);
      if (camera.scale > 0.4) {
        const text = cause ? `${where}${cause.reason}` : 'the cell runs what is needed so far';
        const font = `italic 11px ${theme.uiFont}`;
        write(context, text, left + 10 / camera.scale, y - 9, font, theme.muted);
      }
      context.restore();
    }
    above = below;
  }
}
