// What elementwise operators can be members of a kernel, and which nodes can share one.
#pragma once
#include "graph/graph.h"

namespace hybrid {

// Beyond these a kernel's temporaries no longer fit the first-level cache.
constexpr int kMaxInstructions = 160;
constexpr size_t kMaxKernelInputs = 24;
constexpr size_t kMaxKernelOutputs = 8;

// Number of elementwise instructions of an operator node; 0: cannot be a member.
int elementwise_instructions(const Graph& graph, const Node& n);
// Nodes of one segment, device and half of a training step. A kernel of both halves would write
// what the backward half computes early, and keep it through the whole step.
bool same_part(const Node& a, const Node& b);
// A fused node without members yet, which is called as its last one and stands on its line.
Node kernel_ending_in(const Node& last);

}  // namespace hybrid
