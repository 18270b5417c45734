// Pass: reverse-mode differentiation by the operators' gradient rules; the one gradient there is.
//
// Which branch of a cond runs, or how many steps a loop makes, decides whether a value was used at
// all; what was not used gets a gradient of zeros, and the operators before it may make nan of
// these (0 * inf). So a gradient that comes out of control flow is followed by the flow's `used`,
// "it has an element that is not 0", and where flows meet or leave the graph, one that was not used
// is 0.
#include <algorithm>

#include "core/error.h"
#include "graph/text.h"
#include "ops/copy_to_device.h"
#include "ops/grad_builder.h"
#include "ops/grad_shape.h"
#include "passes/devices.h"
#include "passes/open_gradient.h"
#include "passes/pass.h"
#include "passes/rewriter.h"

namespace hybrid {

namespace {

// Rule of what follows a gradient that comes out of control flow.
constexpr const char* kUnused = "gradient that may be unused -> 0 where it is";

// An operator with a number (mul_scalar) goes by its short name.
std::string backward_rule(const OpDef& op) {
  std::string name = op.name;
  const size_t end = name.rfind("_scalar");
  if (end != std::string::npos) name.resize(end);
  return "y = " + name + "(x), gradient of y -> gradient of x";
}

// A gradient, and whether it matters when the graph runs; undefined: it does.
struct Flow {
  Entry grad, used;
};

class Differentiation {
 public:
  Differentiation(const Graph& before, PassContext& context)
      : graph_(before),
        context_(context),
        options_(context.options),
        old_nodes_(before.nodes.size()),
        contributions_(before.nodes.size()) {
    for (size_t i = 0; i < old_nodes_; ++i) contributions_[i].resize(graph_.nodes[i].shapes.size());
  }

  Graph run() {
    find_active();
    seed_heads();
    for (size_t i = old_nodes_; i-- > 0;) {
      if (active_[i]) visit(i);
    }
    append_outputs();
    drop_unused();
    graph_.has_gradient = true;
    if (context_.explain) explain();
    return std::move(graph_);
  }

 private:
  size_t at(Entry e) const { return static_cast<size_t>(graph_.position(e.node)); }

  // Nodes whose value changes smoothly with one of the chosen inputs.
  void find_active() {
    active_.assign(old_nodes_, false);
    bool whole = false;  // gradients of integers are wanted: they pass integers, then
    for (NodeId id : options_.grad_wrt) {
      const Node& n = graph_.node(id);
      whole |= is_integer(n.dtypes[0]);
      require(n.kind == NodeKind::input, "gradient: '", n.name, "' is not an input of the graph");
      active_[static_cast<size_t>(graph_.position(id))] = true;
    }
    for (size_t i = 0; i < old_nodes_; ++i) {
      const Node& n = graph_.nodes[i];
      require(n.kind != NodeKind::fused, "gradient: takes operators, given a fused kernel '",
              n.name, "': the gradient is taken before fusion");
      if (n.kind != NodeKind::op) continue;
      bool reached = false;
      for (size_t k = 0; k < n.inputs.size(); ++k) reached |= wanted(n, k);
      bool real = false;
      for (DType d : n.dtypes) {
        real |= d == DType::unknown || is_floating(d) || is_complex(d) || (whole && is_integer(d));
      }
      active_[i] = reached && real;
    }
  }

  bool wanted(const Node& n, size_t input) const {
    if (!active_[at(n.inputs[input])]) return false;
    const auto& defs = n.op->inputs;
    if (defs.empty()) return true;
    return defs[n.op->variadic ? 0 : std::min(input, defs.size() - 1)].differentiable;
  }

