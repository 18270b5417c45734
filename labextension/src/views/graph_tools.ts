// The buttons on the picture: zoom, levels of detail, parameters, direction.
import { h } from './dom';

export interface GraphTools {
  zoom: (factor: number) => void;
  fit: () => void;
  search: () => void;
  /** lights what the selection depends on and what depends on it */
  trace: (on: boolean) => void;
  /** lights the critical path */
  path: (on: boolean) => void;
  /** to what was chosen before or after */
  go: (delta: number) => void;
  save: () => void;
  /** opens all closed groups that are seen, or closes the innermost ones */
  level: (deeper: boolean) => void;
  fold: (folding: boolean) => void;
  turn: (right: boolean) => void;
}

/** Which of the buttons make sense for a picture. */
export interface Offers {
  groups: boolean;
  parameters: boolean;
  folding: boolean;
}

export interface ToolBar {
  element: HTMLElement;
  /** whether something was chosen before and after what is chosen now */
  setTrail: (back: boolean, forward: boolean) => void;
}

export function graphTools(tools: GraphTools, offers: Offers): ToolBar {
  const button = (text: string, title: string, onclick: () => void) =>
    h('button.hyb-tool', { type: 'button', title, 'aria-label': title, onclick }, text);
  const toggle = (text: string, title: string, on: boolean, set: (on: boolean) => void) => {
    const element = button(text, title, () => {
      on = !on;
      element.setAttribute('aria-pressed', String(on));
      set(on);
    });
    element.setAttribute('aria-pressed', String(on));
    return element;
  };
  const back = button('‹', 'To what was chosen before (Alt+Left)', () => tools.go(-1));
  const forward = button('›', 'To what was chosen after that (Alt+Right)', () => tools.go(1));
  const setTrail = (before: boolean, after: boolean) => {
    back.disabled = !before;
    forward.disabled = !after;
  };
  setTrail(false, false);
  const element = h(
    'div.hyb-tools',
    {},
    back,
    forward,
    offers.groups && button('⊟', 'Close the innermost groups', () => tools.level(false)),
    offers.groups && button('⊞', 'Open the closed groups', () => tools.level(true)),
    offers.parameters &&
      toggle('params', 'Show parameters as cards of their own', !offers.folding, on =>
        tools.fold(!on)
      ),
    toggle('ways', 'Light what the chosen node depends on, and what on it', false, on =>
      tools.trace(on)
    ),
    toggle('path', 'Light the critical path: the longest chain of waits', false, on =>
      tools.path(on)
    ),
    toggle('⇥', 'From left to right', false, on => tools.turn(on)),
    button('find', 'Find a node (Ctrl+F)', () => tools.search()),
    button('png', 'Save the whole picture as an image', () => tools.save()),
    button('+', 'Zoom in', () => tools.zoom(1.25)),
    button('−', 'Zoom out', () => tools.zoom(0.8)),
    button('fit', 'Show the whole graph', () => tools.fit()),
    document.fullscreenEnabled && button('full', 'Full screen, and back', () => fullScreen(element))
  );
  return { element, setTrail };
}

function fullScreen(inside: HTMLElement): void {
  void (document.fullscreenElement
    ? document.exitFullscreen()
    : inside.closest('.hyb-viewer')?.requestFullscreen());
}
