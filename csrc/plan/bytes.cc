#include "plan/bytes.h"

#include <algorithm>

#include "core/device_name.h"
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
  struct Memory {
    Context device;
    int64_t live, peak;
  };
  std::vector<Memory> memories;
  const auto memory_of = [&](const Node& node) {
    const Context device = device_of(node.ctx);
    for (size_t i = 0; i < memories.size(); ++i) {
      if (memories[i].device == device) return i;
    }
    memories.push_back({device, 0, 0});
    return memories.size() - 1;
  };
  struct Freed {
    size_t memory;
    int64_t bytes;
  };
  std::vector<std::vector<Freed>> freed_after(n + 1);
  for (int p = 0; p < n; ++p) {
    const Node& node = graph.nodes[p];
    if (!runs(node)) continue;
    const size_t here = memory_of(node);
    int64_t& live = memories[here].live;
    for (int o = 0; o < node.num_outputs(); ++o) {
      const int32_t v = values(p, o);
      if (windows.root[v] != v) continue;
      live += graph.bytes({node.id, o});
      freed_after[last_use[v]].push_back({here, graph.bytes({node.id, o})});
    }
    memories[here].peak = std::max(memories[here].peak, live);
    for (const Freed& f : freed_after[p]) memories[f.memory].live -= f.bytes;
  }
  int64_t peaks = 0;
  for (const Memory& m : memories) peaks += m.peak;
  return peaks;
}

}  // namespace

int64_t imperative_bytes(const Graph& graph, const std::vector<Entry>& bound, bool training) {
  return peak_bytes(graph, &bound, training);
}

int64_t imperative_bytes_unfreed(const Graph& graph, bool training) {
  return peak_bytes(graph, nullptr, training);
}

}  // namespace hybrid
