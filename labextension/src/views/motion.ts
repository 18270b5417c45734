// A picture on its way to the next one, the camera with it.
import type { Camera } from './camera';
import type { GroupTree } from './group_tree';
import type { Moving } from './paint_graph';
import { counterpart } from './scenes';
import type { Shown } from './shown';
import { StageModel } from './stages';
import { DURATION_MS, Transition, type Actor } from './transition';

type View = Pick<Camera, 'scale' | 'x' | 'y'>;

export class Motion {
  private readonly transition: Transition;
  private readonly start = performance.now();
  private readonly from: View;

  /** `target`: where the camera goes; null: it stays. */
  constructor(
    private readonly before: Shown,
    after: Shown,
    tree: GroupTree,
    private readonly camera: Camera,
    private target: View | null
  ) {
    // A cell planned again has another model: what both pictures show is told by a common one.
    const same = before.model === after.model;
    const stages = [before.model.stages[before.stage], after.model.stages[after.stage]];
    const model = same ? after.model : new StageModel({ stages, groups: [] });
    const [from, to] = same ? [before.stage, after.stage] : [0, 1];
    this.transition = new Transition(
      before.drawn,
      after.drawn,
      id => counterpart(id, before.drawn, after.drawn, tree, node => model.follow(node, from, to)),
      id => counterpart(id, after.drawn, before.drawn, tree, node => model.follow(node, to, from))
    );
    this.from = { scale: camera.scale, x: camera.x, y: camera.y };
  }

  /** Where the camera goes; null: it stays. */
  get aim(): View | null {
    return this.target;
  }

  /** The room has changed meanwhile: the camera goes there instead. */
  aimAt(target: View): void {
    this.target = target;
  }

  /** Moves the camera; the picture at that time, null when the way is done. */
  at(now: number): { actors: Actor[]; moving: Moving } | null {
    const t = Math.min(1, (now - this.start) / DURATION_MS);
    if (this.target) {
      const s = t * t * (3 - 2 * t);
      for (const key of ['scale', 'x', 'y'] as const) {
        this.camera[key] = this.from[key] + (this.target[key] - this.from[key]) * s;
      }
    }
    if (t === 1) {
      return null;
    }
    const { linesBefore: leaving, entering } = this.transition;
    const { drawn, step } = this.before;
    return {
      actors: this.transition.at(t),
      moving: { before: drawn, leaving, entering, gone: step?.gone ?? new Set(), t }
    };
  }
}
