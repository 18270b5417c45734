// What the layout is asked and what it answers. Plain data: it travels to a worker and back.

/** A box to place, with its size in pixels. */
export interface LayoutBox {
  id: number;
  w: number;
  h: number;
  /** an input: drawn just above its first reader */
  late: boolean;
  /** the frame it stands in; null: none */
  frame: number | null;
}

/** A frame around boxes and other frames. */
export interface LayoutFrame {
  id: number;
  /** the frame around it */
  parent: number | null;
  /** least width, for its title */
  w: number;
}

/** Edges with the same `src` and `out` carry the same value and share a way. */
export interface LayoutEdge {
  src: number;
  dst: number;
  out: number;
}

export interface LayoutTask {
  boxes: LayoutBox[];
  frames: LayoutFrame[];
  edges: LayoutEdge[];
  direction: 'down' | 'right';
}

/**
 * The picture, in pixels. Two consecutive points of a line are either a run along the direction
 * (the same x for 'down') or a crossing within the gap between two layers.
 */
export interface Layout {
  width: number;
  height: number;
  /** centres, in the order of the task's boxes */
  centres: [number, number][];
  /** centre and size, in the order of the task's frames */
  frames: { x: number; y: number; w: number; h: number }[];
  /** a way for every edge, in the order of the task's edges; empty for unknown ends and loops */
  lines: [number, number][][];
  /** whether it is the cheap layout: no care for crossings, lines straight through other boxes */
  coarse: boolean;
}
