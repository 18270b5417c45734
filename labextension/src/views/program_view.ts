// The program of a stage as text beside the user's cell; lines are linked to the graph's nodes.
import type { Spec, Stage } from '../spec';
import { diffLines } from './diff';
import { h } from './dom';
import { isMade } from './group_tree';
import { warmthText, type Heat } from './heat';
import { linesOf, nodesOfLine, type StageModel } from './stages';

export interface ProgramViewEvents {
  select: (ids: number[]) => void;
  hover: (ids: number[]) => void;
}

interface Row {
  element: HTMLElement;
  nodes: number[];
  /** whose time it tells, ... */
  timed: number[];
  /** ... in seconds */
  took: (heat: Heat) => number;
}

export class ProgramView {
  readonly element: HTMLElement;
  private readonly cell: HTMLElement;
  private readonly program: HTMLElement;
  private readonly heading = h('h4');
  private rows: Row[] = [];
  private heat: Heat | null = null;
  private stage = 0;
  private drawn: number | null = null;
  private visible = false;
  private selected: number[] = [];

  constructor(
    private readonly spec: Spec,
    private readonly model: StageModel,
    private readonly events: ProgramViewEvents
  ) {
    this.cell = h('div.hyb-code', { 'aria-label': 'Your cell', role: 'list' });
    this.program = h('div.hyb-code', { 'aria-label': 'Program of this stage', role: 'list' });
    const yours = h('section', {}, h('h4', {}, 'Your cell'), this.cell);
    this.element = h(
      'div.hyb-program',
      {},
      spec.cell && spec.cell.lines.length > 0 && yours,
      h('section', {}, this.heading, this.program)
    );
  }

  setStage(index: number): void {
    this.stage = index;
    if (this.visible) {
      this.draw();
    }
  }

  /** Its rows are made when it is first seen: a large program has very many. */
  setVisible(visible: boolean): void {
    this.visible = visible;
    if (visible) {
      this.draw();
      const row = this.rows.find(({ element }) => element.classList.contains('hyb-selected'));
      row?.element.scrollIntoView({ block: 'nearest' });
    }
  }

  private draw(): void {
    const index = this.stage;
    if (this.drawn === index) {
      return;
    }
    this.drawn = index;
    const stage = this.model.stages[index];
    this.rows = [];
    this.heading.textContent = `Program: ${stage.label}`;
    const first = this.model.stages[0].graph;
    this.cell.replaceChildren(
      ...(this.spec.cell?.lines ?? []).map((text, i) =>
        this.row(String(i + 1), text, nodesOfLine(stage.graph, i + 1), {
          // As written: operators share what a kernel took that several lines are in.
          timed: nodesOfLine(first, i + 1),
          took: heat => sum(nodesOfLine(first, i + 1).map(id => heat.of(0).get(id) ?? 0))
        })
      )
    );
    const after = toLines(stage.program);
    const before = index > 0 ? toLines(this.model.stages[index - 1].program) : after;
    const link = programLinks(stage);
    const told = new Set<number>();
    let number = 0;
    this.program.replaceChildren(
      ...diffLines(before, after).map(({ text, kind }) => {
        if (kind === 'removed') {
          return this.row('−', text, [], { extra: 'hyb-removed' });
        }
        const id = stage.program_nodes[number] ?? -1;
        const again = told.has(id); // of a loop's lines the first one tells its time
        told.add(id);
        const links = link[number];
        const took = (heat: Heat) =>
          this.model.node(index, id)
            ? sum(links.map(node => heat.of(index).get(node) ?? 0))
            : heat.member(id);
        const row = this.row(String(number + 1), text, links, {
          extra: kind === 'added' ? 'hyb-added' : '',
          timed: [id, ...links],
          took: again ? undefined : took
        });
        number += 1;
        return row;
      })
    );
    if (after.length === 0) {
      this.program.append(h('p.hyb-note', {}, 'This stage has no program text.'));
    }
    this.mark('hyb-selected', this.selected);
    this.warm();
  }

  setSelected(ids: number[]): void {
    this.selected = ids;
    this.mark('hyb-selected', ids);
  }

  setHovered(ids: number[]): void {
    this.mark('hyb-hovered', ids);
  }

  /** Says on lines what they took of the last run; null: nothing is said. */
  setHeat(heat: Heat | null): void {
    this.heat = heat;
    this.warm();
  }

