// The distances of a picture, in pixels.

/** between neighbouring boxes of a layer */
export const GAP_X = 28;
/** beside a bend or a port */
export const GAP_BEND = 10;
/** the room a line takes in a layer */
export const BEND_WIDTH = 6;
/** between two layers */
export const GAP_Y = 46;
/** between a frame's ports and the nearest layer, and where lines turn round outside all layers */
export const GAP_PORT = 24;
/** around the picture */
export const MARGIN = 24;
/** inside a frame, at the sides and the bottom */
export const FRAME_MARGIN = 14;
/** inside a frame, above, where its title stands */
export const FRAME_TITLE = 30;
/** how much nearer than its gap a line may come to a neighbour, if that makes it straight */
export const STRAIGHT = 3;
/** the bends of one picture: past them, edges are drawn straight (memory stays bounded) */
export const MOST_BENDS = 400_000;
