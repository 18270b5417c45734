// Units: loops that ran compiled, each as one body with the user's lines beside their instructions.
import type { Unit, UnitRow } from '../spec';
import { h } from './dom';

export class UnitsView {
  readonly element: HTMLElement;
  private readonly rows: { element: HTMLElement; line: number }[] = [];

  /** `open`: the bodies are shown at once; `chosen`: the person has clicked a line of the cell. */
  constructor(
    units: Unit[],
    open: boolean,
    private readonly chosen: (line: number) => void
  ) {
    this.element = h('div.hyb-units', {}, ...units.map(unit => this.unit(unit, open)));
    this.element.hidden = units.length === 0;
  }

  /** Points at a line of the cell (null: at none). */
  highlightLine(line: number | null): void {
    for (const row of this.rows) {
      row.element.classList.toggle('hyb-hovered', row.line === line);
    }
  }

  private unit(unit: Unit, open: boolean): HTMLElement {
    const heading = h('span.hyb-unit-title', {}, unit.title);
    const body = h('div.hyb-unit-body', { role: 'list' }, ...unit.rows.map(row => this.row(row)));
    const types = unit.variables.map(([name, kinds]) => chip(name, kinds));
    const guards = unit.guards.map(guard => {
      const [, name, words] = /^(\w+): (.*)$/.exec(guard) ?? [];
      return name ? chip(name, words) : h('span', {}, guard);
    });
    return h(
      'details.hyb-unit',
      { open, 'data-compiled': String(unit.compiled) },
      h('summary', {}, heading, h('span.hyb-unit-text', {}, unit.text)),
      body,
      unit.compiled &&
        h(
          'dl',
          {},
          ...(types.length > 0 ? [h('dt', {}, 'Variables'), h('dd', {}, ...types)] : []),
          ...(guards.length > 0
            ? [h('dt', {}, 'Checked when it begins'), h('dd', {}, ...guards)]
            : [])
        )
    );
  }

  private row(row: UnitRow): HTMLElement {
    const instructions = row.versions.flatMap(({ kinds, instructions }) => [
      kinds && h('em', {}, kinds),
      ...instructions.map(text => h('code', {}, text))
    ]);
    // An older file has them as one text.
    const why = row.reasons.length > 0 ? row.reasons.map(reason => reason.text) : [row.refused];
    const place = row.of ? `${row.of}() ${row.line}` : String(row.line);
    const element = h(
      'div.hyb-unit-row',
      { role: 'listitem', onclick: () => row.own && this.chosen(row.line) },
      h('span.hyb-lineno', {}, place),
      h('code.hyb-unit-line', {}, row.code),
      h('div.hyb-unit-code', {}, ...why.map(text => text && h('strong', {}, text)), ...instructions)
    );
    element.classList.toggle('hyb-refused', row.refused !== '');
    element.classList.toggle('hyb-linked', row.own);
    if (row.own) {
      this.rows.push({ element, line: row.line });
    }
    return element;
  }
}

function chip(name: string, text: string): HTMLElement {
  return h('span.hyb-typed', {}, h('code', {}, name), text);
}
