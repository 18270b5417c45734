// The table under the timeline: what ran in the time that is shown.
import type { Site } from '../frames';
import type { Window } from './aggregate';
import { h } from './dom';
import { offer } from './file';
import { plural, seconds } from './format';
import type { SpanStore } from './span_store';
import { workBetween, workCsv, type Work } from './work';

const MOST = 12;

export class WorkTable {
  readonly element = h('div.hyb-work', { hidden: true });
  private readonly rows = h('tbody');
  private readonly sum = h('p.hyb-note');
  private work: Work[] = [];

  /** `go`: a row was clicked, whose line is to be shown. */
  constructor(private readonly go: (site: Site) => void) {
    const heads = ['operator', 'count', 'time', 'line'].map(text => h('th', {}, text));
    const save = () => offer(new Blob([workCsv(this.work)], { type: 'text/csv' }), 'timeline.csv');
    this.element.append(
      h('table', {}, h('thead', {}, h('tr', {}, ...heads)), this.rows),
      h(
        'div.hyb-work-foot',
        {},
        this.sum,
        h('button.hyb-tool', { type: 'button', title: 'Save all rows', onclick: save }, 'csv')
      )
    );
  }

  show(store: SpanStore, window: Window): void {
    this.work = workBetween(store, window.start, window.end);
    const total = this.work.reduce((sum, row) => sum + row.busy, 0);
    this.rows.replaceChildren(...this.work.slice(0, MOST).map(row => this.row(row)));
    const rest = this.work.length - MOST;
    const more = rest > 0 ? `, ${plural(rest, 'row')} more in the file` : '';
    const length = seconds((window.end - window.start) / 1e3);
    this.sum.textContent = `${seconds(total / 1e3)} of work on all lanes in ${length}${more}`;
  }

  private row({ name, site, operators, busy }: Work): HTMLElement {
    const where = site
      ? `${site.cell === null ? `${site.text}, ` : ''}line ${site.line ?? '?'}`
      : '';
    return h(
      'tr',
      site ? { onclick: () => this.go(site), title: 'Show the line' } : {},
      h('td', {}, name || 'merged, of several kinds'),
      h('td', {}, operators.toLocaleString('en')),
      h('td', {}, seconds(busy / 1e3)),
      h('td', {}, where, site?.code && h('code', {}, ` ${site.code}`))
    );
  }
}
