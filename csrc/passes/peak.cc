// Bytes alive at once for an order of a graph's nodes: what the schedule pass compares.
#include "passes/peak.h"

#include <algorithm>

#include "graph/kernel_kind.h"

namespace hybrid {

Liveness::Liveness(const Graph& graph) : reads_(graph.nodes.size()), writes_(graph.nodes.size()) {
  constexpr size_t kNone = ~size_t{0};
  const std::vector<bool> view = view_nodes(graph);
  std::vector<std::vector<size_t>> buffer_of(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    buffer_of[i].assign(n.shapes.size(), kNone);
    for (const Entry& e : n.inputs) {
      const size_t b =
          buffer_of[static_cast<size_t>(graph.position(e.node))][static_cast<size_t>(e.out)];
      if (b == kNone) continue;
      auto& reads = reads_[i];
      const bool known =
          std::any_of(reads.begin(), reads.end(), [b](const Reads& r) { return r.buffer == b; });
      if (known) continue;
      const bool in_place = n.kind == NodeKind::op && !n.op->in_place.empty();
      reads.push_back({b, in_place || traits_of(kernel_kind(n)).reuses_inputs});
      ++readers_[b];
    }
    if (n.kind != NodeKind::op && n.kind != NodeKind::fused) continue;
    if (view[i]) {
      const Entry base = n.inputs[0];
      buffer_of[i][0] =
          buffer_of[static_cast<size_t>(graph.position(base.node))][static_cast<size_t>(base.out)];
      continue;
    }
    for (int32_t k = 0; k < n.num_outputs(); ++k) {
      buffer_of[i][static_cast<size_t>(k)] = bytes_.size();
      writes_[i].push_back(bytes_.size());
      bytes_.push_back(graph.bytes({n.id, k}));
      readers_.push_back(0);
    }
  }
  for (const Entry& e : graph.outputs) {
    const size_t b =
        buffer_of[static_cast<size_t>(graph.position(e.node))][static_cast<size_t>(e.out)];
    if (b != kNone) ++readers_[b];
  }
}

Liveness::Delta Liveness::delta(size_t i, const std::vector<int>& left) const {
  Delta d;
  for (size_t b : writes_[i]) {
    d.during += bytes_[b];
    if (left[b] > 0) d.after += bytes_[b];
  }
  int64_t reused = 0;
  for (const Reads& r : reads_[i]) {
    if (left[r.buffer] != 1) continue;
    d.after -= bytes_[r.buffer];
    const bool fits = std::any_of(writes_[i].begin(), writes_[i].end(),
                                  [&](size_t b) { return bytes_[b] == bytes_[r.buffer]; });
    if (r.reusable && fits && reused + bytes_[r.buffer] <= d.during) reused += bytes_[r.buffer];
  }
  d.during -= reused;
  return d;
}

void Liveness::step(size_t i, std::vector<int>* left) const {
  for (const Reads& r : reads_[i]) --(*left)[r.buffer];
}

int64_t Liveness::peak(const std::vector<size_t>& order) const {
  std::vector<int> left = readers_;
  int64_t live = 0, peak = 0;
  for (size_t i : order) {
    const Delta d = delta(i, left);
    peak = std::max(peak, live + d.during);
    live += d.after;
    step(i, &left);
  }
  return peak;
}

}  // namespace hybrid
