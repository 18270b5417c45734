// Rematerialization: what the gradient reads late is computed again instead of being kept.
#pragma once
#include <cstddef>

#include "passes/pass.h"

namespace hybrid {

// How many forward nodes a gradient reads late; nodes from position `late` on are late.
int count_kept(const Graph& graph, size_t late);
// Position of the first gradient node; the number of nodes when there is none.
size_t first_gradient(const Graph& graph);
// The number of segments for a memory that grows with the square root of the depth.
int sqrt_segments(int kept);
// The forward in `segments` parts of about equal kept bytes. What a part hands to another is kept,
// the rest of each part but the last is computed again just before the gradient reads it: from the
// same inputs and random keys, so bit for bit the same.
Graph rematerialize(const Graph& graph, size_t late, int segments, PassContext& context);

}  // namespace hybrid
