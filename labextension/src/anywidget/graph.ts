// The anywidget module of Python's GraphViewer: traits spec, stage, selected.
import { parseSpec } from '../protocol';
import { faultNotice } from '../views/fault';
import type { ViewerState } from '../views/graph_viewer';
import { injectStyles } from '../views/styles';
import { viewerOf, type Viewer } from '../views/viewer';
import css from '../views/views.css';

/** The part of anywidget's model that is used here. */
interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(name: string, callback: (content?: unknown) => void): void;
  off(name: string, callback: (content?: unknown) => void): void;
  send(content: unknown): void;
}

function stateOf(model: Model): ViewerState {
  const stage = model.get('stage');
  const selected = model.get('selected');
  return {
    stage: typeof stage === 'number' ? stage : 0,
    selected: Array.isArray(selected) ? selected.filter(id => typeof id === 'number') : []
  };
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  let viewer: Viewer | null = null;
  const draw = () => {
    viewer?.dispose();
    viewer = null;
    try {
      const change = (state: ViewerState) => {
        model.set('stage', state.stage);
        model.set('selected', state.selected);
        model.save_changes();
      };
      const switched = (name: string, kept: string[]) => model.send({ type: 'switch', name, kept });
      const spec = parseSpec(model.get('spec'));
      viewer = viewerOf(spec, { change, switched }, stateOf(model));
      el.replaceChildren(viewer.element);
    } catch (error) {
      el.replaceChildren(faultNotice('The graph', error));
    }
    injectStyles(el, css);
  };
  const planned = () => {
    try {
      const spec = parseSpec(model.get('spec'));
      if (viewer && spec.id === viewer.element.dataset.spec) {
        viewer.replan(spec);
        return;
      }
    } catch {
      // drawn as the fault that it is
    }
    draw();
  };
  const heard = (content?: unknown) => {
    const { type, why } = Object(content) as { type?: unknown; why?: unknown };
    if (type === 'refused') {
      viewer?.setSwitching(String(why));
    }
  };
  const update = () => viewer?.setState(stateOf(model));
  draw();
  model.on('change:spec', planned);
  model.on('msg:custom', heard);
  model.on('change:stage', update);
  model.on('change:selected', update);
  return () => {
    model.off('change:spec', planned);
    model.off('msg:custom', heard);
    model.off('change:stage', update);
    model.off('change:selected', update);
    viewer?.dispose();
  };
}

/** Puts the viewer of a saved page in the place of its still picture. */
export function show(data: unknown, el: HTMLElement): void {
  const { element } = viewerOf(parseSpec(data), {});
  el.replaceChildren(element);
  injectStyles(el, css);
}

export default { render };
