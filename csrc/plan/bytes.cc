#include "plan/bytes.h"

#include <algorithm>

#include "plan/windows.h"

namespace hybrid {
namespace {

int64_t peak_bytes(const Graph& graph, const std::vector<Entry>* bound, bool training) {
  const ValueIndex values(graph);
  const Windows windows = find_windows(graph, values, training);
  const int n = static_cast<int>(graph.nodes.size());
  std::vector<int> last_use(values.count(), -1);
  for (int p = 0; p < n; ++p) {
    for (int o = 0; o < graph.nodes[p].num_outputs(); ++o) {
      int& last = last_use[windows.root[values(p, o)]];
      last = std::max(last, bound ? p : n);
    }
    for (int32_t v : values.inputs[p]) {
      int& last = last_use[windows.root[v]];
      last = std::max(last, p);
    }
  }
  if (bound) {
    for (const Entry& e : *bound) last_use[windows.root[values(graph.position(e.node), e.out)]] = n;
  }
  std::vector<std::vector<int64_t>> freed_after(n + 1);
  int64_t live = 0, peak = 0;
  for (int p = 0; p < n; ++p) {
    const Node& node = graph.nodes[p];
    if (!runs(node)) continue;
    for (int o = 0; o < node.num_outputs(); ++o) {
      const int32_t v = values(p, o);
      if (windows.root[v] != v) continue;
      live += graph.bytes({node.id, o});
      freed_after[last_use[v]].push_back(graph.bytes({node.id, o}));
    }
    peak = std::max(peak, live);
    for (int64_t bytes : freed_after[p]) live -= bytes;
  }
  return peak;
}

}  // namespace

int64_t imperative_bytes(const Graph& graph, const std::vector<Entry>& bound, bool training) {
  return peak_bytes(graph, &bound, training);
}

int64_t imperative_bytes_unfreed(const Graph& graph, bool training) {
  return peak_bytes(graph, nullptr, training);
}

}  // namespace hybrid