  private warm(): void {
    const { heat } = this;
    const times = this.rows.map(row => (heat ? row.took(heat) : 0));
    const most = Math.max(0, ...times);
    this.rows.forEach(({ element, timed }, i) => {
      element.querySelector('.hyb-warm')?.remove();
      const warmth = heat && times[i] > 0 ? heat.warmth(times[i], timed, most) : null;
      element.style.setProperty('--hyb-level', String(warmth?.level ?? 0));
      if (warmth) {
        element.append(h('small.hyb-warm', {}, warmthText(warmth)));
      }
    });
  }

  private mark(name: string, ids: number[]): void {
    const chosen = new Set(ids);
    for (const { element, nodes } of this.rows) {
      element.classList.toggle(
        name,
        nodes.some(id => chosen.has(id))
      );
    }
  }

  private row(
    number: string,
    text: string,
    nodes: number[],
    { extra = '', timed = [], took = () => 0 }: { extra?: string } & Partial<Row>
  ) {
    // The line of the cell, a comment of the program text, stands beside the code as a quiet tag.
    const [, code, tag] = /^(.*\S)\s+# (lines? \d[\d, ]*)$/.exec(text) ?? ['', text, ''];
    const element = h(
      'div.hyb-line',
      {
        role: 'listitem',
        onclick: () => this.events.select(nodes),
        onpointerenter: () => this.events.hover(nodes),
        onpointerleave: () => this.events.hover([])
      },
      h('span.hyb-lineno', {}, number),
      h('code', {}, code),
      tag && h('small', {}, tag)
    );
    if (extra) {
      element.classList.add(extra);
    }
    element.classList.toggle('hyb-linked', nodes.length > 0);
    this.rows.push({ element, nodes, timed, took });
    return element;
  }
}

const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);

function toLines(program: string): string[] {
  return program === '' ? [] : program.replace(/\n$/, '').split('\n');
}

/** For each line of a stage's program the node that it computes, or the member of one. */
export function programLinks(stage: Stage): number[][] {
  const { program_nodes: nodes } = stage;
  const told = nodes.length > 0 && nodes.length === toLines(stage.program).length;
  if (!told) {
    return namedLinks(stage);
  }
  const holder = new Map<number, number>();
  for (const { id, members } of stage.graph.nodes) {
    members.forEach(member => holder.set(member.id, id));
    holder.set(id, id);
  }
  const inside = inlined(stage);
  return nodes.map(id =>
    [holder.get(id), ...(inside.get(id) ?? [])].filter(node => node !== undefined)
  );
}

// Nodes that stand inside the line of the node that reads them, by that.
function inlined({ graph, program_nodes: lines }: Stage): Map<number, number[]> {
  const told = new Set(lines);
  const reader = new Map(graph.edges.map(edge => [edge.src, edge.dst]));
  const found = new Map<number, number[]>();
  for (const node of graph.nodes) {
    let at: number | undefined = node.id;
    while (at !== undefined && !told.has(at)) {
      at = reader.get(at); // a node that is written there has one reader
    }
    if (at !== undefined && at !== node.id && isMade(node)) {
      found.set(at, [...(found.get(at) ?? []), node.id]);
    }
  }
  return found;
}

// In pictures that were saved without: by the names and lines that the text gives.
function namedLinks({ graph, program }: Stage): number[][] {
  const byName = new Map<string, number[]>();
  const byLine = new Map<number, number[]>();
  const add = <K>(map: Map<K, number[]>, key: K, id: number) =>
    map.set(key, [...(map.get(key) ?? []), id]);
  for (const node of graph.nodes) {
    // A value without a name is written as v and its node's id; an effect as a call.
    add(byName, `v${node.id}`, node.id);
    if (node.kind === 'effect') {
      add(byName, `${node.label.split('(')[0]}(`, node.id);
    } else if (node.name) {
      add(byName, node.name, node.id);
    }
    for (const member of node.members) {
      const [name, op] = member.label.split(' = ');
      add(byName, op ? name : `v${member.id}`, node.id);
    }
    linesOf(node).forEach(line => add(byLine, line, node.id));
  }
  return toLines(program).map(text => {
    const [, input, target, call] =
      /^\s*(?:# input (\w+):|([A-Za-z_]\w*)[^=#(]*=(?!=)|(\w+\())/.exec(text) ?? [];
    const named = byName.get(input ?? target ?? call ?? '');
    const line = /#.*?\bline (\d+)/.exec(text)?.[1];
    return named ?? byLine.get(Number(line ?? -1)) ?? [];
  });
}
