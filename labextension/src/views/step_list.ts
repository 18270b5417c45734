// The words of a stage's steps: its rules, and what the step that is shown did and why.
import { h } from './dom';
import { plural } from './format';
import { ACTION } from './palette';
import { rulesOf, type Step } from './steps';

/** The rules of a stage; a click goes to the next step by that rule. */
export function ruleList(
  steps: readonly Step[],
  at: number | null,
  go: (step: number) => void
): HTMLElement | null {
  const rules = rulesOf(steps);
  if (rules.length === 0) {
    return null;
  }
  const next = (own: readonly number[]) => own.find(step => step > (at ?? -1)) ?? own[0];
  return h(
    'section.hyb-rules',
    {},
    h('h5', {}, `${plural(steps.length, 'step')} by ${plural(rules.length, 'rule')}`),
    h(
      'ul.hyb-changes',
      {},
      ...rules.map(({ rule, action, steps: own }) =>
        h(
          'li',
          {},
          h(
            'button',
            {
              type: 'button',
              title: own.length > 1 ? 'Go to its next step' : 'Go to its step',
              'aria-current': at !== null && own.includes(at) ? 'step' : null,
              onclick: () => go(next(own))
            },
            h('b', { 'aria-hidden': 'true' }, ACTION[action].mark),
            h('span', {}, h('code', {}, rule), own.length > 1 && h('small', {}, ` ${own.length}×`))
          )
        )
      )
    )
  );
}
