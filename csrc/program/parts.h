// Parts of a placed graph: runs of nodes on one device, and the copies between them.
#pragma once
#include <vector>

#include "graph/graph.h"

namespace hybrid {

struct Part {
  Context ctx;
  Graph graph;                // node ids are those of the whole
  std::vector<Entry> reads;   // values of the whole graph, by input of `graph`
  std::vector<Entry> writes;  // values of the whole graph, by output of `graph`
};

struct PartStep {  // a part or a copy
  int32_t part = -1;
  NodeId copy = -1;
};

struct Parts {
  Graph graph;  // the whole, its nodes in the order of the steps
  std::vector<Part> parts;
  std::vector<PartStep> steps;
};

// A copy between devices; one of a constant, which every device has, is work of a part.
bool crosses_devices(const Graph& graph, const Node& node);

// A part takes everything that is ready on its device, so that parts are few; but one that has
// worked for some time ends where a value leaves for another device, which need not wait for more.
Parts split_by_device(const Graph& graph);

}  // namespace hybrid
