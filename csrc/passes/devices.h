// Where nodes run: decided from what arrays, groups and copies say, before any other pass.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "graph/devices.h"

namespace hybrid {

constexpr const char* kGroupAttribute = "__ctx_group__";  // MXNet's AttrScope(ctx_group=...)

struct DeviceOptions {
  bool wanted = false;                    // false: all runs where the first input is
  std::vector<Context> inputs;            // by graph.inputs: where the arrays are; empty: not known
  std::map<std::string, Context> groups;  // MXNet's group2ctx; empty: groups mean nothing
  Context home;                           // of what nothing decides
  bool recorded = false;  // a cell's graph: operators without inputs have been given a device
};

// Does anything in the graph or the options tell nodes apart by device?
bool names_devices(const Graph& graph, const DeviceOptions& options);
// Sets every node's ctx: a group's operator is where the group is, a copy where it goes, any other
// where its first input is, or, without one, where its first reader is. Inputs are where their
// arrays are; those not known like operators without inputs. Throws Error for a group without a
// device and a device that does not exist.
void assign_devices(Graph* graph, const DeviceOptions& options);
}  // namespace hybrid
