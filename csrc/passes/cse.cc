// Pass: computes once what is computed twice from the same inputs.
#include <set>
#include <unordered_map>

#include "graph/constant.h"
#include "graph/text.h"
#include "passes/pass.h"
#include "passes/rewriter.h"

namespace hybrid {

namespace {

class Merging {
 public:
  Merging(const Graph& before, PassContext& context)
      : before_(before),
        context_(context),
        text_(before),
        guard_(before, context.options),
        rewriter_(before) {
    for (const Entry& e : before.outputs) outputs_.insert(e);
  }

  Graph run() {
    for (size_t i = 0; i < before_.nodes.size(); ++i) visit(i);
    return rewriter_.finish();
  }

 private:
  void visit(size_t i) {
    const Node& old = before_.nodes[i];
    Node n = rewriter_.copy(old);
    if (n.kind == NodeKind::constant) number_constant(n);
    // Under a gradient merging would add the contributions in another order: see GradientGuard.
    const bool fixed = guard_.pinned[i] || guard_.flows[i];
    if (n.kind != NodeKind::op || n.op->meets || fixed) {
      rewriter_.keep(old);
      return;
    }
    std::vector<NodeId>& bucket = seen_[hash(n)];
    for (NodeId id : bucket) {
      Node& first = rewriter_.after.node(id);
      if (!same(first, n) || both_outputs(first, old)) continue;
      for (int32_t k = 0; k < n.num_outputs(); ++k) {
        rewriter_.replace({old.id, k}, {first.id, k});
        if (outputs_.count({old.id, k})) outputs_.insert({first.id, k});
      }
      first.origins.push_back(old.id);
      if (context_.explain) {
        context_.begin("f(x), f(x) -> f(x) once");
        context_.note(Change::merged, old.id, first.id, reason(old, first));
      }
      return;
    }
    bucket.push_back(old.id);
    rewriter_.after.add(std::move(n));
  }

  // Constants stay, but operators see equal ones as the same: the number of the first.
  void number_constant(const Node& n) {
    std::string key = std::to_string(static_cast<int>(n.value.dtype)) + n.value.shape.str() +
                      n.ctx.str() + ":" + constant_bytes(n.value);
    constant_number_[n.id] = constants_.emplace(std::move(key), n.id).first->second;
  }

  Entry canonical(Entry e) const {
    const auto constant = constant_number_.find(e.node);
    return constant == constant_number_.end() ? e : Entry{constant->second, e.out};
  }

  uint64_t hash(const Node& n) const {
    uint64_t h = reinterpret_cast<uintptr_t>(n.op) ^ n.attrs.hash();
    const auto mix = [&h](uint64_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15ull + (h >> 29); };
    for (const Entry& e : n.inputs) {
      const Entry c = canonical(e);
      mix(static_cast<uint64_t>(c.node) << 8 | static_cast<uint64_t>(c.out));
    }
    mix(static_cast<uint64_t>(static_cast<int64_t>(n.key_slot)));
    return h;
  }

  bool same(const Node& a, const Node& b) const {
    if (a.op != b.op || !(a.attrs == b.attrs) || a.inputs.size() != b.inputs.size() ||
        a.ctx != b.ctx || a.key_slot != b.key_slot || a.shapes != b.shapes ||
        a.dtypes != b.dtypes) {
      return false;
    }
    for (size_t i = 0; i < a.inputs.size(); ++i) {
      if (!(canonical(a.inputs[i]) == canonical(b.inputs[i]))) return false;
    }
    return true;
  }

  // Two outputs stay two values: each is handed to somebody who may write to it.
  bool both_outputs(const Node& first, const Node& second) const {
    for (int32_t k = 0; k < second.num_outputs(); ++k) {
      if (outputs_.count({first.id, k}) && outputs_.count({second.id, k})) return true;
    }
    return false;
  }

  std::string reason(const Node& dup, const Node& first) {
    const std::string line = line_of(first.site);
    return text_.shallow(dup) + " was computed before" + (line.empty() ? "" : ": " + line);
  }

  const Graph& before_;
  PassContext& context_;
  Expressions text_;
  GradientGuard guard_;
  Rewriter rewriter_;
  std::set<Entry> outputs_;
  std::unordered_map<uint64_t, std::vector<NodeId>> seen_;
  std::unordered_map<std::string, NodeId> constants_;
  std::unordered_map<NodeId, NodeId> constant_number_;
};

}  // namespace

Graph cse(const Graph& before, PassContext& context) { return Merging(before, context).run(); }

}  // namespace hybrid