  void seed_heads() {
    const auto& given = options_.head_grads;
    require(given.empty() || given.size() == options_.grad_of.size(),
            "gradient: ", options_.grad_of.size(), " heads, given ", given.size(),
            " head gradients");
    for (size_t i = 0; i < options_.grad_of.size(); ++i) {
      const Entry head = options_.grad_of[i];
      if (!active_.at(at(head))) continue;
      Entry grad = i < given.size() ? given[i] : Entry();
      if (!grad.defined()) grad = add_like("ones_like", head, "head y -> gradient of y: ones");
      if (grad.defined() && graph_.shape(grad).known() && graph_.shape(head).known()) {
        require(graph_.shape(grad) == graph_.shape(head), "gradient: head '",
                graph_.node(head.node).name, "' has shape ", graph_.shape(head),
                ", given a head gradient of shape ", graph_.shape(grad));
      }
      const size_t first = graph_.nodes.size();
      const bool doubtful = options_.heads_may_be_unused && i < given.size() && grad == given[i];
      const Flow flow{grad, doubtful ? not_zero(grad) : Entry()};
      describe(first, graph_.node(head.node), "_head_grad_used", kUnused);
      contribute(head, flow);
    }
  }

  // A gradient is where its value is.
  void contribute(Entry to, Flow flow) {
    flow.grad = beside(to, flow.grad);
    if (flow.used.defined()) flow.used = beside(to, flow.used);
    contributions_[at(to)][static_cast<size_t>(to.out)].push_back(flow);
  }

  Entry not_zero(Entry grad) {
    const Entry zeros = add_op("zeros_like", {grad});
    return add_op("any", {add_op("not_equal", {grad, zeros})});
  }

  // 0 where the flow was not used.
  Entry settled(const Flow& flow) {
    if (!flow.used.defined()) return flow.grad;
    return add_op("where", {flow.used, flow.grad, add_op("zeros_like", {flow.grad})});
  }

  // Was one of them used? Undefined: surely.
  Entry used_of(const std::vector<Flow>& flows) {
    Entry used = flows[0].used;
    for (const Flow& f : flows) {
      if (!used.defined() || !f.used.defined()) return {};
      if (!(f.used == used)) used = add_op("logical_or", {used, f.used});
    }
    return used;
  }

  // Makes several flows decide alike, so that they can be computed with together.
  void settle(std::vector<Flow>* flows) {
    bool alike = true;
    for (const Flow& f : *flows) alike = alike && f.used == flows->front().used;
    if (alike) return;
    const Entry used = used_of(*flows);
    for (Flow& f : *flows) f = {settled(f), used};
  }

  // The sum of what flows in, added in the order in which the users were visited.
  Flow total(Entry of) {
    auto& parts = contributions_[at(of)][static_cast<size_t>(of.out)];
    if (parts.empty()) return {};
    const size_t first_used = graph_.nodes.size();
    settle(&parts);
    describe(first_used, graph_.node(of.node), "_grad_used", kUnused);
    while (parts.size() > 1) {
      const size_t first = graph_.nodes.size();
      const Entry sum = add_op("add", {parts[0].grad, parts[1].grad});
      describe(first, graph_.node(of.node), "_grad_sum",
               "gradients of x from two readers -> their sum");
      parts.erase(parts.begin());
      parts[0].grad = sum;
    }
    return parts[0];
  }

  void visit(size_t i) {
    const Node& n = graph_.nodes[i];
    if (n.kind != NodeKind::op) return;
    std::vector<Flow> flows;
    std::vector<int32_t> flowing;  // their outputs
    const NodeId id = n.id;
    const int32_t outputs = n.num_outputs();
    for (int32_t k = 0; k < outputs; ++k) {
      const Flow flow = total({id, k});
      if (!flow.grad.defined()) continue;
      flows.push_back(flow);
      flowing.push_back(k);
    }
    if (flows.empty()) return;
    const Node forward = graph_.nodes[i];  // adding nodes moves the originals
    if (forward.op->gradient == nullptr) {
      context_.note(Change::kept, id, id,
                    std::string("no gradient flows back through ") + forward.op->name);
      return;
    }
    for (const Entry& e : forward.inputs) expect_real(forward, graph_.dtype(e));
    for (DType d : forward.dtypes) expect_real(forward, d);
    const bool control = forward.op->control_flow;
    const size_t first = graph_.nodes.size();
    settle(&flows);
    std::vector<Entry> out_grads(static_cast<size_t>(outputs));
    for (size_t k = 0; k < flows.size(); ++k) {
      const Flow& flow = flows[k];  // bodies look at the gradients themselves
      out_grads[static_cast<size_t>(flowing[k])] = control ? settled(flow) : flow.grad;
    }
    GradBuilder builder(graph_, forward, out_grads);
    std::vector<bool> wanted_inputs;
    for (size_t k = 0; k < forward.inputs.size(); ++k) wanted_inputs.push_back(wanted(forward, k));
    builder.set_wanted(wanted_inputs);
    std::vector<Entry> grads;
    try {
      forward.op->gradient(builder);
      grads = builder.result();
    } catch (const NeedsTypes&) {
      graph_.nodes.resize(first);
      graph_.reindex();
      grads = open_gradient(forward, wanted_inputs, out_grads);
    }
    describe(first, forward, "_backward", backward_rule(*forward.op));
    for (size_t k = 0; k < forward.inputs.size(); ++k) {
      if (!wanted_inputs[k] || k >= grads.size() || !grads[k].defined()) continue;
      check_type(forward, k, grads[k]);
      const size_t before = graph_.nodes.size();
      const Entry used = control ? not_zero(grads[k]) : flows[0].used;
      describe(before, forward, "_backward_used", kUnused);
      contribute(forward.inputs[k], {grads[k], used});
    }
  }

