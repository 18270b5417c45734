// Says in words why a picture cannot be drawn.
import { visibleCode } from '../visible';
import { h } from './dom';

export function faultNotice(what: string, error: unknown): HTMLElement {
  const reason = error instanceof Error ? error.message : String(error);
  return h(
    'div.hyb-root.hyb-viewer',
    {},
    h('p.hyb-error', { role: 'alert' }, visibleCode(`${what} cannot be shown. ${reason}`))
  );
}
