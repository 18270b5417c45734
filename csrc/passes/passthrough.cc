#include "passes/passthrough.h"

#include <map>

#include "plan/windows.h"

namespace hybrid {

Graph without_passthrough(const Graph& graph, bool training) {
  Graph result = graph;
  std::map<Entry, Entry> replaced;
  const auto follow = [&](Entry* e) {
    const auto found = replaced.find(*e);
    if (found != replaced.end()) *e = found->second;
  };
  std::vector<Node> kept;
  for (Node& n : result.nodes) {
    for (Entry& e : n.inputs) follow(&e);
    if (is_passthrough(n, training)) {
      replaced[{n.id, 0}] = n.inputs.at(0);
    } else {
      kept.push_back(std::move(n));
    }
  }
  for (Entry& e : result.outputs) follow(&e);
  result.nodes = std::move(kept);
  result.reindex();
  return result;
}

}  // namespace hybrid
