// Pass: joins reductions of rows with the elementwise work before and after them (softmax, norms).
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "graph/kernel_kind.h"
#include "graph/row_kernel.h"
#include "graph/row_reduction.h"
#include "graph/text.h"
#include "passes/fusible.h"
#include "passes/groups.h"
#include "passes/order.h"
#include "passes/pass.h"
#include "passes/rewriter.h"
#include "passes/row_parts.h"

namespace hybrid {

namespace {

class RowFusion {
 public:
  RowFusion(const Graph& before, PassContext& context)
      : before_(before), context_(context), text_(before), parts_(before), rewriter_(before) {
    for (size_t i = 0; i < before.nodes.size(); ++i) {
      for (const Entry& e : before.nodes[i].inputs) readers_[e].push_back(i);
    }
    heads_.insert(before.outputs.begin(), before.outputs.end());
  }

  Graph run() {
    note_left();
    if (!parts_.any_reduction()) return before_;
    while (group_all()) {
      const std::vector<int> useless = groups_not_better();
      if (useless.empty()) return rebuild();
      // What took part in them is free for others.
      for (int group : useless) {
        for (size_t m : groups_->members(group)) {
          if (parts_[m].reductions > 0) parts_.drop(m);
        }
      }
    }
    return before_;
  }

 private:
  size_t at(Entry e) const { return static_cast<size_t>(before_.position(e.node)); }

  void note_left() {
    if (!context_.explain) return;
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      const std::string& why = parts_[i].why_not;
      if (why.empty() || !next_to_elementwise(i)) continue;
      const Node& n = before_.nodes[i];
      context_.note(Change::kept, n.id, n.id, described(n) + " reduces " + why);
    }
  }

  bool next_to_elementwise(size_t i) const {
    const auto elementwise = [&](size_t j) {
      const KernelKind kind = kernel_kind(before_.nodes[j]);
      return kind != KernelKind::none && kind != KernelKind::op;
    };
    const auto found = readers_.find({before_.nodes[i].id, 0});
    return found != readers_.end() &&
           std::any_of(found->second.begin(), found->second.end(), elementwise);
  }

  // Joins all that can be joined; false when that is nothing.
  bool group_all() {
    groups_.emplace(before_);
    bool any = false;
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      groups_->add(i);
      any |= join_producers(i);
    }
    for (bool more = true; more;) {
      more = join_siblings();
      for (size_t i = 0; i < before_.nodes.size(); ++i) more |= join_producers(i);
      any |= more;
    }
    return any;
  }

