// Windows: which nodes of a graph are views, and where every value lies in the memory it shares.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace hybrid {

// Values are numbered densely: output `out` of the node at position `p` is first[p] + out.
struct ValueIndex {
  explicit ValueIndex(const Graph& graph);
  int32_t operator()(int position, int out) const { return first[position] + out; }
  int32_t count() const { return first.back(); }
  std::vector<int32_t> first;                // by position, and one past the end
  std::vector<std::vector<int32_t>> inputs;  // by position: values that the node reads
};

struct Windows {
  std::vector<bool> view;      // by position
  std::vector<Window> window;  // by value
  std::vector<int32_t> root;   // by value: the value whose memory this one is a window on
};

// A view is kept a view unless a reader needs contiguous memory: then the view's node copies.
Windows find_windows(const Graph& graph, const ValueIndex& values, bool training);

bool runs(const Node& node);  // op or fused: a step
// Identity when not training (Dropout): an alias of its input.
bool is_passthrough(const Node& node, bool training);

// Does one element in memory stand at several places of the window (a broadcast view)?
bool repeats(const Shape& shape, const Shape& strides);

}  // namespace hybrid