  // For later, when the shapes that the rule needs are known.
  std::vector<Entry> open_gradient(const Node& forward, const std::vector<bool>& wanted_inputs,
                                   const std::vector<Entry>& out_grads) {
    std::vector<int64_t> wanted;
    for (size_t k = 0; k < wanted_inputs.size(); ++k) {
      if (wanted_inputs[k]) wanted.push_back(static_cast<int64_t>(k));
    }
    Node open = make_open_gradient(forward, wanted, out_grads);
    infer_node(graph_, &open);
    const NodeId id = graph_.add(std::move(open)).id;
    std::vector<Entry> grads(wanted_inputs.size());
    for (size_t k = 0; k < wanted.size(); ++k) {
      grads[static_cast<size_t>(wanted[k])] = {id, static_cast<int32_t>(k)};
    }
    return grads;
  }

  static void expect_real(const Node& n, DType dtype) {
    require(!is_complex(dtype), "gradient: operator ", n.op->name, n.name.empty() ? "" : " '",
            n.name, n.name.empty() ? "" : "'", " computes with ", dtype_name(dtype),
            ": gradients of complex arrays are not defined here");
  }

  void check_type(const Node& forward, size_t k, Entry grad) const {
    const Entry to = forward.inputs[k];
    const Shape& given = graph_.shape(grad);
    const Shape& expected = graph_.shape(to);
    if (!given.known() || !expected.known()) return;
    require(given == expected && graph_.dtype(grad) == graph_.dtype(to), forward.op->name, " '",
            forward.name, "': the gradient of input ", k, " should be ",
            dtype_name(graph_.dtype(to)), " ", expected, ", but is ",
            dtype_name(graph_.dtype(grad)), " ", given);
  }

  // Nodes added since `first` belong to the backward step of `of`: its line, its scope. They are
  // what one rewrite by `rule` adds.
  void describe(size_t first, const Node& of, const char* suffix, std::string rule) {
    if (first == graph_.nodes.size()) return;
    rules_.push_back(std::move(rule));
    rule_of_.resize(graph_.nodes.size(), 0);
    std::fill(rule_of_.begin() + static_cast<std::ptrdiff_t>(first), rule_of_.end(),
              rules_.size() - 1);
    const uint32_t site = of.site;
    const std::string scope = of.scope.empty() ? "backward" : "backward/" + of.scope;
    const NodeId origin = of.id;
    const std::string name = of.name;
    const int32_t key_slot = of.key_slot, segment = of.segment;
    const Context ctx = of.ctx;
    const auto found = of.extra.find(kGroupAttribute);
    const std::string group = found == of.extra.end() ? "" : found->second;
    for (size_t i = first; i < graph_.nodes.size(); ++i) {
      Node& n = graph_.nodes[i];
      n.site = site;
      n.scope = scope;
      n.origins = {origin};
      n.forward = origin;
      n.segment = segment;
      n.ctx = ctx;
      if (!group.empty()) n.extra[kGroupAttribute] = group;
      if (!name.empty()) n.name = name + suffix + (i > first ? std::to_string(i - first) : "");
      if (n.op != nullptr && n.op->random && n.key_slot < 0) n.key_slot = key_slot;
    }
  }

