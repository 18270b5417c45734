// Pass: exact algebraic rewrites, one node at a time, in order.
#include <set>

#include "passes/pass.h"
#include "passes/rewriter.h"
#include "passes/simplify_rules.h"

namespace hybrid {

namespace {

class Simplification {
 public:
  Simplification(const Graph& before, PassContext& context)
      : before_(before),
        context_(context),
        guard_(before, context.options),
        uses_(count_uses(before)),
        rewriter_(before) {
    for (const Entry& e : before.outputs) outputs_.insert(e);
  }

  Graph run() {
    for (size_t i = 0; i < before_.nodes.size(); ++i) visit(i);
    return rewriter_.finish();
  }

 private:
  int uses(Entry e) const {
    const int at = before_.position(e.node);
    return at < 0 ? 2 : uses_[static_cast<size_t>(at)][static_cast<size_t>(e.out)];
  }

  void visit(size_t i) {
    const Node& old = before_.nodes[i];
    Node n = rewriter_.copy(old);
    Rewrite rewrite;
    if (!guard_.pinned[i]) {
      const PassOptions& options = context_.options;
      rewrite = find_rewrite({rewriter_.after, n, options.training, options.fast, guard_.flows[i]});
    }
    if (rewrite.kind != Rewrite::none && !allowed(i, rewrite)) rewrite.kind = Rewrite::none;
    if (rewrite.kind != Rewrite::none) context_.begin(std::move(rewrite.rule));
    switch (rewrite.kind) {
      case Rewrite::none: {
        rewriter_.after.add(std::move(n));
        for (int32_t k = 0; k < old.num_outputs(); ++k) claim(old, k, {old.id, k});
        break;
      }
      case Rewrite::input:
        rewriter_.replace({old.id, 0}, rewrite.value);
        claim(old, 0, rewrite.value);
        context_.note(Change::removed, old.id, rewrite.value.node, std::move(rewrite.why));
        break;
      case Rewrite::node: {
        rewrite.replacement.id = -1;
        rewrite.replacement.origins = {rewriter_.after.node(n.inputs[0].node).id, old.id};
        const NodeId id = rewriter_.after.add(std::move(rewrite.replacement)).id;
        rewriter_.replace({old.id, 0}, {id, 0});
        claim(old, 0, {id, 0});
        context_.note(Change::rewritten, old.id, id, std::move(rewrite.why));
        break;
      }
    }
  }

  // Remembers which new values are outputs.
  void claim(const Node& old, int32_t k, Entry now) {
    if (outputs_.count({old.id, k})) claimed_.insert(now);
  }

  bool allowed(size_t i, const Rewrite& rewrite) const {
    const Node& old = before_.nodes[i];
    // Other outputs of the node (a dropout mask) would have nobody to compute them.
    for (size_t k = 1; k < uses_[i].size(); ++k) {
      if (uses_[i][k] > 0) return false;
    }
    // Where a gradient will pass, only values with this one reader: see GradientGuard.
    // A node in the place of another, on the same values, passes its gradient at the same moment.
    const bool in_place =
        rewrite.kind == Rewrite::node && rewrite.replacement.inputs == rewriter_.copy(old).inputs;
    if (guard_.flows[i] && !in_place) {
      for (const Entry& e : old.inputs) {
        if (uses(e) > 1) return false;
      }
      const std::vector<Entry> now = rewrite.kind == Rewrite::input
                                         ? std::vector<Entry>{rewrite.value}
                                         : rewrite.replacement.inputs;
      for (const Entry& e : now) {
        if (uses(e) > 1) return false;
      }
    }
    // Outputs stay values of their own: no input, constant or other output stands in for one.
    if (rewrite.kind == Rewrite::input && outputs_.count({old.id, 0})) {
      const NodeKind kind = rewriter_.after.node(rewrite.value.node).kind;
      if (kind != NodeKind::op || claimed_.count(rewrite.value)) return false;
    }
    return true;
  }

  const Graph& before_;
  PassContext& context_;
  GradientGuard guard_;
  std::vector<std::vector<int>> uses_;
  Rewriter rewriter_;
  std::set<Entry> outputs_;  // of the graph before
  std::set<Entry> claimed_;  // values of the new graph that are outputs
};

}  // namespace

Graph simplify(const Graph& before, PassContext& context) {
  return Simplification(before, context).run();
}

}  // namespace hybrid
