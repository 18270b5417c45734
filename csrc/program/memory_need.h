// Does a program fit into what is left of a device's memory? Asked before it runs.
#pragma once
#include "core/storage.h"
#include "graph/graph.h"
#include "plan/plan.h"

namespace hybrid {

// The arena, on a device whose memory is limited, so that it is there when the program's turn
// comes; elsewhere null. Throws Error that tells the need, what makes it up at its highest, by
// lines, and what would lower it. `new_bytes`: of the results that the run takes.
StorageRef take_arena(const Graph& graph, const Plan& plan, int64_t new_bytes, Context ctx);

}  // namespace hybrid
