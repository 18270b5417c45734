// The anywidget module of Python's GraphViewer: traits stage, selected; the spec comes on request.
import { parseSpec } from '../protocol';
import { parseStageRan } from '../stage_ran';
import { faultNotice } from '../views/fault';
import type { RunRequest, ViewerState } from '../views/graph_viewer';
import { injectStyles } from '../views/styles';
import { viewerOf, type Viewer } from '../views/viewer';
import chromeCss from '../views/chrome.css';
import memoryCss from '../views/memory.css';
import viewsCss from '../views/views.css';

const css = viewsCss + chromeCss + memoryCss;

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
  const draw = (data: unknown) => {
    try {
      const spec = parseSpec(data);
      if (viewer && spec.id === viewer.element.dataset.spec) {
        viewer.replan(spec);
        return;
      }
      viewer?.dispose();
      viewer = null;
      const change = (state: ViewerState) => {
        model.set('stage', state.stage);
        model.set('selected', state.selected);
        model.save_changes();
      };
      const switched = (name: string, kept: string[]) => model.send({ type: 'switch', name, kept });
      const run = (wish: RunRequest) => model.send({ type: 'run_stage', ...wish });
      viewer = viewerOf(spec, { change, switched, run }, stateOf(model));
      el.replaceChildren(viewer.element);
    } catch (error) {
      viewer?.dispose();
      viewer = null;
      el.replaceChildren(faultNotice('The graph', error));
    }
    injectStyles(el, css);
  };
  const heard = (content?: unknown) => {
    const { type, why, spec } = Object(content) as Record<string, unknown>;
    if (type === 'spec') {
      draw(spec);
    } else if (type === 'gone' && !viewer) {
      el.textContent = String(why); // a viewer that has drawn it goes on
    } else if (type === 'refused') {
      viewer?.setSwitching(String(why));
    } else if (type === 'stage_ran') {
      viewer?.ran(parseStageRan(content));
    }
  };
  const update = () => viewer?.setState(stateOf(model));
  el.textContent = 'The picture comes when the kernel is free.';
  model.on('msg:custom', heard);
  model.on('change:stage', update);
  model.on('change:selected', update);
  model.send({ type: 'ask' });
  return () => {
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
