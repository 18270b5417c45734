// Pass: computes now what depends on nothing but constants.
#include <algorithm>
#include <set>

#include "graph/constant.h"
#include "graph/text.h"
#include "ops/copy_to_device.h"
#include "passes/evaluate.h"
#include "passes/pass.h"
#include "passes/rewriter.h"

namespace hybrid {

namespace {

class Folding {
 public:
  Folding(const Graph& before, PassContext& context)
      : before_(before),
        context_(context),
        text_(before),
        guard_(before, context.options),
        limit_(context.options.settings.integer("fold_limit")),
        values_(before.nodes.size()),
        folds_(before.nodes.size(), false),
        absorbed_(before.nodes.size(), false),
        into_(before.nodes.size(), -1),
        more_(before.nodes.size()) {}

  Graph run() {
    bool any = false;
    for (size_t i = 0; i < before_.nodes.size(); ++i) any |= try_node(i);
    if (!any) return before_;
    find_live();
    return rebuild();
  }

 private:
  size_t at(Entry e) const { return static_cast<size_t>(before_.position(e.node)); }

  bool try_node(size_t i) {
    const Node& n = before_.nodes[i];
    if (n.kind == NodeKind::constant) {
      values_[i] = {n.value};
      return false;
    }
    if (n.kind != NodeKind::op || n.inputs.empty() || n.op->random || n.op->meets ||
        guard_.pinned[i] || is_device_copy(n.op)) {
      return false;
    }
    std::vector<NDArray> inputs;
    for (const Entry& e : n.inputs) {
      const auto& known = values_[at(e)];
      if (known.empty()) return false;
      inputs.push_back(known[static_cast<size_t>(e.out)]);
    }
    int64_t bytes = 0;
    for (int32_t k = 0; k < n.num_outputs(); ++k) {
      if (!n.shapes[k].known() || n.dtypes[k] == DType::unknown) return false;
      bytes += before_.bytes({n.id, k});
    }
    if (bytes > limit_) {
      context_.note(Change::kept, n.id, n.id,
                    "it is known before running, but its " + std::to_string(bytes) +
                        " bytes are more than the limit of " + std::to_string(limit_));
      return false;
    }
    std::string reason;
    if (!evaluate(n, inputs, &values_[i], &reason)) {
      values_[i].clear();
      context_.note(Change::kept, n.id, n.id,
                    "computing it fails, which is left to the run: " + reason);
      return false;
    }
    folds_[i] = true;
    return true;
  }

  // Folded nodes that something unfolded reads become constants; what only those read vanishes;
  // what nobody reads is left for dead code elimination to name.
  void find_live() {
    std::vector<bool> live(before_.nodes.size(), false);
    read_outside_.resize(before_.nodes.size());
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      read_outside_[i].assign(before_.nodes[i].shapes.size(), false);
    }
    const auto read = [&](Entry e) {
      live[at(e)] = true;
      read_outside_[at(e)][static_cast<size_t>(e.out)] = true;
    };
    for (const Entry& e : before_.outputs) read(e);
    for (size_t i = before_.nodes.size(); i-- > 0;) {
      if (folds_[i] && !live[i]) folds_[i] = false;
      for (const Entry& e : before_.nodes[i].inputs) {
        if (folds_[i]) {
          live[at(e)] = true;
          absorbed_[at(e)] = true;
        } else {
          read(e);
        }
      }
    }
  }

  Graph rebuild() {
    Rewriter rewriter(before_);
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      const Node& n = before_.nodes[i];
      const auto& outside = read_outside_[i];
      const bool wanted = std::find(outside.begin(), outside.end(), true) != outside.end();
      if (folds_[i]) {
        for (int32_t k = 0; k < n.num_outputs(); ++k) {
          if (outside[static_cast<size_t>(k)]) add_constant(rewriter, i, k);
        }
      } else if (n.kind != NodeKind::constant || wanted || !absorbed_[i]) {
        rewriter.keep(n);  // a constant that only folded nodes read is part of their results
      }
    }
    for (size_t i = before_.nodes.size(); i-- > 0;) {
      if (folds_[i]) spread(i);
    }
    Graph after = rewriter.finish();
    if (context_.explain) explain(after);
    return after;
  }

