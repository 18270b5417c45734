// Which nodes of a stage a search finds.
import type { Graph } from '../spec';
import type { GroupTree } from './group_tree';

/** The nodes whose label, name, operator, code and groups together hold all words of a query. */
export function findNodes({ nodes }: Graph, tree: GroupTree, query: string): number[] {
  const words = query.toLowerCase().split(/\s+/);
  return nodes
    .filter(({ label, name, op, code, group }) => {
      const path = group === null ? '' : tree.path(group);
      const text = [label, name, op, code, path].join(' ').toLowerCase();
      return words.every(word => text.includes(word));
    })
    .map(node => node.id);
}
