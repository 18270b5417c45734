// The devices of a graph whose nodes know where they run.
#pragma once
#include <vector>

#include "graph/graph.h"

namespace hybrid {

// The devices that run or hold something, in the order of the nodes.
std::vector<Context> devices_of(const Graph& graph);
// Are there several devices, and is every value where its readers can read it, but for the copies?
bool is_placed(const Graph& graph);

}  // namespace hybrid
