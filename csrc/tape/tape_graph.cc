#include "tape/tape_graph.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"

namespace hybrid {
namespace {

// Was `input`'s history given up before `user` was recorded? It is a constant to it then.
bool freed_before(const SymNode& input, const SymNode& user) {
  return is_freed(input) && input.freed_at < user.serial;
}

// Where no gradient flows below a trace's nodes, in the order in which MXNet visits them.
std::vector<SymEntry> cuts_of(const Symbol& symbol) {
  std::vector<SymEntry> cuts;
  std::unordered_set<const SymNode*> seen;
  std::map<std::pair<const SymNode*, int>, bool> cut;
  std::vector<std::pair<const SymNode*, size_t>> stack;
  const auto visit = [&](const SymEntry& e, const SymNode* user) {
    const SymNode& n = *e.node;
    const bool deeper =
        n.tape == Tape::recorded || (is_freed(n) && user != nullptr && !freed_before(n, *user));
    if (deeper) {
      if (seen.insert(&n).second) stack.emplace_back(&n, 0);
    } else if (cut.emplace(std::make_pair(&n, e.out), true).second) {
      cuts.push_back(e);
    }
  };
  for (const SymEntry& head : symbol.outputs) {
    visit(head, nullptr);
    while (!stack.empty()) {
      const SymNode* node = stack.back().first;
      const size_t i = stack.back().second;
      if (i == node->inputs.size()) {
        stack.pop_back();
      } else {
        ++stack.back().second;
        visit(node->inputs[i], node);
      }
    }
  }
  return cuts;
}

}  // namespace

TapeGraph tape_graph_of(const std::vector<ArrayRef>& heads, const char* what) {
  Symbol symbol;
  bool traced = false;
  for (size_t i = 0; i < heads.size(); ++i) {
    const SymEntry* entry = standing_entry(heads[i]);
    require(!entry || !is_freed(*entry->node), what, ": head ", i,
            " was differentiated before and what "
            "was recorded is freed; give that call retain_graph=True to differentiate twice");
    require(entry && has_history(*entry->node), what, ": head ", i,
            " was not recorded: compute it inside "
            "autograd.record() from arrays on which attach_grad() was called");
    traced = traced || entry->node->traced;
    symbol.outputs.push_back(*entry);
  }
  TapeGraph tape;
  tape.graph = to_graph(symbol, traced ? cuts_of(symbol) : std::vector<SymEntry>(), &tape.sources);
  tape.heads = tape.graph.outputs;
  for (const Node& n : tape.graph.nodes) {
    if (n.kind == NodeKind::op) check_not_freed(*tape.sources.nodes[n.id]);
  }
  return tape;
}

std::vector<Target> find_targets(const TapeGraph& tape) {
  std::vector<Target> targets;
  std::unordered_map<VariableSlot*, size_t> known;
  for (NodeId id : tape.graph.inputs) {
    VariableSlot* slot = variable_slot(*tape.sources.nodes[id]);
    if (!slot) continue;
    const auto [at, fresh] = known.emplace(slot, targets.size());
    if (fresh) targets.push_back({slot, {}});
    targets[at->second].nodes.push_back(id);
  }
  return targets;
}

VariableSlot* slot_of(const ArrayRef& variable, size_t position) {
  VariableSlot* slot = variable.extra && variable.extra->variable && variable.extra->entry.node
                           ? variable_slot(*variable.extra->entry.node)
                           : nullptr;
  require(slot, "grad: variable ", position,
          " was not marked: call attach_grad() on it before record()");
  return slot;
}

void free_tape(const std::vector<ArrayRef>& heads, const TapeGraph& tape, bool values) {
  std::vector<SymNodeRef> keep;  // a node may be held by its users alone
  for (const ArrayRef& h : heads) keep.push_back(standing_entry(h)->node);
  std::vector<SymNode*> nodes;
  for (size_t id = 0; id < tape.sources.nodes.size(); ++id) {
    const SymNode* node = tape.sources.nodes[id];
    if (!node || node->kind != NodeKind::op || tape.sources.stop_outs[id] >= 0) continue;
    nodes.push_back(const_cast<SymNode*>(node));
    for (const SymEntry& e : node->inputs) keep.push_back(e.node);
  }
  const int64_t now = nodes.empty() ? 0 : next_serial();
  for (SymNode* node : nodes) {
    node->tape = Tape::freed;
    node->freed_at = now;
    if (node->traced || !values) continue;
    node->values.clear();
    node->inputs.clear();
    node->held.reset();
  }
}

std::vector<SymEntry> unkept_values(const std::vector<ArrayRef>& heads) {
  std::vector<SymEntry> found;
  std::unordered_set<const SymNode*> seen;
  std::vector<SymEntry> stack;
  for (const ArrayRef& head : heads) {
    if (const SymEntry* entry = standing_entry(head)) stack.push_back(*entry);
  }
  while (!stack.empty()) {
    const SymEntry e = stack.back();
    stack.pop_back();
    const SymNode& n = *e.node;
    if (!has_history(n) || !n.traced || !seen.insert(&n).second) continue;
    for (int i = 0; i < n.num_outputs; ++i) {
      const auto at = static_cast<size_t>(i);
      if (at >= n.values.size() || !n.values[at].defined()) found.push_back({e.node, i});
    }
    if (variable_slot(n)) continue;
    for (const SymEntry& input : n.inputs) {
      // A constant of the recording: its value is needed too.
      const auto out = static_cast<size_t>(input.out);
      const bool valued = out < input.node->values.size() && input.node->values[out].defined();
      if (has_history(*input.node)) {
        stack.push_back(input);
      } else if (!valued && seen.insert(input.node.get()).second) {
        for (int i = 0; i < input.node->num_outputs; ++i) found.push_back({input.node, i});
      }
    }
  }
  return found;
}

}  // namespace hybrid
