// The lines of the cell with the bytes that they hold.
import type { Memory } from '../spec';
import { h } from './dom';
import { bytes } from './format';
import { bytesByLine, type LineBytes } from './line_bytes';

const MOST = 200;
type Column = 'line' | 'atPeak' | 'started';

const HEADS: [Column, string, string][] = [
  ['line', 'line', ''],
  ['atPeak', 'alive at the peak', 'Bytes of its values when the most bytes are alive'],
  ['started', 'allocated', 'Bytes of the buffers whose first value it computes']
];

export interface LineTableEvents {
  hoverNodes: (ids: number[]) => void;
  selectNodes: (ids: number[]) => void;
}

export class LineTable {
  readonly element: HTMLElement;
  private readonly rows: LineBytes[];
  private readonly body = h('tbody');
  private readonly heads = new Map<Column, HTMLElement>();
  private sorted: Column = 'atPeak';
  private down = true;

  constructor(
    memory: Memory,
    peak: number,
    private readonly lines: string[],
    private readonly events: LineTableEvents
  ) {
    this.rows = bytesByLine(memory, peak);
    for (const [column, label, title] of HEADS) {
      const button = h(
        'button',
        { type: 'button', title: title || null, onclick: () => this.sort(column) },
        label
      );
      this.heads.set(column, h('th', { scope: 'col' }, button));
    }
    const [line, ...figures] = [...this.heads.values()];
    const head = h('tr', {}, line, h('th', { scope: 'col' }, 'code'), ...figures);
    this.element = h(
      'section.hyb-figures.hyb-by-line',
      { 'aria-label': 'Bytes by line', hidden: this.rows.length === 0 },
      h('h4', {}, 'By line'),
      h('table', {}, h('thead', {}, head), this.body),
      h('p.hyb-note', {}, 'Gradients count at the line that they are gradients of.')
    );
    this.fill();
  }

  private sort(column: Column): void {
    this.down = column === this.sorted ? !this.down : column !== 'line';
    this.sorted = column;
    this.fill();
  }

  private fill(): void {
    const sign = this.down ? -1 : 1;
    const rows = [...this.rows].sort(
      (a, b) => sign * (a[this.sorted] - b[this.sorted]) || a.line - b.line
    );
    for (const [column, head] of this.heads) {
      const order = this.down ? 'descending' : 'ascending';
      head.setAttribute('aria-sort', column === this.sorted ? order : 'none');
    }
    this.body.replaceChildren(...rows.slice(0, MOST).map(row => this.row(row)));
  }

  private row({ line, atPeak, started, nodes }: LineBytes): HTMLElement {
    const select = () => this.events.selectNodes(nodes);
    return h(
      'tr',
      {
        title: 'Show the line and its nodes',
        onclick: select,
        onpointerenter: () => this.events.hoverNodes(nodes),
        onpointerleave: () => this.events.hoverNodes([])
      },
      h('td', {}, h('button', { type: 'button', 'aria-label': `Show line ${line}` }, String(line))),
      h('td', {}, h('code', {}, this.lines[line - 1]?.trim() ?? '')),
      h('td', {}, bytes(atPeak)),
      h('td', {}, bytes(started))
    );
  }
}
