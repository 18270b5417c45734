// Pass: BatchNorm at inference becomes other weights of the Convolution before it.
#include <cstring>

#include "graph/text.h"
#include "passes/epilogue.h"
#include "passes/rewriter.h"

namespace hybrid {

namespace {

bool is_op(const Node& n, const char* name) {
  return n.kind == NodeKind::op && std::strcmp(n.op->name, name) == 0;
}

bool is_norm(const Node& n) { return is_op(n, "BatchNorm") || is_op(n, "SyncBatchNorm"); }

class Folding {
 public:
  Folding(const Graph& before, PassContext& context)
      : before_(before), context_(context), uses_(count_uses(before)), rewriter_(before) {
    target_.assign(before.nodes.size(), -1);
  }

  Graph run() {
    bool any = false;
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      const Node& n = before_.nodes[i];
      if (!is_norm(n)) continue;
      const std::string why = why_not(n);
      if (!why.empty()) {
        context_.note(Change::kept, n.id, n.id, why);
        continue;
      }
      const int conv = before_.position(n.inputs[0].node);
      target_[static_cast<size_t>(conv)] = static_cast<int>(i);
      target_[i] = conv;
      any = true;
    }
    if (!any) return before_;
    for (size_t i = 0; i < before_.nodes.size(); ++i) {
      if (target_[i] < 0) {
        rewriter_.keep(before_.nodes[i]);
      } else if (is_norm(before_.nodes[i])) {
        replace(before_.nodes[static_cast<size_t>(target_[i])], before_.nodes[i]);
      }
    }
    return rewriter_.finish();
  }

 private:
  int uses(Entry e) const {
    return uses_[static_cast<size_t>(before_.position(e.node))][static_cast<size_t>(e.out)];
  }

  std::string why_not(const Node& norm) const {
    if (norm.attrs.has("batch_stats") && norm.attrs.boolean("batch_stats")) {
      return "its statistics are the batch's, known only when the convolution is done";
    }
    if (!context_.options.grad_of.empty() || before_.has_gradient) return "a gradient is taken";
    const Entry data = norm.inputs[0];
    const Node& conv = before_.node(data.node);
    if (!is_op(conv, "Convolution")) return "its data is not a convolution's result";
    if (uses(data) != 1) return "the convolution's result is used elsewhere too";
    for (int32_t k = 1; k < norm.num_outputs(); ++k) {
      if (uses({norm.id, k}) > 0) return "its mean or variance is a result";
    }
    const Shape& out = conv.shapes[0];
    const Shape& weight = before_.shape(conv.inputs[1]);
    const int64_t axis = norm.attrs.integer("axis");
    if (axis != 1 && axis != 1 - out.ndim()) return "its channels are not the convolution's";
    if (!out.known() || !weight.known()) return "shapes are not known";
    // Weights are inputs, so the new ones are made in every run.
    if (weight.size() > out.size()) {
      return "the convolution has more weights (" + std::to_string(weight.size()) +
             ") than results (" + std::to_string(out.size()) + ")";
    }
    return "";
  }

  Entry add(const Node& like, const char* op, std::vector<Entry> inputs,
            std::initializer_list<std::pair<const char*, AttrValue>> attrs = {}) {
    Node n;
    n.op = get_op(op);
    n.attrs = Attrs(n.op);
    for (const auto& [name, value] : attrs) n.attrs.set(name, value);
    return add(like, std::move(n), std::move(inputs));
  }

  Entry add(const Node& like, Node n, std::vector<Entry> inputs) {
    n.inputs = std::move(inputs);
    n.site = like.site;
    n.scope = like.scope;
    n.segment = like.segment;
    n.ctx = like.ctx;
    n.origins = {like.id};
    infer_node(rewriter_.after, &n);
    return {rewriter_.after.add(std::move(n)).id, 0};
  }

  // (conv(x, w) + b - mean) * s + beta = conv(x, w * s) + (b - mean) * s + beta, with s = gamma /
  // sqrt(var + eps).
  void replace(const Node& old_conv, const Node& old_norm) {
    const size_t first = rewriter_.after.nodes.size();
    const Node conv = rewriter_.copy(old_conv), norm = rewriter_.copy(old_norm);
    const Entry gamma = norm.inputs[1], beta = norm.inputs[2];
    const Entry mean = norm.inputs[3], var = norm.inputs[4];
    Entry scale =
        add(norm, "rsqrt", {add(norm, "add_scalar", {var}, {{"scalar", norm.attrs.real("eps")}})});
    if (!norm.attrs.boolean("fix_gamma")) scale = add(norm, "mul", {scale, gamma});
    std::vector<int64_t> filters(static_cast<size_t>(conv.shapes[0].ndim()), 1);
    filters[0] = conv.shapes[0][1];
    const Entry rows = add(norm, "reshape", {scale}, {{"shape", filters}});
    const Entry weight = add(norm, "mul", {conv.inputs[1], rows});
    const Entry shifted = conv.inputs.size() > 2 ? add(norm, "sub", {conv.inputs[2], mean})
                                                 : add(norm, "neg", {mean});
    const Entry bias = add(norm, "add", {add(norm, "mul", {shifted, scale}), beta});
    Node n;
    n.op = conv.op;
    n.attrs = conv.attrs;
    n.attrs.set("no_bias", false);
    n.name = norm.name;
    const Entry made = add(conv, std::move(n), {conv.inputs[0], weight, bias});
    rewriter_.after.node(made.node).origins = {conv.id, norm.id};
    rewriter_.replace({old_norm.id, 0}, made);
    if (!context_.explain) return;
    context_.begin(
        "BatchNorm(Convolution(x, w, b)) -> Convolution(x, w * s, (b - mean) * s + beta)");
    for (size_t i = first; i + 1 < rewriter_.after.nodes.size(); ++i) {
      const NodeId id = rewriter_.after.nodes[i].id;
      context_.note(Change::added, id, id, "makes the convolution's new weights and bias");
    }
    context_.note(Change::folded, old_norm.id, made.node,
                  "BatchNorm's factor and term are in the convolution's weights and bias");
    context_.note(Change::rewritten, old_conv.id, made.node,
                  "the convolution takes BatchNorm's factor into its weights");
  }

  const Graph& before_;
  PassContext& context_;
  std::vector<std::vector<int>> uses_;
  std::vector<int> target_;  // by position: its partner's, or -1
  Rewriter rewriter_;
};

}  // namespace

Graph bn_fold(const Graph& before, PassContext& context) { return Folding(before, context).run(); }

}  // namespace hybrid
