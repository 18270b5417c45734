// Lifetimes: which values share a buffer (views, in-place successors) and when each buffer is live.
#pragma once
#include <vector>

#include "plan/order.h"

namespace hybrid {

struct Lifetimes {
  std::vector<int32_t> steps;      // positions of the nodes that run, in order
  std::vector<Buffer> buffers;     // without offsets
  std::vector<int32_t> buffer_of;  // by value; -1 none
  std::vector<OutputCopy> copies;
  std::vector<Commit> commits;
};

// order: of a parallel plan; memory is taken over only where it says so. May be null.
Lifetimes find_lifetimes(const Graph& graph, const ValueIndex& values, const Windows& windows,
                         const PlanOptions& options, const BufferOrder* order = nullptr);

// Throws Error when an output can't be the new contents of the input that it is to update.
void check_updates(const Graph& graph, const std::vector<int32_t>& updates);

// Could the kernel raise an error because of the values it is given? Arrays are overwritten with
// their new contents only when no such kernel is left, so that a run that fails changes nothing.
bool may_fail(const Graph& graph, const Node& node);

// May output `out` of the node be written over its input `in`, as far as the operator goes?
// `same_memory` lists the inputs that lie in that memory, `in` among them.
bool operator_allows_in_place(const Node& node, int in, int out,
                              const std::vector<int>& same_memory);

}  // namespace hybrid
