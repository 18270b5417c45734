// The theme's colours as the canvas needs them, read from the style sheet; tells when they change.

export interface Theme {
  dark: boolean;
  /** the theme, or the person's system, asks for strong contrast */
  strong: boolean;
  background: string;
  raised: string;
  text: string;
  muted: string;
  faint: string;
  line: string;
  accent: string;
  change: string;
  uiFont: string;
  codeFont: string;
}

export function readTheme(element: Element): Theme {
  const style = getComputedStyle(element);
  const read = (name: string, fallback: string) => style.getPropertyValue(name).trim() || fallback;
  const background = read('--hyb-bg', '#ffffff');
  return {
    dark: luminance(background) < 0.4,
    strong: read('--hyb-strong', '0') === '1',
    background,
    raised: read('--hyb-raised', '#f7f7f7'),
    text: read('--hyb-text', '#1f2328'),
    muted: read('--hyb-muted', '#57606a'),
    faint: read('--hyb-faint', '#8c959f'),
    line: read('--hyb-line', '#d0d7de'),
    accent: read('--hyb-accent', '#1976d2'),
    change: read('--hyb-change', '#d97706'),
    uiFont: read('--hyb-ui-font', 'system-ui, sans-serif'),
    codeFont: read('--hyb-code-font', 'monospace')
  };
}

/** Calls back when the page's theme may have changed; returns the function that stops it. */
export function watchTheme(changed: () => void): () => void {
  let late: ReturnType<typeof setTimeout> | undefined;
  const notify = () => {
    changed();
    // JupyterLab marks the page before the new sheet is in force.
    clearTimeout(late);
    late = setTimeout(changed, 400);
  };
  const observer = new MutationObserver(notify);
  const attributeFilter = [
    'class',
    'data-jp-theme-light',
    'data-jp-theme-name',
    'data-vscode-theme-kind',
    'data-theme'
  ];
  observer.observe(document.body, { attributes: true, attributeFilter });
  observer.observe(document.documentElement, { attributes: true, attributeFilter });
  const media = matchMedia('(prefers-color-scheme: dark)');
  media.addEventListener('change', notify);
  return () => {
    clearTimeout(late);
    observer.disconnect();
    media.removeEventListener('change', notify);
  };
}

/** `amount` of `color` over `base`: 0 gives base, 1 gives color. */
export function mix(base: string, color: string, amount: number): string {
  const a = rgb(base);
  const b = rgb(color);
  const c = a.map((v, i) => Math.round(v + (b[i] - v) * amount));
  return `rgb(${c[0]}, ${c[1]}, ${c[2]})`;
}

export function luminance(color: string): number {
  const [r, g, b] = rgb(color).map(v => v / 255);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever reads better on `color`. */
export function onColor(color: string): string {
  return luminance(color) > 0.55 ? '#1a1a1a' : '#ffffff';
}

const known = new Map<string, number[]>();

function rgb(color: string): number[] {
  let value = known.get(color);
  if (!value) {
    value = parseRgb(color);
    known.set(color, value);
  }
  return value;
}

// The browser reads every notation: hex, rgb(), names, color-mix().
function parseRgb(color: string): number[] {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) {
    return [128, 128, 128];
  }
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return Array.from(context.getImageData(0, 0, 1, 1).data.slice(0, 3));
}