  std::vector<int> groups_not_better() const {
    std::vector<int> result;
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      const int group = groups_->group_of(i);
      const auto& members = groups_->members(group);
      if (members[0] == i && members.size() > 1 && !is_better(needed(group), group)) {
        result.push_back(group);
      }
    }
    return result;
  }

  bool join_producers(size_t i) {
    if (parts_[i].members.empty()) return false;
    bool any = false;
    for (const Entry& e : before_.nodes[i].inputs) {
      const size_t from = at(e);
      if (parts_[from].members.empty()) continue;
      const int a = groups_->group_of(from), b = groups_->group_of(i);
      if (a != b && fits(a, b)) any |= groups_->merge(a, b);
    }
    return any;
  }

  // Kernels that reduce the same values to few results read them once.
  bool join_siblings() {
    bool any = false;
    for (const auto& entry : readers_) {
      std::set<int> found;  // those that reduce and make no more than one element a row
      for (size_t r : entry.second) {
        const int group = groups_->group_of(r);
        if (reductions_in(group) > 0 && !writes_rows(group)) found.insert(group);
      }
      std::vector<int> apart(found.begin(), found.end());
      for (size_t i = 0; i + 1 < apart.size(); ++i) {
        for (size_t k = i + 1; k < apart.size(); ++k) {
          if (!fits(apart[i], apart[k]) || !groups_->merge_any(apart[i], apart[k])) continue;
          any = true;
          if (groups_->members(apart[k]).empty()) apart[k] = apart[i];
          break;  // both go on as apart[k]
        }
      }
    }
    return any;
  }

  int reductions_in(int group) const {
    int sum = 0;
    for (size_t m : groups_->members(group)) sum += parts_[m].reductions;
    return sum;
  }

  // Is some value with all elements of the rows needed outside?
  bool writes_rows(int group) const {
    RowShape rows;
    if (!find_rows(group, group, &rows)) return true;
    for (size_t m : groups_->members(group)) {
      for (const Entry& e : outputs_of(m, group)) {
        if (before_.shape(e).size() != rows.rows) return true;
      }
    }
    return false;
  }

  std::vector<size_t> members_of(int a, int b) const {
    std::vector<size_t> all = groups_->members(a);
    if (a == b) return all;
    const auto& more = groups_->members(b);
    all.insert(all.end(), more.begin(), more.end());
    std::sort(all.begin(), all.end());
    return all;
  }

  bool find_rows(int a, int b, RowShape* rows) const {
    std::vector<const Node*> members;
    for (size_t m : members_of(a, b)) {
      for (const Node& own : parts_[m].members) members.push_back(&own);
    }
    return hybrid::find_rows(members, [this](Entry e) { return parts_.type_of(e); }, rows);
  }

  bool fits(int a, int b) const {
    if (reductions_in(a) + reductions_in(b) == 0) return false;
    if (!same_part(before_.nodes[groups_->members(a)[0]], before_.nodes[groups_->members(b)[0]])) {
      return false;
    }
    int cost = 0;
    size_t outputs = 0;
    std::set<Entry> inputs;
    for (size_t m : members_of(a, b)) {
      cost += parts_[m].cost;
      if (!is_view(m)) outputs += outputs_of(m, a, b).size();
      for (const Entry& e : before_.nodes[m].inputs) {
        const int from = groups_->group_of(at(e));
        if (from != a && from != b) inputs.insert(e);
      }
      if (cost > kMaxInstructions || outputs > kMaxKernelOutputs ||
          inputs.size() > kMaxKernelInputs) {
        return false;
      }
    }
    RowShape rows;
    return find_rows(a, b, &rows);
  }

  // What node m makes that is a result, or read by others than these groups (by those that have
  // one already).
  std::vector<Entry> outputs_of(size_t m, int a, int b = -1) const {
    std::vector<Entry> result;
    const Node& n = before_.nodes[m];
    for (int32_t k = 0; k < n.num_outputs(); ++k) {
      const Entry e{n.id, k};
      bool outside = heads_.count(e) > 0;
      const auto readers = readers_.find(e);
      if (readers != readers_.end()) {
        for (size_t r : readers->second) {
          const int group = groups_->group_of(r);
          outside |= group != a && (b < 0 || group != b);
        }
      }
      if (outside) result.push_back(e);
    }
    return result;
  }

  // Is one kernel better than its parts? It reads or writes something less.
  bool is_better(const std::vector<size_t>& members, int group) const {
    if (members.size() < 2) return false;
    int reductions = 0;
    std::set<NodeId> narrow;
    RowShape rows;
    if (!find_rows(group, group, &rows)) return false;
    for (size_t i : members) {
      for (const Node& m : parts_[i].members) {
        reductions += is_row_reduction(*m.op);
        if (m.op->elementwise == nullptr || m.shapes[0] != rows.shape) {
          narrow.insert(m.id);
          continue;
        }
        for (const Entry& e : m.inputs) {
          if (narrow.count(e.node)) return true;
        }
      }
    }
    return reductions > 1;
  }

  bool is_view(size_t i) const {
    const Node& n = before_.nodes[i];
    return n.kind == NodeKind::op && n.op->elementwise == nullptr && n.op->view != nullptr;
  }

  // The group's nodes without views that nobody in it reads: outside they cost nothing.
  std::vector<size_t> needed(int group) const {
    std::vector<size_t> kept;
    std::set<size_t> read;
    const auto& all = groups_->members(group);
    for (auto i = all.rbegin(); i != all.rend(); ++i) {
      if (is_view(*i) && !read.count(*i)) continue;
      kept.push_back(*i);
      for (const Entry& e : before_.nodes[*i].inputs) read.insert(at(e));
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
  }

  Graph rebuild() {
    std::vector<int> unit_of(before_.nodes.size(), -1);
    std::vector<std::vector<size_t>> units;
    std::vector<size_t> keys;
    const auto add_unit = [&](std::vector<size_t> members) {
      for (size_t m : members) unit_of[m] = static_cast<int>(units.size());
      keys.push_back(members.back());
      units.push_back(std::move(members));
    };
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      const int group = groups_->group_of(i);
      const auto& all = groups_->members(group);
      if (all[0] == i) add_unit(all.size() == 1 ? all : needed(group));
      if (unit_of[i] < 0) add_unit({i});  // a view that is not needed inside
    }
    const auto node_before = must_precede(before_);
    std::vector<std::vector<size_t>> before(units.size());
    for (size_t u = 0; u < units.size(); ++u) {
      for (size_t m : units[u]) {
        for (size_t v : node_before[m]) {
          if (unit_of[v] != static_cast<int>(u)) {
            before[u].push_back(static_cast<size_t>(unit_of[v]));
          }
        }
      }
    }
    for (size_t u : order_by_key(before, keys)) {
      if (units[u].size() == 1) {
        rewriter_.keep(before_.nodes[units[u][0]]);
      } else {
        add_kernel(units[u]);
      }
    }
    return rewriter_.finish();
  }

  void add_kernel(const std::vector<size_t>& nodes) {
    const Node& last = before_.nodes[nodes.back()];
    const std::set<size_t> inside(nodes.begin(), nodes.end());
    const auto is_inside = [&](Entry e) {
      const int p = before_.position(e.node);
      return p < 0 || inside.count(static_cast<size_t>(p)) > 0;
    };
    Node kernel = kernel_ending_in(last);
    std::vector<Entry> results;
    for (size_t i : nodes) {
      const Node& n = before_.nodes[i];
      for (const Entry& e : n.inputs) {
        const Entry outer = rewriter_.map(e);
        if (is_inside(e) || std::count(kernel.inputs.begin(), kernel.inputs.end(), outer)) continue;
        kernel.inputs.push_back(outer);
      }
      for (Node m : n.kind == NodeKind::fused ? n.members : std::vector<Node>{n}) {
        for (Entry& e : m.inputs) e = is_inside(e) ? parts_.resolved(e) : rewriter_.map(e);
        kernel.origins.push_back(m.id);
        kernel.members.push_back(std::move(m));
      }
      for (int32_t k = 0; k < n.num_outputs(); ++k) {
        const auto readers = readers_.find({n.id, k});
        bool outside = heads_.count({n.id, k}) > 0;
        if (readers != readers_.end()) {
          for (size_t r : readers->second) outside |= !inside.count(r);
        }
        if (outside) results.push_back({n.id, k});
      }
    }
    // A dead end is still an output: nothing else would be left of it.
    if (results.empty()) results.push_back({last.id, 0});
    for (const Entry& e : results) {
      kernel.member_outputs.push_back(parts_.resolved(e));
      kernel.shapes.push_back(before_.shape(e));
      kernel.dtypes.push_back(before_.dtype(e));
    }
    kernel.kernel = kernel_kind_of(kernel.members);
    const NodeId id = rewriter_.after.add(std::move(kernel)).id;
    for (size_t k = 0; k < results.size(); ++k) {
      rewriter_.replace(results[k], {id, static_cast<int32_t>(k)});
    }
    if (!context_.explain) return;
    context_.begin("reductions of rows and elementwise work on them -> one kernel");
    for (size_t i : nodes) {
      const bool written =
          std::any_of(results.begin(), results.end(), [&](Entry e) { return at(e) == i; });
      note(i, nodes, written, id);
    }
  }

  // "max(x, axis=(1,))"; of a kernel, what it makes.
  std::string described(const Node& n) {
    if (!context_.explain) return "";
    if (n.kind != NodeKind::fused) return text_.shallow(n);
    return text_.label(n) + " (a kernel of " + std::to_string(n.members.size()) + " operators)";
  }

  void note(size_t i, const std::vector<size_t>& nodes, bool written, NodeId into) {
    const Node& n = before_.nodes[i];
    const bool one_number = parts_[i].reductions > 0 && n.num_outputs() == 1;
    std::string why = described(n);
    if (i == nodes.back()) {
      why += " ends a kernel that takes a row through " + std::to_string(nodes.size()) +
             " steps while it is in cache";
    } else if (one_number) {
      why += written ? " is written out as well as read again by the kernel that made it"
                     : " of each row stays in the kernel: the row is read from memory once";
    } else if (written) {
      why += " is computed on the way, and written out because it is needed elsewhere";
    } else if (is_view(i)) {
      why += " costs nothing: it says how a row's number is read";
    } else {
      why += " is computed row by row and never written to memory";
    }
    context_.note(Change::fused, n.id, into, std::move(why));
  }

  const Graph& before_;
  PassContext& context_;
  Expressions text_;
  std::optional<Groups> groups_;
  RowParts parts_;
  std::map<Entry, std::vector<size_t>> readers_;
  std::set<Entry> heads_;
  Rewriter rewriter_;
};

}  // namespace

Graph reduction(const Graph& before, PassContext& context) {
  return RowFusion(before, context).run();
}

}  // namespace hybrid
