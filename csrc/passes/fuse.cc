// Pass: joins elementwise operators into one kernel each (operation folding, fusion).
#include <algorithm>
#include <set>

#include "graph/kernel_kind.h"
#include "graph/row_reduction.h"
#include "graph/text.h"
#include "graph/window_write.h"
#include "passes/fusible.h"
#include "passes/groups.h"
#include "passes/order.h"
#include "passes/pass.h"
#include "passes/rewriter.h"

namespace hybrid {

namespace {

class Fusion {
 public:
  Fusion(const Graph& before, PassContext& context)
      : before_(before),
        context_(context),
        text_(before),
        groups_(before),
        cost_(before.nodes.size(), 0),
        rewriter_(before) {
    readers_.resize(before.nodes.size());
    for (size_t i = 0; i < before.nodes.size(); ++i) {
      for (const Entry& e : before.nodes[i].inputs) readers_[at(e)].push_back(i);
    }
    ends_.assign(before.nodes.size(), false);
    head_.assign(before.nodes.size(), false);
    for (const Entry& e : before.outputs) head_[at(e)] = true;
  }

  Graph run() {
    bool any = false;
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      groups_.add(i);
      cost_[i] = elementwise_instructions(before_, before_.nodes[i]);
      if (cost_[i] > 0) {
        any |= join_producers(i);
      } else {
        any |= join_result(i);
      }
    }
    if (!any) return before_;
    return rebuild();
  }

 private:
  size_t at(Entry e) const { return static_cast<size_t>(before_.position(e.node)); }

  bool join_producers(size_t i) {
    const Node& n = before_.nodes[i];
    bool any = false;
    for (const Entry& e : n.inputs) {
      const size_t from = at(e);
      const Node& p = before_.nodes[from];
      if (cost_[from] == 0 || p.shapes[0] != n.shapes[0] || !same_part(p, n) ||
          groups_.group_of(from) == groups_.group_of(i)) {
        continue;
      }
      if (fits(groups_.group_of(from), groups_.group_of(i))) {
        any |= groups_.merge(groups_.group_of(from), groups_.group_of(i));
      }
    }
    return any;
  }

  // A reduction over rows takes in what it reduces, a write to a window what it writes, when
  // nobody else wants that.
  bool join_result(size_t i) {
    const Node& n = before_.nodes[i];
    if (n.kind != NodeKind::op || n.inputs.empty()) return false;
    const size_t from = at(n.inputs.back());
    const Node& p = before_.nodes[from];
    RowReduction reduction;
    WindowWrite write;
    if (cost_[from] == 0 || head_[from] || readers_[from].size() != 1 || !same_part(p, n) ||
        !((find_row_reduction(n, p.shapes[0], p.dtypes[0], &reduction) &&
           is_worth_ending_in(reduction)) ||
          find_window_write(n, p.shapes[0], &write))) {
      return false;
    }
    const int group = groups_.group_of(from);
    for (size_t m : groups_.members(group)) {
      bool outside = head_[m];
      for (size_t r : readers_[m]) outside |= r != i && groups_.group_of(r) != group;
      if (outside || readers_[m].empty()) return false;
    }
    if (!groups_.merge(group, groups_.group_of(i))) return false;
    ends_[i] = true;
    return true;
  }

  bool is_ended(int group) const {
    for (size_t m : groups_.members(group)) {
      if (ends_[m]) return true;
    }
    return false;
  }

  // Every count only grows, so the first that is too large decides: a sum of thousands is refused
  // by its own length, not by looking at all of it for each of its terms.
  bool fits(int a, int b) const {
    if (is_ended(a) || is_ended(b)) return false;
    int cost = 0;
    for (int g : {a, b}) {
      for (size_t m : groups_.members(g)) cost += cost_[m];
    }
    if (cost > kMaxInstructions) return false;
    size_t outputs = 0;
    std::set<Entry> inputs;
    const auto inside = [&](size_t i) {
      return groups_.group_of(i) == a || groups_.group_of(i) == b;
    };
    const auto outside = [&](size_t r) { return groups_.group_of(r) >= 0 && !inside(r); };
    for (int g : {a, b}) {
      for (size_t m : groups_.members(g)) {
        const auto& readers = readers_[m];
        outputs += head_[m] || std::any_of(readers.begin(), readers.end(), outside);
        for (const Entry& e : before_.nodes[m].inputs) {
          if (!inside(at(e))) inputs.insert(e);
        }
        if (inputs.size() > kMaxKernelInputs || outputs >= kMaxKernelOutputs) return false;
      }
    }
    return true;
  }

