// Draws a whole graph scene: groups, segments, edges, nodes; only what the camera sees.
import type { Edge, Graph } from '../spec';
import type { Camera } from './camera';
import { paintEdge, paintEdgeLabel, route, type Ends } from './paint_edge';
import { nodeColor, paintNode, rings, type NodeLook } from './paint_node';
import { roundRect, strokeLine, write } from './paint_text';
import type { Mark } from './stages';
import type { Theme } from './theme';
import { around, boxOf, type Actor, type Box } from './transition';

export interface Scene {
  graph: Graph;
  actors: Actor[];
  /** homes of nodes by id, in the stage shown (or, for edges that leave, in the one before) */
  homes: Map<number, Box>;
  homesBefore: Map<number, Box>;
  edges: Edge[];
  edgesLeaving: Edge[];
  entering: Set<Edge>;
  /** progress of the transition, 1 when at rest */
  t: number;
  marks: Map<number, Mark>;
  selected: Set<number>;
  hovered: Set<number>;
  byBuffer: boolean;
  ends: { line: number | null; reason: string }[];
}

/** Below this scale no text can be read: plain boxes are drawn. */
const FAR = 0.3;

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
  paintGroups(context, scene, theme, camera.scale);
  paintSegments(context, scene, theme, camera, view);
  const actors = new Map(scene.actors.map(actor => [actor.node.id, actor]));
  const far = camera.scale < FAR;
  if (far) {
    paintFarEdges(context, scene, actors, theme, camera.scale);
  } else {
    paintEdges(context, scene, actors, camera, theme, view);
  }
  for (const actor of scene.actors) {
    if (!camera.sees(actor, view)) {
      continue;
    }
    const { id } = actor.node;
    const look: NodeLook = {
      theme,
      byBuffer: scene.byBuffer,
      scale: camera.scale,
      selected: scene.selected.has(id),
      hovered: scene.hovered.has(id),
      mark: scene.t > 0.5 ? scene.marks.get(id) : undefined
    };
    if (!far) {
      paintNode(context, actor, look);
      continue;
    }
    context.globalAlpha = actor.alpha;
    context.fillStyle = nodeColor(actor.node, look.byBuffer);
    context.fillRect(actor.x - actor.w / 2, actor.y - actor.h / 2, actor.w, actor.h);
    if (look.selected || look.hovered || look.mark) {
      rings(context, actor, look);
    }
  }
  context.restore();
}

// From afar: all edges in one stroke, straight.
function paintFarEdges(
  context: Context,
  scene: Scene,
  actors: Map<number, Actor>,
  theme: Theme,
  scale: number
): void {
  context.beginPath();
  for (const edge of scene.edges) {
    const src = actors.get(edge.src);
    const dst = actors.get(edge.dst);
    if (src && dst) {
      context.moveTo(src.x, src.y);
      context.lineTo(dst.x, dst.y);
    }
  }
  context.strokeStyle = theme.line;
  context.lineWidth = 0.7 / scale;
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
  const labelled = new Set<string>();
  const labels: [string, [number, number][]][] = [];
  const draw = (edge: Edge, homes: Map<number, Box>, alpha: number) => {
    const src = actors.get(edge.src);
    const dst = actors.get(edge.dst);
    if (!src || !dst || alpha <= 0) {
      return;
    }
    if (!camera.sees(around([src, dst]), view)) {
      return;
    }
    const ends: Ends = {
      src,
      dst,
      srcHome: homes.get(edge.src) ?? src,
      dstHome: homes.get(edge.dst) ?? dst
    };
    const points = route(edge, ends);
    const lit = [edge.src, edge.dst].some(id => scene.selected.has(id) || scene.hovered.has(id));
    const strength = Math.min(src.alpha, dst.alpha) * alpha;
    paintEdge(context, edge, points, { theme, alpha: strength, lit, scale: camera.scale });
    // One label for each value, not one for each of its readers.
    const value = `${edge.src}.${edge.out}`;
    if (camera.scale > 0.55 && edge.label && scene.t === 1 && !labelled.has(value)) {
      labelled.add(value);
      labels.push([edge.label, points]);
    }
  };
  scene.edgesLeaving.forEach(edge => draw(edge, scene.homesBefore, 1 - scene.t / 0.5));
  scene.edges.forEach(edge =>
    draw(edge, scene.homes, scene.entering.has(edge) ? (scene.t - 0.4) / 0.6 : 1)
  );
  labels.forEach(([text, points]) => paintEdgeLabel(context, text, points, theme));
}

function paintGroups(context: Context, scene: Scene, theme: Theme, scale: number): void {
  const boxes = new Map(scene.actors.map(actor => [actor.node.id, actor as Box]));
  context.save();
  context.globalAlpha *= Math.max(0, (scene.t - 0.5) * 2);
  for (const group of scene.graph.groups) {
    const inside = group.nodes.flatMap(id => boxes.get(id) ?? []);
    if (inside.length === 0) {
      continue;
    }
    const box = around(inside);
    const left = box.x - box.w / 2 - 14;
    const top = box.y - box.h / 2 - 24;
    roundRect(context, left, top, box.w + 28, box.h + 38, 12);
    context.fillStyle = theme.raised;
    context.fill();
    context.strokeStyle = theme.line;
    context.lineWidth = 1 / Math.max(scale, 0.5);
    context.stroke();
    if (scale > 0.3) {
      const font = `600 11px ${theme.uiFont}`;
      write(context, group.label, left + 12, top + 12, font, theme.muted);
    }
  }
  context.restore();
}

// A dashed line across the picture where one segment of the cell ends and the next begins.
function paintSegments(
  context: Context,
  scene: Scene,
  theme: Theme,
  camera: Camera,
  view: { width: number; height: number }
): void {
  const nodes = scene.graph.nodes;
  const last = Math.max(0, ...nodes.map(node => node.segment));
  if (last === 0 || scene.t < 1) {
    return;
  }
  const left = camera.locate(0, 0).x;
  const right = camera.locate(view.width, 0).x;
  for (let segment = 1; segment <= last; segment++) {
    const above = nodes.filter(n => n.segment < segment).map(n => boxOf(n).y + n.h / 2);
    const below = nodes.filter(n => n.segment >= segment).map(n => boxOf(n).y - n.h / 2);
    if (above.length === 0 || below.length === 0 || Math.max(...above) > Math.min(...below)) {
      continue;
    }
    const y = (Math.max(...above) + Math.min(...below)) / 2;
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
      const font = `italic 10.5px ${theme.uiFont}`;
      write(context, text, left + 10 / camera.scale, y - 9, font, theme.muted);
    }
    context.restore();
  }
}
