// The buttons on the picture: zoom, levels of detail, parameters, direction.
import { h } from './dom';

export interface GraphTools {
  zoom: (factor: number) => void;
  fit: () => void;
  search: () => void;
  /** lights what the selection depends on and what depends on it */
  trace: (on: boolean) => void;
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

export function graphTools(tools: GraphTools, offers: Offers): HTMLElement {
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
  return h(
    'div.hyb-tools',
    {},
    offers.groups && button('⊟', 'Close the innermost groups', () => tools.level(false)),
    offers.groups && button('⊞', 'Open the closed groups', () => tools.level(true)),
    offers.parameters &&
      toggle('params', 'Show parameters as cards of their own', !offers.folding, on =>
        tools.fold(!on)
      ),
    toggle('ways', 'Light what the chosen node depends on, and what on it', false, on =>
      tools.trace(on)
    ),
    toggle('⇥', 'From left to right', false, on => tools.turn(on)),
    button('find', 'Find a node (Ctrl+F)', () => tools.search()),
    button('png', 'Save the whole picture as an image', () => tools.save()),
    button('+', 'Zoom in', () => tools.zoom(1.25)),
    button('−', 'Zoom out', () => tools.zoom(0.8)),
    button('fit', 'Show the whole graph', () => tools.fit())
  );
}
