// GradBuilder: adds the nodes of one operator's gradient to the graph.
#include "ops/grad_builder.h"

#include "core/error.h"
#include "graph/graph.h"

namespace hybrid {

GradBuilder::GradBuilder(Graph& graph, const Node& node, std::vector<Entry> out_grads)
    : graph_(graph),
      node_(node.id),
      attrs_(node.attrs),
      inputs_(node.inputs),
      out_grads_(std::move(out_grads)),
      grads_(node.inputs.size()),
      wanted_(node.inputs.size(), true) {
  out_grads_.resize(static_cast<size_t>(node.num_outputs()));
}

Entry GradBuilder::output(int i) const { return {node_, i}; }

Entry GradBuilder::out_grad(int i) {
  Entry& grad = out_grads_.at(static_cast<size_t>(i));
  if (!grad.defined()) grad = zeros_as(output(i));
  return grad;
}

Entry GradBuilder::zeros_as(Entry x) {
  const Shape of = shape(x);
  const DType type = dtype(x);
  if (!of.known() || type == DType::unknown) return op("zeros_like", {x});
  return op("zeros", {}, {{"shape", of.to_vector()}, {"dtype", static_cast<int64_t>(type)}});
}

bool GradBuilder::has_out_grad(int i) const {
  return out_grads_.at(static_cast<size_t>(i)).defined();
}

Shape GradBuilder::shape(Entry e) const { return graph_.shape(e); }

DType GradBuilder::dtype(Entry e) const { return graph_.dtype(e); }

Entry GradBuilder::op(const char* core_name, const std::vector<Entry>& inputs, AttrList attrs,
                      int out) {
  Attrs values(get_op(core_name));
  for (const auto& [name, value] : attrs) values.set(name, value);
  return op(core_name, inputs, values, out);
}

Entry GradBuilder::op(const char* core_name, const std::vector<Entry>& inputs, const Attrs& attrs,
                      int out) {
  require(attrs.op() == get_op(core_name), core_name, ": given attributes of ",
          attrs.op() ? attrs.op()->name : "no operator");
  return op(attrs, inputs, out);
}

Entry GradBuilder::op(const Attrs& attrs, const std::vector<Entry>& inputs, int out) {
  Node node;
  node.op = attrs.op();
  attrs.check_complete();
  node.attrs = attrs;
  node.inputs = inputs;
  node.scope = "backward";
  node.origins = {node_};
  node.forward = node_;
  const Node& forward = graph_.node(node_);
  node.site = forward.site;
  node.segment = forward.segment;
  node.ctx = forward.ctx;
  // A random operator in a gradient redraws the forward's own numbers (Dropout's mask).
  if (node.op->random) node.key_slot = forward.key_slot;
  infer_node(graph_, &node);
  return {graph_.add(std::move(node)).id, out};
}

Entry GradBuilder::sum_like(Entry grad, Entry like) {
  const Shape from = graph_.shape(grad), to = graph_.shape(like);
  if (from.known() && to.known() && from == to) return grad;
  // By its shape where that is known, so that `like` need not be kept for this.
  if (to.known()) return op("sum_to_shape", {grad}, {{"shape", to.to_vector()}});
  return op("sum_like", {grad, like});
}

void GradBuilder::set(int input, Entry grad) { grads_.at(static_cast<size_t>(input)) = grad; }

bool GradBuilder::wanted(int input) const { return wanted_.at(static_cast<size_t>(input)); }

}  // namespace hybrid
