// Passes: pure, named functions Graph -> Graph, each recording what it did and why.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace hybrid {

struct Change {
  enum Action : uint8_t { folded, merged, removed, fused, rewritten, added, moved, kept } action;
  NodeId node;       // in the graph before (added: after)
  NodeId into = -1;  // in the graph after
  std::string why;   // for people: "2 * 3 is known before running"
};
const char* action_name(Change::Action action);
// False when nothing happened but `kept` (what a pass looked at and left, with the reason).
bool changes_something(const std::vector<Change>& changes);

constexpr int32_t kSqrtSegments = -1;

struct PassOptions {
  bool training = false;
  bool fast = false;                // allow reassociating rewrites
  std::vector<Shape> input_shapes;  // by graph.inputs; unknown allowed
  std::vector<DType> input_dtypes;
  bool assume_dtype = true;            // inputs whose dtype nothing decides are float32
  std::vector<Entry> grad_of;          // gradient pass: heads (ones as head gradients)
  std::vector<NodeId> grad_wrt;        // input nodes
  std::vector<Entry> head_grads;       // optional, same length as grad_of; undefined: ones
  bool heads_may_be_unused = false;    // head gradients of zeros: nobody used these values
  std::vector<bool> donated;           // by graph.inputs: storage may be reused
  int64_t fold_limit_bytes = 1 << 16;  // larger results are not folded
  int32_t remat_segments = 0;  // remat: 0 off; kSqrtSegments: the square root of what is kept
  int64_t remat_budget = 0;    // bytes: as few segments as meet it (see compile)
  bool devices = false;        // nodes' devices are decided (passes/devices.h)
};

struct PassContext {
  const PassOptions& options;
  std::vector<Change> changes;
  bool explain = true;  // false: record nothing (nobody will look)
  void note(Change::Action action, NodeId node, NodeId into, std::string why) {
    if (explain) changes.push_back({action, node, into, std::move(why)});
  }
};

struct PassInfo {
  const char* name;   // "fold"
  const char* label;  // "constant folding"
  const char* doc;
  bool exact;  // bit-for-bit; false: reassociating, only with options.fast
  Graph (*run)(const Graph&, PassContext&);
};
const std::vector<PassInfo>& pass_table();           // in running order, see CONTRIBUTING
const PassInfo& find_pass(const std::string& name);  // throws Error listing the names
// Label of any stage, passes or not: "written" -> "as written", "plan" -> "memory plan".
const char* stage_label(const std::string& name);

Graph infer(const Graph&, PassContext&);  // throws Error naming op, node, given and expected
Graph fold(const Graph&, PassContext&);
Graph simplify(const Graph&, PassContext&);
Graph cse(const Graph&, PassContext&);
Graph dce(const Graph&, PassContext&);
Graph gradient(const Graph&, PassContext&);  // appends gradient nodes; outputs = heads, then grads
Graph remat(const Graph&, PassContext&);
Graph fuse(const Graph&, PassContext&);
Graph reduction(const Graph&, PassContext&);
Graph place(const Graph&, PassContext&);
Graph schedule(const Graph&, PassContext&);

}  // namespace hybrid
