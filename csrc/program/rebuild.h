// A program made for one recording of a cell, used again for the next one.
#pragma once
#include <vector>

#include "program/program.h"

namespace hybrid {

// The same program with the lines and names of `written`, a graph of the same hash and node ids.
ProgramRef relabelled(const Program& program, const Graph& written);

// An optimised graph for the input shapes of `written`, which differs from the graph that it was
// made from in shapes only: every shape is inferred again, no pass is run. Throws Error naming the
// first node whose shapes or dtypes are not those that were recorded.
Graph resized(const Graph& optimised, const Graph& written);

// An optimised graph planned and made ready to run.
ProgramRef planned(Graph optimised, const PlanOptions& options);

}  // namespace hybrid
