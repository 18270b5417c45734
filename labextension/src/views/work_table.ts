// The table under the timeline: what ran in the time that is shown, or in the part that is selected.
import type { Site } from '../frames';
import { h } from './dom';
import { offer } from './file';
import { plural, seconds } from './format';
import { familyColor } from './paint_timeline';
import type { SpanStore } from './span_store';
import { MERGED, workBetween, workCsv, type Range, type Work, type Worked } from './work';

const MOST = 12;
const TOGETHER =
  'Too many to be told one by one: their number and their time are known, not of which operator';
const HEADS = [
  ['operator', ''],
  ['count', 'How many ran; of one that an end of the time cuts, the part inside'],
  ['total', 'Time of its work, all lanes together'],
  ['mean', 'Time of one: total / count'],
  ['share', 'of all work in this time'],
  ['line', 'that pushed it'],
  ['', '']
];

export class WorkTable {
  readonly element = h('div.hyb-work', { hidden: true });
  private readonly rows = h('tbody');
  private readonly sum = h('p.hyb-note');
  private work: Worked | null = null;

  /** `go`: a row's line is to be shown. */
  constructor(private readonly go: (site: Site) => void) {
    const heads = HEADS.map(([text, title]) => h('th', { title: title || null }, text));
    this.element.append(
      h('table', {}, h('thead', {}, h('tr', {}, ...heads)), this.rows),
      h(
        'div.hyb-work-foot',
        {},
        this.sum,
        h(
          'button.hyb-tool',
          { type: 'button', title: 'Save all rows', onclick: () => this.save() },
          'csv'
        )
      )
    );
  }

  /** `selected`: the time is a part that a person chose. */
  show(store: SpanStore, range: Range, selected: boolean): void {
    this.work = workBetween(store, range);
    const { rows, busy } = this.work;
    this.rows.replaceChildren(...rows.slice(0, MOST).map(row => this.row(row, busy)));
    this.sum.textContent = footWords(this.work, range, selected, store.isModelled);
  }

  private save(): void {
    if (this.work) {
      offer(new Blob([workCsv(this.work)], { type: 'text/csv' }), 'timeline.csv');
    }
  }

  private row({ name, family, site, operators, busy }: Work, all: number): HTMLElement {
    const swatch = h('i.hyb-swatch', { 'aria-hidden': 'true' });
    swatch.style.background = name === null ? 'var(--hyb-muted)' : familyColor(family);
    return h(
      'tr',
      {},
      h('td', { title: name === null ? TOGETHER : null }, swatch, name ?? MERGED),
      h('td', {}, operators.toLocaleString('en', { maximumFractionDigits: 1 })),
      h('td', {}, seconds(busy / 1e3)),
      h('td', {}, operators > 0 ? seconds(busy / 1e3 / operators) : '–'),
      h('td', {}, all > 0 ? `${((100 * busy) / all).toFixed(1)} %` : '–'),
      h('td', {}, site && this.line(site)),
      h('td', { title: site?.code }, site?.code && h('code', {}, site.code))
    );
  }

  private line(site: Site): HTMLElement {
    const where = `${site.cell === null ? `${site.text}, ` : ''}line ${site.line ?? '?'}`;
    return h(
      'button.hyb-work-line',
      {
        type: 'button',
        title: 'Show the line',
        onclick: () => this.go(site)
      },
      where
    );
  }
}

function footWords(
  { rows, busy, cut, held, running, unrecorded }: Worked,
  range: Range,
  selected: boolean,
  modelled: boolean
): string {
  const length = seconds((range.end - range.start) / 1e3);
  const hidden = rows.length - MOST;
  const parts = [
    `${seconds(busy / 1e3)} of ${modelled ? "modelled work on devices' lanes" : 'work on all lanes'} in ${length} ${selected ? 'selected' : 'shown'}`,
    cut > 0 && `${plural(cut, 'operator')} cut by an end: the part inside counts`,
    held && 'time that slow motion held is no work: not counted',
    running > 0 && `${plural(running, 'operator')} still running: not counted`,
    unrecorded > 0 && `up to ${plural(unrecorded, 'operator')} not recorded`,
    hidden > 0 && `${plural(hidden, 'row')} more in the file`
  ];
  return parts.filter(Boolean).join(' · ');
}
