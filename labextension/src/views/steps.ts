// The single rewrites inside a stage: each with its rule and what it did to which nodes.
import type { Action, Change, Stage } from '../spec';

/** One rewrite of a pass. */
export interface Step {
  /** "x * 1 → x"; empty in older pictures, which do not tell it */
  rule: string;
  /** the rule, or else why the change was made */
  text: string;
  changes: Change[];
}

/** The rewrites of a stage in the order in which its pass did them. */
export function stepsOf({ changes }: Pick<Stage, 'changes'>): Step[] {
  const steps: Step[] = [];
  const known = new Map<number, Step>();
  for (const change of changes) {
    if (change.action === 'kept') {
      continue;
    }
    const step = known.get(change.step);
    if (step) {
      step.changes.push(change);
      continue;
    }
    const rule = change.rule.replaceAll('->', '→');
    const made = { rule, text: rule || change.why, changes: [change] };
    steps.push(made);
    if (change.step >= 0) {
      known.set(change.step, made);
    }
  }
  return steps;
}

export interface Rule {
  rule: string;
  action: Action;
  /** its steps, by index */
  steps: number[];
}

/** The rules that a pass used, most used first; none where they are not told. */
export function rulesOf(steps: readonly Step[]): Rule[] {
  const rules = new Map<string, Rule>();
  steps.forEach(({ rule, changes }, i) => {
    const known = rules.get(rule);
    if (known) {
      known.steps.push(i);
    } else if (rule) {
      rules.set(rule, { rule, action: changes[0].action, steps: [i] });
    }
  });
  return [...rules.values()].sort((a, b) => b.steps.length - a.steps.length);
}