  void add_constant(Rewriter& rewriter, size_t i, int32_t k) {
    const Node& n = before_.nodes[i];
    Node constant;
    constant.kind = NodeKind::constant;
    constant.name = n.num_outputs() > 1 ? n.name + "_" + std::to_string(k) : n.name;
    constant.value = values_[i][static_cast<size_t>(k)];
    constant.shapes = {constant.value.shape};
    constant.dtypes = {constant.value.dtype};
    constant.site = n.site;
    constant.scope = n.scope;
    constant.segment = n.segment;
    constant.ctx = n.ctx;
    constant.origins = sources(i);
    const NodeId id = rewriter.after.add(std::move(constant)).id;
    rewriter.replace({n.id, k}, {id, 0});
    if (into_[i] < 0) {
      into_[i] = id;
    } else {
      more_[i].push_back(id);
    }
  }

  // Every node the value was computed from: folded operators and the constants below them.
  std::vector<NodeId> sources(size_t i) const {
    std::set<NodeId> ids;
    std::vector<size_t> open = {i};
    while (!open.empty()) {
      const Node& n = before_.nodes[open.back()];
      open.pop_back();
      if (!ids.insert(n.id).second) continue;
      for (const Entry& e : n.inputs) open.push_back(at(e));
    }
    return {ids.begin(), ids.end()};
  }

  // Tells what lies below a new constant where it went.
  void spread(size_t i) {
    for (const Entry& e : before_.nodes[i].inputs) {
      if (into_[at(e)] < 0) into_[at(e)] = into_[i];
    }
  }

  void explain(const Graph& after) {
    // A constant that is gone left with the last that was computed from it.
    std::vector<std::vector<NodeId>> gone(before_.nodes.size());
    std::vector<bool> told(before_.nodes.size(), false);
    for (size_t i = before_.nodes.size(); i-- > 0;) {
      if (!folds_[i]) continue;
      for (const Entry& e : before_.nodes[i].inputs) {
        const bool leaves = !folds_[at(e)] && !after.contains(e.node) && !told[at(e)];
        if (leaves) gone[i].push_back(e.node);
        told[at(e)] = told[at(e)] || leaves;
      }
    }
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      if (!folds_[i]) continue;
      note(i);
      for (NodeId id : gone[i]) {
        context_.note(Change::removed, id, into_[i],
                      text_.name({id, 0}) + " is needed for that alone");
      }
      for (NodeId id : more_[i]) {
        context_.note(Change::added, id, id,
                      "another result of " + text_.name({before_.nodes[i].id, 0}));
      }
    }
  }

  void note(size_t i) {
    const Node& n = before_.nodes[i];
    context_.begin("f(constants) -> constant");
    std::string why = text_.deep(n, 3);
    const std::string value = n.num_outputs() == 1 ? literal_text(values_[i][0]) : "";
    if (!value.empty()) why += " = " + value;
    context_.note(Change::folded, n.id, into_[i], why + " is known before running");
  }

  const Graph& before_;
  PassContext& context_;
  Expressions text_;
  GradientGuard guard_;
  const int64_t limit_;                          // larger results are not folded
  std::vector<std::vector<NDArray>> values_;     // by position: known outputs
  std::vector<bool> folds_;                      // by position
  std::vector<std::vector<bool>> read_outside_;  // by position, by output
  std::vector<bool> absorbed_;                   // by position: read by a folded node
  std::vector<NodeId> into_;                     // by position: the constant it went into
  std::vector<std::vector<NodeId>> more_;        // by position: those of its other outputs
};

}  // namespace

Graph fold(const Graph& before, PassContext& context) { return Folding(before, context).run(); }

}  // namespace hybrid
