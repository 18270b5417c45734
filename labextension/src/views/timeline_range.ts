// The time that the table is about: what is in sight, or a part of it that a person selects.
import type { Site } from '../frames';
import type { Window } from './aggregate';
import { Brush } from './brush';
import type { SpanStore } from './span_store';
import type { Theme } from './theme';
import { tool } from './timeline_tools';
import type { Range } from './work';
import { WorkTable } from './work_table';

export interface RangeEvents {
  store: () => SpanStore;
  view: () => Window;
  /** a selection begins: what is selected must not run away */
  hold: () => void;
  /** this time alone is to be in sight */
  zoom: (range: Range) => void;
  /** the picture has to be drawn anew */
  draw: () => void;
  /** the keyboard goes back to the picture */
  left: () => void;
  /** a line is to be shown */
  site: (site: Site) => void;
}

export class TimelineRange {
  private readonly table: WorkTable;
  private readonly brush: Brush;
  private readonly tableButton = tool(
    'table',
    'What ran in the time that is shown or selected, by operator and line',
    () => this.showTable(this.table.element.hidden),
    { 'aria-pressed': 'false' }
  );
  private readonly selectButton = tool(
    'select',
    'Select a part of the time: drag over it (with Shift always), or move its ends with the arrow keys',
    event => this.toggleSelecting(event),
    { 'aria-pressed': 'false' }
  );
  readonly buttons = [this.selectButton, this.tableButton];
  /** to lie over the plot, and to stand under it */
  readonly handles: HTMLElement[];
  readonly elements: HTMLElement[];

  constructor(private readonly events: RangeEvents) {
    this.table = new WorkTable(events.site);
    this.brush = new Brush({ ...events, changed: () => this.changed() });
    this.handles = this.brush.handles;
    this.elements = [this.brush.element, this.table.element];
  }

  /** Does every drag select time, also without Shift? */
  get selecting(): boolean {
    return this.selectButton.getAttribute('aria-pressed') === 'true';
  }

  /** Selects the time between two pixels; null: none. */
  select(pixels: { from: number; to: number } | null): void {
    if (!pixels) {
      this.clear();
      return;
    }
    this.events.hold();
    this.brush.drag(pixels.from, pixels.to);
  }

  /** Selects nothing any more; tells whether something was. */
  clear(): boolean {
    return this.brush.clear();
  }

  paint(context: CanvasRenderingContext2D, theme: Theme, height: number): void {
    this.brush.paint(context, this.events.view(), theme, height);
  }

  /** Fills the table anew, where it is shown. */
  words(): void {
    if (!this.table.element.hidden) {
      const { range } = this.brush;
      this.table.show(this.events.store(), range ?? this.events.view(), range !== null);
    }
  }

  private showTable(on: boolean): void {
    this.table.element.hidden = !on;
    this.tableButton.setAttribute('aria-pressed', String(on));
    this.words();
  }

  // A key can't drag: it is given a part whose ends it can move.
  private toggleSelecting(event: MouseEvent): void {
    const on = !this.selecting;
    this.selectButton.setAttribute('aria-pressed', String(on));
    if (on && event.detail === 0) {
      this.events.hold();
      this.brush.begin();
    }
  }

  // The table is what a part is selected for.
  private changed(): void {
    if (this.brush.range && this.table.element.hidden) {
      this.showTable(true);
    } else {
      this.words();
    }
    this.events.draw();
  }
}
