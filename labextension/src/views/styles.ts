// Puts the views' style sheet into a page or a shadow root, once.

const MARK = 'data-jupyter-hybrid';

export function injectStyles(element: Element, css: string): void {
  const root = element.getRootNode();
  const home = root instanceof ShadowRoot ? root : document.head;
  if (!home.querySelector(`style[${MARK}]`)) {
    const style = document.createElement('style');
    style.setAttribute(MARK, '');
    style.textContent = css;
    home.append(style);
  }
}
