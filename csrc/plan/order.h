// Which kernels follow which: by the graph's edges, and by memory that their values share.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/windows.h"

namespace hybrid {

// For every node those that it follows, directly or through others; all by position.
class Ancestors {
 public:
  explicit Ancestors(const Graph& graph);
  bool follows(int node, int other) const {
    return (bits_[row(node) + static_cast<size_t>(other) / 64] >> (other % 64) & 1) != 0;
  }
  // Makes `node` follow `other` and all that this one follows. Nodes after it must not be known
  // yet.
  void add(int node, int other);
  // Takes over what the inputs of `node` follow.
  void add_inputs(const Graph& graph, int node);

 private:
  friend std::vector<std::pair<NodeId, NodeId>> implicit_edges(const Graph& graph,
                                                               const Plan& plan);
  struct Empty {};
  Ancestors(const Graph& graph, Empty);
  size_t row(int node) const { return static_cast<size_t>(node) * words_; }
  size_t words_;
  std::vector<uint64_t> bits_;
};

// By value that has memory of its own: positions of the kernels that write and read it, in order.
std::vector<std::vector<int32_t>> uses_of_memory(const Graph& graph, const ValueIndex& values,
                                                 const Windows& windows);

// Is every use of buffer `a` before the first write of buffer `b` by the graph's edges alone?
class BufferOrder {
 public:
  BufferOrder(const Graph& graph, const ValueIndex& values, const Windows& windows);
  // All uses of the value `root` but those by `node` itself come before `node`.
  bool used_before(int32_t root, int node) const;
  bool ordered(const Buffer& a, const Buffer& b) const;

 private:
  const Graph& graph_;
  const ValueIndex& values_;
  const Windows& windows_;
  Ancestors ancestors_;
  std::vector<std::vector<int32_t>> uses_;
};

}  // namespace hybrid
