// Heat: the time that the last run spent in each node of a stage, and how that is told.
import type { KernelTime } from '../spec';
import { seconds } from './format';
import type { Drawn } from './drawn';
import { isMade } from './group_tree';
import type { StageModel } from './stages';

/** What a card, a line or a node has of all the time in kernels. */
export interface Warmth {
  s: number;
  /** of all the time, 0 to 1 */
  share: number;
  /** how strongly it is coloured: 1 for the hottest of its picture */
  level: number;
  /** it is, or holds, a share of a kernel's time by estimated cost */
  estimated: boolean;
}

export class Heat {
  /** of all kernels together, in seconds */
  readonly total: number;
  private readonly rows = new Map<number, KernelTime>();
  private readonly members = new Map<number, number>();
  private readonly stages = new Map<number, Map<number, number>>();

  constructor(
    private readonly times: readonly KernelTime[],
    private readonly model: StageModel
  ) {
    for (const row of times) {
      this.rows.set(row.node, row);
      row.members.forEach(([id, share]) => this.members.set(id, row.s * share));
    }
    this.total = times.reduce((sum, row) => sum + row.s, 0);
  }

  get measured(): boolean {
    return this.total > 0;
  }

  /** The kernel that is this node of the plan. */
  kernel(node: number): KernelTime | undefined {
    return this.rows.get(node);
  }

  /** Seconds of a member of a fused kernel, by its estimated cost; 0: it is none. */
  member(id: number): number {
    return this.members.get(id) ?? 0;
  }

  /** Seconds by node of a stage. A kernel's time is its nodes' by their estimated cost. */
  of(stage: number): ReadonlyMap<number, number> {
    const known = this.stages.get(stage);
    if (known) {
      return known;
    }
    const found = new Map<number, number>();
    const add = (ids: readonly number[], s: number) => {
      const made = ids.filter(id => {
        const node = this.model.node(stage, id);
        return node !== undefined && isMade(node);
      });
      made.forEach(id => found.set(id, (found.get(id) ?? 0) + s / made.length));
    };
    for (const { node, s, members } of this.times) {
      if (this.model.node(stage, node) || members.length === 0) {
        add(this.model.resolve([node], stage), s);
      } else {
        members.forEach(([id, share]) => add(this.model.resolve([id], stage), s * share));
      }
    }
    this.stages.set(stage, found);
    return found;
  }

  /** By card of a picture of that stage. */
  cards(drawn: Drawn, stage: number): Map<number, Warmth> {
    const sums = new Map<number, { s: number; nodes: number[] }>();
    const times = [...this.of(stage)].flatMap(([node, s]): [number, number][] => {
      const opened = drawn.opened.get(node);
      return opened ? opened.map(id => [id, this.member(id)]) : [[node, s]];
    });
    for (const [node, s] of times) {
      const card = drawn.standsFor.get(node);
      if (card !== undefined) {
        const sum = sums.get(card) ?? { s: 0, nodes: [] };
        sum.s += s;
        sum.nodes.push(node);
        sums.set(card, sum);
      }
    }
    const most = Math.max(0, ...[...sums.values()].map(sum => sum.s));
    return new Map([...sums].map(([card, { s, nodes }]) => [card, this.warmth(s, nodes, most)]));
  }

  /** Of nodes, or members of one, that took so many seconds. */
  warmth(s: number, nodes: readonly number[], most = s): Warmth {
    const share = this.total > 0 ? s / this.total : 0;
    const estimated = nodes.some(id => this.members.has(id));
    return { s, share, level: most > 0 ? s / most : 0, estimated };
  }
}

/** "1.2 ms · 34 %", or "≈ 1.2 ms · 34 %"; then, for small cards, each figure alone. */
export function warmthTexts({ s, share, estimated }: Warmth): string[] {
  const [time, part] = [seconds(s), percent(share)];
  return [`${time} · ${part}`, time, part].map(text => (estimated ? `≈ ${text}` : text));
}

export function warmthText(warmth: Warmth): string {
  return warmthTexts(warmth)[0];
}

export function percent(share: number): string {
  const whole = 100 * share;
  return whole > 0 && whole < 1 ? '< 1 %' : `${Math.round(whole)} %`;
}

/** FLOP and bytes a second, as a person reads them; empty where it took no time that can be told. */
export function rates({ s, flop, bytes }: KernelTime): string {
  if (s <= 0) {
    return '';
  }
  const of = (n: number, unit: string) => {
    const rate = n / s / 1e9;
    return `${rate >= 10 ? Math.round(rate) : Number(rate.toPrecision(2))} ${unit}/s`;
  };
  return [flop > 0 ? of(flop, 'GFLOP') : '', bytes > 0 ? of(bytes, 'GB') : '']
    .filter(Boolean)
    .join(', ');
}
