// The column beside the graph: the chosen node, what this stage changed and why, and the notes.
import type { Node, Spec } from '../spec';
import { visible } from '../visible';
import { bufferList, type ListItem } from './buffer_list';
import { codeOf, homeOf, type CodeLine } from './code_lines';
import { h } from './dom';
import { bytes, plural, shape } from './format';
import { rates, warmthText, type Heat } from './heat';
import { histogram } from './histogram';
import { isMade } from './group_tree';
import { ACTION, FAMILY } from './palette';
import { valueFacts, type StageRunView } from './stage_run';
import { ownName, type StageModel } from './stages';
import { ruleList } from './step_list';
import type { Step } from './steps';

const MANY = 60;

export interface DetailsEvents {
  select: (id: number) => void;
  hover: (id: number | null) => void;
  code: (line: CodeLine) => void;
  step: (step: number) => void;
}

/** The rewrites of the stage, and which is shown; null: all of them. */
export interface Progress {
  steps: readonly Step[];
  step: number | null;
}

export class Details {
  readonly element = h('aside.hyb-details', { 'aria-label': 'Selection and changes' });
  private readonly chosen = h('div');
  private readonly changed = h('div');
  private stage = 0;
  private ids: number[] = [];
  private meant: readonly number[] = [];
  private progress: Progress = { steps: [], step: null };

  constructor(
    private readonly spec: Spec,
    private readonly model: StageModel,
    private readonly heat: Heat,
    private readonly run: StageRunView,
    private readonly events: DetailsEvents
  ) {
    this.element.append(run.element, this.chosen, this.changed);
  }

  /**
   * `group`: the path of the closed group that `ids` are all of; null: they are not one. `meant`:
   * what was chosen, maybe an operator of the kernel that `ids` is.
   */
  show(
    stage: number,
    ids: number[],
    group: string | null,
    meant: readonly number[],
    progress: Progress
  ): void {
    this.stage = stage;
    this.progress = progress;
    this.ids = ids;
    this.meant = meant;
    const node = ids.length > 0 ? this.model.node(stage, ids[0]) : undefined;
    const chosen = group !== null ? [this.group(group)] : node ? [this.node(node)] : [];
    this.chosen.replaceChildren(...chosen);
    this.changed.replaceChildren(this.changes());
  }

