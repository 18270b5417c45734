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
  // The rewrite that it is part of: its number in its pass, in the order in which they were done,
  // and its rule, "before -> after". A node that is kept is part of none.
  int32_t step = -1;
  std::string rule = {};
};
const char* action_name(Change::Action action);
// False when nothing happened but `kept` (what a pass looked at and left, with the reason).
bool changes_something(const std::vector<Change>& changes);

constexpr int32_t kSqrtSegments = -1;

struct PassOptions;

// What can be asked of a pass by name: compile(graph, fold_limit=0). A row of the table lists its
// pass's, so that a new one is one line.
struct PassSetting {
  const char* name;
  AttrValue initial;
  const char* doc;
  // For what is kept in other options than `settings`. Throws Error saying what is expected.
  // `shown`: the value as it was written.
  void (*set)(const AttrValue& value, const std::string& shown, PassOptions* options) = nullptr;
};

class PassSettings {
 public:
  int64_t integer(const char* name) const;  // as it was set, or at first
  // Throws Error when the value is not of the type of the setting's initial one.
  void set(const PassSetting& setting, AttrValue value, const std::string& shown);

 private:
  std::map<std::string, AttrValue> values_;
};

struct PassOptions {
  bool training = false;
  bool fast = false;                // allow reassociating rewrites
  std::vector<Shape> input_shapes;  // by graph.inputs; unknown allowed
  std::vector<DType> input_dtypes;
  bool assume_dtype = true;  // inputs whose dtype nothing decides are float32
  // MXNet's rule for symbols: open sizes of what is added are equal, and a shape that is given
  // counts, not the one that the variable was declared with.
  bool assume_equal = false;
  std::vector<Entry> grad_of;        // gradient pass: heads (ones as head gradients)
  std::vector<NodeId> grad_wrt;      // input nodes
  std::vector<Entry> head_grads;     // optional, same length as grad_of; undefined: ones
  bool heads_may_be_unused = false;  // head gradients of zeros: nobody used these values
  std::vector<bool> donated;         // by graph.inputs: storage may be reused
  int32_t remat_segments = 0;        // remat: 0 off; kSqrtSegments: the square root of what is kept
  int64_t remat_budget = 0;          // bytes: as few segments as meet it (see compile)
  std::string why_no_remat = "not asked for: remat=...";
  bool devices = false;  // nodes' devices are decided (passes/devices.h)
  PassSettings settings;
};

struct PassContext {
  const PassOptions& options;
  std::vector<Change> changes;
  bool explain = true;  // false: record nothing (nobody will look)
  // Of the plan that a graph would get; null: it gets none.
  std::function<int64_t(const Graph&)> planned_bytes = nullptr;
  std::string why_left = {};   // the graph is what was given, after all
  int32_t last_step = -1;      // the rewrite that was begun last
  std::string last_rule = {};  // its rule

  // Begins the next rewrite: what is noted from here on, but for `kept`, is its doing.
  // `rule`: "x * 1 -> x".
  void begin(std::string rule) {
    if (!explain) return;
    ++last_step;
    last_rule = std::move(rule);
  }
  void note(Change::Action action, NodeId node, NodeId into, std::string why) {
    if (!explain) return;
    changes.push_back({action, node, into, std::move(why)});
    if (action == Change::kept) return;
    changes.back().step = last_step;
    changes.back().rule = last_rule;
  }
};

struct PassInfo {
  const char* name;   // "fold"
  const char* label;  // "constant folding"
  const char* doc;
  bool exact;  // bit-for-bit; false: reassociating, only with options.fast
  Graph (*run)(const Graph&, PassContext&);
  // Why there is nothing to do, or "". Null: that shows when it runs.
  std::string (*why_idle)(const Graph&, const PassOptions&) = nullptr;
  // Why the graph can't be run without it, or "": then it may not be switched off.
  std::string (*why_needed)(const Graph&, const PassOptions&) = nullptr;
  bool types = false;  // finds every shape and type: always run
  std::vector<PassSetting> settings = {};
};
const std::vector<PassInfo>& pass_table();                 // in running order, see CONTRIBUTING
const PassInfo& find_pass(const std::string& name);        // throws Error listing the names
const PassSetting* find_setting(const std::string& name);  // null: no pass has it
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
