// TapeGraph: what was recorded below heads, as a graph to differentiate, and what it is made of.
#pragma once
#include <vector>

#include "tape/tape.h"

namespace hybrid {

struct TapeGraph {
  Graph graph;
  GraphSources sources;
  std::vector<Entry> heads;
};
// Cut where no gradient flows. Throws Error when a head was not recorded or something was freed.
TapeGraph tape_graph_of(const std::vector<ArrayRef>& heads, const char* what);

// Nodes of one variable (it has several when it was written between uses), in order.
struct Target {
  VariableSlot* slot;
  std::vector<NodeId> nodes;
};
std::vector<Target> find_targets(const TapeGraph& tape);
// The requirement that holds now: the front end may have changed it on the array.
inline ArrayExtra::Req req_of(const VariableSlot& slot) {
  return slot.extra ? slot.extra->grad_req : slot.req;
}
// The slot of a variable handed to grad(); throws Error when it was not marked.
VariableSlot* slot_of(const ArrayRef& variable, size_t position);

// Gives up history, and the values kept for it but for a trace's: they may still be read.
void free_tape(const std::vector<ArrayRef>& heads, const TapeGraph& tape, bool values);
// Entries that a later backward() from `heads` may need and that have no value yet.
std::vector<SymEntry> unkept_values(const std::vector<ArrayRef>& heads);

}  // namespace hybrid
