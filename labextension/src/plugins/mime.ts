// Renders our graph outputs, with or without a kernel.
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { gzipped, unpacked } from '../gzip';
import { GRAPH_MIME, parseSpec } from '../protocol';
import { faultNotice } from '../views/fault';
import { viewerOf } from '../views/viewer';
import type { Message } from '@lumino/messaging';
import type { Links } from './links';
import type { Shown, Viewers } from './viewers';

export class RenderedGraph extends Widget implements IRenderMime.IRenderer {
  private entry: Shown | null = null;
  /** counts what it was given: what takes long to unpack may come too late */
  private given = 0;

  constructor(
    private readonly viewers: Viewers,
    private readonly links: Links,
    private readonly switching: (entry: Shown) => string | null
  ) {
    super();
    this.addClass('hyb-output');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const given = ++this.given;
    try {
      const data = model.data[GRAPH_MIME];
      const text = gzipped(data);
      const whole: unknown = text ? await unpacked(text) : data;
      if (given === this.given && !this.isDisposed) {
        this.draw(whole);
      }
    } catch (error) {
      this.clear();
      this.node.replaceChildren(faultNotice('The graph', error));
    }
  }

  private draw(data: unknown): void {
    const spec = parseSpec(data);
    const planned = this.viewers.planOf(spec.id);
    if (this.entry?.spec.id === spec.id) {
      // the same picture with a figure that came later
      this.entry.spec = spec;
      this.entry.viewer.replan(planned ?? spec);
      return;
    }
    this.clear();
    const state = this.viewers.stateOf(spec.id);
    const viewer = viewerOf(
      planned ?? spec,
      {
        change: changed => this.entry && this.viewers.userChange(this.entry, changed),
        code: (lines, focus) => this.entry && this.links.showCode(this.entry, lines, focus),
        pointed: ids => this.entry && this.viewers.userPoint(this.entry, ids),
        switched: (name, kept) => this.entry && this.viewers.userSwitch(this.entry, name, kept),
        run: request => this.entry && this.viewers.userRun(this.entry, request)
      },
      state
    );
    this.entry = { owner: this, spec, viewer };
    this.viewers.add(this.entry);
    this.tellSwitching();
    this.node.replaceChildren(viewer.element);
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.tellSwitching();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.clear();
      super.dispose();
    }
  }

  private tellSwitching(): void {
    this.entry?.viewer.setSwitching(this.switching(this.entry));
  }

  private clear(): void {
    if (this.entry) {
      this.viewers.remove(this.entry);
      this.entry.viewer.dispose();
      this.entry = null;
    }
  }
}

export function graphRendererFactory(
  viewers: Viewers,
  links: Links,
  switching: (entry: Shown) => string | null
): IRenderMime.IRendererFactory {
  return {
    safe: true, // draws text and shapes only, whatever the data
    mimeTypes: [GRAPH_MIME],
    defaultRank: -100,
    createRenderer: () => new RenderedGraph(viewers, links, switching)
  };
}