  // A closed group: how many operators of which kind, and what it is given.
  private group(path: string): HTMLElement {
    const nodes = this.ids.flatMap(id => this.model.node(this.stage, id) ?? []);
    const made = nodes.filter(isMade);
    const given = nodes.filter(node => !isMade(node));
    const counts = new Map<string, number>();
    for (const node of made) {
      const label = FAMILY[node.family].label;
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    const sizes = given.map(node => node.bytes ?? 0);
    const facts: [string, string][] = [...counts]
      .sort((a, b) => b[1] - a[1])
      .map(([label, count]) => [label, String(count)]);
    if (given.length > 0) {
      const size = bytes(sizes.reduce((sum, size) => sum + size, 0));
      facts.push(['parameters, inputs', `${given.length}, ${size}`]);
    }
    const took = made.reduce((sum, node) => sum + (this.heat.of(this.stage).get(node.id) ?? 0), 0);
    if (took > 0) {
      facts.push(['time', warmthText(this.heat.warmth(took, this.ids))]);
    }
    return h(
      'section.hyb-chosen',
      {},
      h('h4', {}, path),
      h('p.hyb-note', {}, `${plural(made.length, 'operator')}; click ⊞ to open it`),
      ...this.source(nodes),
      this.facts(facts)
    );
  }

  private node(node: Node): HTMLElement {
    const facts: [string, string][] = [
      ['operator', node.members.length > 0 ? '' : node.op],
      ['value', node.shape ? `${shape(node.shape)} ${node.dtype}`.trim() : 'of unknown shape'],
      ['size', node.bytes === null ? 'unknown' : bytes(node.bytes)],
      ['device', node.device]
    ];
    facts.push(...this.times(node));
    if (node.scope) {
      facts.push(['block', node.scope]);
    }
    if (node.kernel !== null) {
      const { kernels } = this.model.stages[this.stage];
      facts.push(['kernel', `${node.kernel + 1} of ${kernels.length}`]);
    }
    if (node.buffer !== null) {
      facts.push(['buffer', String(node.buffer)]);
    }
    const more = this.ids.length > 1 ? ` and ${this.ids.length - 1} more` : '';
    const name = ownName(node);
    return h(
      'section.hyb-chosen',
      {},
      h('h4', {}, node.label, name && h('code', {}, name), more),
      ...this.source([node]),
      this.facts(facts),
      this.estimated(node),
      ...this.values(node),
      node.members.length > 0 && this.members(node),
      ...this.gradients(node),
      node.body !== '' && h('pre.hyb-loop', {}, node.body),
      this.history(node)
    );
  }

  // What the last run took; a kernel's own time was measured, its members' is shared out.
  private times(node: Node): [string, string][] {
    const s = this.heat.of(this.stage).get(node.id);
    if (s === undefined) {
      return [];
    }
    const time = warmthText(this.heat.warmth(s, [node.id]));
    const kernel = this.heat.kernel(node.id);
    return [['time', time], ...(kernel ? [['rate', rates(kernel)] as [string, string]] : [])];
  }

  private estimated(node: Node): HTMLElement | null {
    const { estimated } = this.heat.warmth(0, [node.id]);
    return estimated
      ? h('p.hyb-note', {}, "≈ its share of a kernel's time, by estimated cost")
      : null;
  }

  // What a run of this stage has shown of it, and of an operator inside it that was chosen.
  private values(node: Node): (HTMLElement | null)[] {
    const { name } = this.model.stages[this.stage];
    const inside = node.members.map(({ id }) => id).filter(id => this.meant.includes(id));
    const why = this.run.whyClosed(name, node.id);
    const told = [...inside, node.id].flatMap(id => {
      const values = this.run.valuesOf(name, id);
      return values.flatMap(value => {
        const of = values.length > 1 || inside.length > 0 ? ` of ${value.label}` : '';
        const where = value.stage ? ', inside the kernel' : ' at this stage';
        return [
          h('h5', {}, `value${of}${where}`),
          value.stage &&
            h('p.hyb-note', {}, `as “${value.stage}” computes it, with the same results`),
          this.facts(valueFacts(value)),
          value.spread && histogram(value.spread)
        ].filter(element => element instanceof HTMLElement);
      });
    });
    return why ? [...told, h('p.hyb-note', {}, `Values inside are not known: ${why}.`)] : told;
  }

  private source(nodes: readonly Node[]): HTMLElement[] {
    const lines = codeOf(nodes, this.spec).slice(0, 6);
    return lines.map(line => {
      const { file } = line;
      const title = file === '' ? 'Show in the cell' : `Show in ${visible(file)}`;
      const home = homeOf(line);
      return h(
        'button.hyb-source',
        { type: 'button', title, onclick: () => this.events.code(line) },
        h('span.hyb-lineno', {}, String(line.line)),
        h('code', {}, line.code),
        home !== '' && h('small', {}, ` in ${home}`)
      );
    });
  }

  private facts(facts: [string, string][]): HTMLElement {
    const told = facts.filter(([, value]) => value !== '');
    return h('dl', {}, ...told.flatMap(([key, value]) => [h('dt', {}, key), h('dd', {}, value)]));
  }

  private members(node: Node): HTMLElement {
    return h(
      'div',
      {},
      h('h5', {}, `made of ${plural(node.members.length, 'node')}`),
      h('ol.hyb-members', {}, ...node.members.slice(0, MANY).map(member => this.member(member)))
    );
  }

  private member({ id, label, line }: Node['members'][number]): HTMLElement {
    return h(
      'li',
      { 'aria-current': this.meant.includes(id) && 'true' },
      h(
        'button',
        {
          type: 'button',
          onclick: () => this.events.select(id),
          onpointerenter: () => this.events.hover(id),
          onpointerleave: () => this.events.hover(null)
        },
        label,
        line !== null && h('small', {}, ` line ${line}`)
      )
    );
  }

  // Of a gradient what it is of; of an operator its gradients.
  private gradients(node: Node): HTMLElement[] {
    const { of, by } = this.model.gradients(node, this.stage);
    const mark = () => h('i.hyb-gradient', { 'aria-hidden': 'true' }, '∂');
    const list = (title: string, nodes: Node[]) =>
      nodes.length === 0
        ? []
        : [
            h('h5', {}, title),
            h(
              'ul.hyb-changes',
              {},
              ...nodes.slice(0, MANY).map(n => {
                const name = ownName(n);
                return this.item(mark(), name ? `${n.label} (${name})` : n.label, '', n.id);
              })
            )
          ];
    return [...list('gradient of', of), ...list('its gradient', by)];
  }

  private history(node: Node): HTMLElement | null {
    const events = this.model
      .history(node, this.stage)
      .filter(event => event.stage !== this.model.stages[this.stage] && event.change.why);
    if (events.length === 0) {
      return null;
    }
    return h(
      'div',
      {},
      h('h5', {}, 'before'),
      h(
        'ul.hyb-history',
        {},
        ...events
          .slice(0, 8)
          .map(({ stage, change }) => h('li', {}, h('em', {}, stage.label), ` ${change.why}`))
      )
    );
  }

  private changes(): HTMLElement {
    const stage = this.model.stages[this.stage];
    const { steps, step } = this.progress;
    const shown = step === null ? null : steps[step];
    const changes = shown?.changes ?? stage.changes.filter(change => change.action !== 'kept');
    const items = changes.slice(0, MANY).map(change => {
      const { mark, verb } = ACTION[change.action];
      const target = [change.into, change.node].find(
        id => id !== null && this.model.node(this.stage, id)
      );
      const line = change.line !== null ? h('small', {}, ` line ${change.line}`) : null;
      const what = h('span', {}, `${this.model.describe(change.node, this.stage)} ${verb}`, line);
      return this.item(h('b', { 'aria-hidden': 'true' }, mark), what, change.why, target ?? null);
    });
    const heading =
      this.stage === 0
        ? 'As written'
        : step !== null
          ? `Step ${step + 1} of ${steps.length}`
          : changes.length > 0
            ? `Changed here: ${plural(changes.length, 'node')}`
            : 'No node changed here';
    const rest = changes.length - items.length;
    const { graph, summary } = stage;
    const item: ListItem = (...row) => this.item(...row);
    const buffers = bufferList(this.spec.memory, graph.nodes, summary, item);
    if (buffers && items.length === 0) {
      return buffers;
    }
    return h(
      'section',
      {},
      h('h4', {}, heading),
      this.stage === 0 && h('p.hyb-note', {}, this.invitation()),
      shown
        ? h('code.hyb-rule', {}, shown.text)
        : stage.summary && h('p.hyb-note', {}, stage.summary),
      items.length > 0 && h('ul.hyb-changes', {}, ...items),
      rest > 0 && h('p.hyb-note', {}, `and ${plural(rest, 'more change')}`),
      steps.length > 1 && ruleList(steps, step, this.events.step),
      buffers
    );
  }

  // One row of a list: it points at a node and chooses it.
  private item(
    mark: HTMLElement,
    what: HTMLElement | string,
    why: string,
    target: number | null
  ): HTMLElement {
    const { select, hover } = this.events;
    const props =
      target === null
        ? { disabled: true }
        : {
            onclick: () => select(target),
            onpointerenter: () => hover(target),
            onpointerleave: () => hover(null)
          };
    return h(
      'li',
      {},
      h(
        'button',
        { type: 'button', ...props },
        mark,
        h('span', {}, what),
        why !== '' && h('span.hyb-why', {}, why)
      )
    );
  }

  private invitation(): string {
    const source = this.spec.cell ? 'the line it came from, its ' : 'its ';
    const slide = this.model.stages.length > 1 ? ' Move the slider to see what the passes do.' : '';
    return `Click a node for ${source}shape and size.${slide}`;
  }
}