  Graph rebuild() {
    // Units in an order that keeps the code's where it can: a kernel stands at its last member.
    std::vector<int> unit_of(before_.nodes.size(), -1);
    std::vector<const std::vector<size_t>*> units;
    std::vector<size_t> keys;
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      const auto& members = groups_.members(groups_.group_of(i));
      if (members.back() != i) continue;
      for (size_t m : members) unit_of[m] = static_cast<int>(units.size());
      units.push_back(&members);
      keys.push_back(i);
    }
    const auto node_before = must_precede(before_);
    std::vector<std::vector<size_t>> before(units.size());
    for (size_t u = 0; u < units.size(); ++u) {
      for (size_t m : *units[u]) {
        for (size_t v : node_before[m]) {
          if (unit_of[v] != static_cast<int>(u))
            before[u].push_back(static_cast<size_t>(unit_of[v]));
        }
      }
    }
    for (size_t u : order_by_key(before, keys)) {
      if (units[u]->size() == 1) {
        rewriter_.keep(before_.nodes[units[u]->front()]);
      } else {
        add_kernel(*units[u]);
      }
    }
    return rewriter_.finish();
  }

  void add_kernel(const std::vector<size_t>& members) {
    const Node& last = before_.nodes[members.back()];
    const int group = groups_.group_of(members.back());
    Node kernel = kernel_ending_in(last);
    for (size_t m : members) {
      const Node& n = before_.nodes[m];
      kernel.origins.push_back(n.id);
      kernel.members.push_back(rewriter_.copy(n));
      for (size_t k = 0; k < n.inputs.size(); ++k) {
        const Entry outer = kernel.members.back().inputs[k];
        if (groups_.group_of(at(n.inputs[k])) == group) continue;
        if (std::find(kernel.inputs.begin(), kernel.inputs.end(), outer) == kernel.inputs.end()) {
          kernel.inputs.push_back(outer);
        }
      }
      if (!read_outside(m, group)) continue;
      kernel.member_outputs.push_back({n.id, 0});
      kernel.shapes.push_back(n.shapes[0]);
      kernel.dtypes.push_back(n.dtypes[0]);
    }
    const std::vector<Entry> outputs = kernel.member_outputs;
    kernel.kernel = kernel_kind_of(kernel.members);
    const NodeId id = rewriter_.after.add(std::move(kernel)).id;
    for (size_t k = 0; k < outputs.size(); ++k) {
      rewriter_.replace(outputs[k], {id, static_cast<int32_t>(k)});
    }
    if (!context_.explain) return;
    context_.begin(rule(last));
    for (size_t m : members) note(m, members, group, id);
  }

  // By what the kernel ends in.
  std::string rule(const Node& last) const {
    const bool ends = ends_[static_cast<size_t>(before_.position(last.id))];
    return "elementwise operators" + (ends ? ", " + std::string(last.op->name) : "") +
           " -> one kernel";
  }

  bool read_outside(size_t m, int group) const {
    if (head_[m]) return true;
    for (size_t r : readers_[m]) {
      if (groups_.group_of(r) != group) return true;
    }
    // A dead end is still an output: nothing else would be left of it.
    return readers_[m].empty();
  }

  void note(size_t m, const std::vector<size_t>& members, int group, NodeId into) {
    const Node& n = before_.nodes[m];
    const Node& last = before_.nodes[members.back()];
    std::string why = text_.shallow(n);
    if (m == members.back()) {
      why += " ends a kernel of " + std::to_string(members.size()) +
             " operators: one pass over memory";
    } else if (read_outside(m, group)) {
      why += " is computed on the way to " + text_.name({last.id, 0}) +
             ", and written out because it is needed elsewhere";
    } else {
      why += " goes straight into " + text_.name({last.id, 0}) + " and is never written to memory";
    }
    context_.note(Change::fused, n.id, into, std::move(why));
  }

  const Graph& before_;
  PassContext& context_;
  Expressions text_;
  Groups groups_;
  std::vector<int> cost_;                     // by position
  std::vector<std::vector<size_t>> readers_;  // by position
  std::vector<bool> head_;                    // by position
  std::vector<bool> ends_;                    // by position: what a kernel's result goes through
  Rewriter rewriter_;
};

}  // namespace

Graph fuse(const Graph& before, PassContext& context) { return Fusion(before, context).run(); }

}  // namespace hybrid
