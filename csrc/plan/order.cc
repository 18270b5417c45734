#include "plan/order.h"

#include <algorithm>

#include "core/error.h"

namespace hybrid {

namespace {

constexpr size_t kMaxNodes = 1 << 14;  // 32 MiB of bits

bool share_bytes(const Buffer& a, const Buffer& b) {
  return a.kind == BufferKind::arena && b.kind == BufferKind::arena &&
         a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

// The values with memory of their own in a buffer, in order of time.
std::vector<int32_t> roots_in(const Graph& graph, const ValueIndex& values, const Windows& windows,
                              const Buffer& buffer) {
  std::vector<int32_t> roots;
  for (const Entry& e : buffer.entries) {
    const int p = graph.position(e.node);
    if (runs(graph.nodes[p]) && !windows.view[p]) roots.push_back(values(p, e.out));
  }
  return roots;
}

int writer_of(const ValueIndex& values, int32_t root) {
  return static_cast<int>(std::upper_bound(values.first.begin(), values.first.end(), root) -
                          values.first.begin()) -
         1;
}

}  // namespace

Ancestors::Ancestors(const Graph& graph, Empty) : words_((graph.nodes.size() + 63) / 64) {
  require(graph.nodes.size() <= kMaxNodes, "the order of kernels is known for graphs of at most ",
          kMaxNodes, " nodes, this one has ", graph.nodes.size());
  bits_.assign(words_ * graph.nodes.size(), 0);
}

Ancestors::Ancestors(const Graph& graph) : Ancestors(graph, Empty{}) {
  for (size_t p = 0; p < graph.nodes.size(); ++p) add_inputs(graph, static_cast<int>(p));
}

void Ancestors::add_inputs(const Graph& graph, int node) {
  for (const Entry& e : graph.nodes[node].inputs) {
    const int other = graph.position(e.node);
    if (!follows(node, other)) add(node, other);
  }
}

void Ancestors::add(int node, int other) {
  for (size_t w = 0; w < words_; ++w) bits_[row(node) + w] |= bits_[row(other) + w];
  bits_[row(node) + static_cast<size_t>(other) / 64] |= uint64_t{1} << (other % 64);
}

std::vector<std::vector<int32_t>> uses_of_memory(const Graph& graph, const ValueIndex& values,
                                                 const Windows& windows) {
  std::vector<std::vector<int32_t>> uses(values.count());
  for (int p = 0; p < static_cast<int>(graph.nodes.size()); ++p) {
    const Node& node = graph.nodes[p];
    if (!runs(node) || windows.view[p]) continue;
    for (int32_t v : values.inputs[p]) {
      std::vector<int32_t>& of = uses[windows.root[v]];
      if (of.empty() || of.back() != p) of.push_back(p);
    }
    for (int o = 0; o < node.num_outputs(); ++o) uses[values(p, o)].push_back(p);
  }
  return uses;
}

BufferOrder::BufferOrder(const Graph& graph, const ValueIndex& values, const Windows& windows)
    : graph_(graph),
      values_(values),
      windows_(windows),
      ancestors_(graph),
      uses_(uses_of_memory(graph, values, windows)) {}

bool BufferOrder::used_before(int32_t root, int node) const {
  return std::all_of(uses_[root].begin(), uses_[root].end(),
                     [&](int32_t use) { return use == node || ancestors_.follows(node, use); });
}

bool BufferOrder::ordered(const Buffer& a, const Buffer& b) const {
  const std::vector<int32_t> later = roots_in(graph_, values_, windows_, b);
  if (later.empty()) return true;  // written when everything has run
  const int writer = writer_of(values_, later.front());
  for (int32_t root : roots_in(graph_, values_, windows_, a)) {
    if (!used_before(root, writer)) return false;
  }
  return true;
}

std::vector<std::pair<NodeId, NodeId>> implicit_edges(const Graph& graph, const Plan& plan) {
  const ValueIndex values(graph);
  const Windows windows = find_windows(graph, values, plan.training);
  const std::vector<std::vector<int32_t>> uses = uses_of_memory(graph, values, windows);
  // By node: kernels that must have run before, as it writes where their values are.
  std::vector<std::vector<int32_t>> before(graph.nodes.size());
  const auto write_after = [&](int32_t root, int32_t old) {
    const int writer = writer_of(values, root);
    if (writer_of(values, old) >= writer) return;
    before[writer].insert(before[writer].end(), uses[old].begin(), uses[old].end());
  };
  std::vector<std::vector<int32_t>> roots;
  for (const Buffer& b : plan.buffers) {
    roots.push_back(roots_in(graph, values, windows, b));
    if (b.kind == BufferKind::input) {  // donated, or updated in place
      for (int32_t root : roots.back())
        write_after(root, values(graph.position(graph.inputs[b.index]), 0));
    }
    for (int32_t root : roots.back()) {
      for (int32_t old : roots.back()) write_after(root, old);
    }
  }
  for (const Buffer& a : plan.buffers) {
    for (const Buffer& b : plan.buffers) {
      if (a.end >= b.start || !share_bytes(a, b)) continue;
      for (int32_t root : roots[b.id]) {
        for (int32_t old : roots[a.id]) write_after(root, old);
      }
    }
  }
  std::vector<std::pair<NodeId, NodeId>> edges;
  Ancestors ancestors(graph, Ancestors::Empty{});
  for (int p = 0; p < static_cast<int>(graph.nodes.size()); ++p) {
    ancestors.add_inputs(graph, p);
    std::vector<int32_t>& others = before[p];
    std::sort(others.begin(), others.end(), std::greater<int32_t>());  // the last first
    for (int32_t other : others) {
      if (other == p || ancestors.follows(p, other)) continue;
      ancestors.add(p, other);
      edges.push_back({graph.nodes[other].id, graph.nodes[p].id});
    }
  }
  return edges;
}

}  // namespace hybrid