  Entry add_op(const char* op, std::vector<Entry> inputs) {
    Node n;
    n.op = get_op(op);
    n.attrs = Attrs(n.op);
    n.inputs = std::move(inputs);
    infer_node(graph_, &n);
    return {graph_.add(std::move(n)).id, 0};
  }

  // `flow` on the device of `value`.
  Entry beside(Entry value, Entry flow) {
    if (same_device(graph_.node(value.node).ctx, graph_.node(flow.node).ctx)) return flow;
    const Node of = graph_.node(value.node);  // adding nodes moves the originals
    const size_t first = graph_.nodes.size();
    Node n;
    n.attrs = copy_to_device_attrs(of.ctx);
    n.op = n.attrs.op();
    n.inputs = {flow};
    infer_node(graph_, &n);
    const NodeId id = graph_.add(std::move(n)).id;
    describe(first, of, "_grad_copy", "gradient on another device -> copy of it beside its value");
    return {id, 0};
  }

  Entry add_like(const char* op, Entry like, const char* rule) {
    const size_t first = graph_.nodes.size();
    const Entry e = add_op(op, {like});
    describe(first, graph_.node(like.node), "_head_grad", rule);
    return e;
  }

  void append_outputs() {
    for (NodeId id : options_.grad_wrt) {
      const Flow flow = total({id, 0});
      const size_t first = graph_.nodes.size();
      Entry grad = flow.grad.defined() ? settled(flow) : Entry();
      describe(first, graph_.node(id), "_grad_used", kUnused);
      if (!grad.defined()) {
        grad = add_like("zeros_like", {id, 0}, "x that no head needs -> gradient of x: zeros");
      }
      graph_.outputs.push_back(grad);
      graph_.output_names.push_back(graph_.node(id).name + "_grad");
    }
  }

  // Rules may have built more than was wanted.
  void drop_unused() {
    std::vector<bool> used(graph_.nodes.size(), false);
    for (size_t i = 0; i < old_nodes_; ++i) used[i] = true;
    for (const Entry& e : graph_.outputs) used[at(e)] = true;
    for (size_t i = graph_.nodes.size(); i-- > old_nodes_;) {
      if (!used[i]) continue;
      for (const Entry& e : graph_.nodes[i].inputs) used[at(e)] = true;
    }
    size_t to = old_nodes_;
    for (size_t i = old_nodes_; i < graph_.nodes.size(); ++i) {
      if (!used[i]) continue;
      if (to != i) graph_.nodes[to] = std::move(graph_.nodes[i]);
      rule_of_[to] = rule_of_[i];
      ++to;
    }
    graph_.nodes.resize(to);
    graph_.reindex();
  }

  // What was added by one rewrite stands together.
  void explain() {
    for (size_t i = old_nodes_; i < graph_.nodes.size(); ++i) {
      if (i == old_nodes_ || rule_of_[i] != rule_of_[i - 1]) context_.begin(rules_[rule_of_[i]]);
      note_added(graph_.nodes[i]);
    }
  }

  void note_added(const Node& n) {
    const Node& from = graph_.node(n.origins.empty() ? n.id : n.origins[0]);
    const std::string line = line_of(n.site);
    const std::string of = from.kind == NodeKind::input ? "'" + from.name + "'"
                           : from.op != nullptr         ? std::string(from.op->name)
                                                        : "the value";
    context_.note(Change::added, n.id, n.id,
                  "part of the gradient of " + of + (line.empty() ? "" : ", " + line));
  }

  Graph graph_;
  PassContext& context_;
  const PassOptions& options_;
  const size_t old_nodes_;
  std::vector<bool> active_;                                   // by position
  std::vector<size_t> rule_of_;                                // by position: its number in rules_
  std::vector<std::string> rules_;                             // of the rewrites done, in order
  std::vector<std::vector<std::vector<Flow>>> contributions_;  // by position, by output
};

}  // namespace

Graph gradient(const Graph& before, PassContext& context) {
  if (context.options.grad_of.empty() || before.has_gradient) return before;
  return Differentiation(before, context).run();
}

}  // namespace hybrid
