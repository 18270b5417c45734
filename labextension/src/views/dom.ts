// Makes DOM elements; text is always set as text, for names and labels are untrusted.

type Child = globalThis.Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | null | undefined | ((e: never) => void)>;

/** `h('button.hyb-x', {title: 'go', onclick: f}, 'text')` */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K | `${K}.${string}`,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name) as HTMLElementTagNameMap[K];
  if (classes.length > 0) {
    element.classList.add(...classes);
  }
  for (const [key, value] of Object.entries(props)) {
    if (typeof value === 'function') {
      element.addEventListener(key.slice(2), value as EventListener);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(key, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((c): c is globalThis.Node | string => Boolean(c)));
  return element;
}

/**
 * Keeps keys pressed in `element` from JupyterLab's shortcuts, which act on the notebook. Their
 * selectors end in `:focus`: the mark must stand on the focused element itself.
 */
export function keepKeys(element: HTMLElement): void {
  element.addEventListener('focusin', ({ target }) => {
    (target as HTMLElement).setAttribute('data-lm-suppress-shortcuts', 'true');
  });
}

let counter = 0;

/** An id that no other element of the page has. */
export function uniqueId(prefix: string): string {
  counter += 1;
  return `hyb-${prefix}-${counter}`;
}
