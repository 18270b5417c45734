// Which nodes of a stage a search finds.
import type { Graph } from '../spec';
import type { GroupTree } from './group_tree';

/**
 * The nodes whose label, name, operator, code and groups together hold all words of a query; of a
 * fused kernel those of its operators, too.
 */
export function findNodes({ nodes }: Graph, tree: GroupTree, query: string): number[] {
  const words = query.toLowerCase().split(/\s+/);
  return nodes
    .filter(({ label, name, op, code, group, members }) => {
      const path = group === null ? '' : tree.path(group);
      const parts = members.flatMap(member => [member.op, member.label]);
      const text = [label, name, op, code, path, ...parts].join(' ').toLowerCase();
      return words.every(word => text.includes(word));
    })
    .map(node => node.id);
}
