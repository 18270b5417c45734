// The gradient of cond: each branch differentiated by the one gradient pass.
#include "control/body_gradient.h"
#include "control/control.h"
#include "core/error.h"
#include "ops/grad_builder.h"
#include "ops/grad_shape.h"
#include "passes/pass.h"
#include "passes/passthrough.h"

namespace hybrid {

Graph differentiated(const Graph& body, const std::vector<Shape>& shapes,
                     const std::vector<DType>& dtypes, const WantedGradients& wanted) {
  PassOptions typed;
  typed.input_shapes = shapes;
  typed.input_dtypes = dtypes;
  PassContext infer_context{typed, {}, false};
  Graph graph = without_passthrough(infer(body, infer_context), false);
  PassOptions options;
  for (int head : wanted.heads) {
    const Entry e = graph.outputs[static_cast<size_t>(head)];
    Node grad;
    grad.kind = NodeKind::input;
    grad.name = "grad_" + std::to_string(head);
    grad.shapes = {graph.shape(e)};
    grad.dtypes = {graph.dtype(e)};
    const NodeId id = graph.add(std::move(grad)).id;
    graph.inputs.push_back(id);
    options.grad_of.push_back(e);
    options.head_grads.push_back({id, 0});
  }
  for (int input : wanted.inputs) {
    options.grad_wrt.push_back(graph.inputs[static_cast<size_t>(input)]);
  }
  options.heads_may_be_unused = true;  // by the branch taken, or by the steps made
  graph.outputs.clear();
  graph.output_names.clear();
  PassContext context{options, {}, false};
  Graph result = gradient(graph, context);
  result.has_gradient = false;  // a body like any other: it can be differentiated again
  return result;
}

void cond_gradient(GradBuilder& b) {
  WantedGradients wanted;
  std::vector<Shape> shapes;
  std::vector<DType> dtypes;
  std::vector<Entry> inputs = {b.input(0)};
  for (int i = 1; i < b.num_inputs(); ++i) {
    inputs.push_back(b.input(i));
    shapes.push_back(known_shape(b, b.input(i)));
    dtypes.push_back(known_dtype(b, b.input(i)));
    if (b.wanted(i) && is_floating(dtypes.back())) wanted.inputs.push_back(i - 1);
  }
  for (int i = 0; i < b.attrs().op()->count_outputs(b.attrs()); ++i) {
    if (!b.has_out_grad(i)) continue;
    wanted.heads.push_back(i);
    inputs.push_back(b.out_grad(i));
  }
  if (wanted.inputs.empty() || wanted.heads.empty()) return;
  const auto branch = [&](const char* name) {
    return Body::make(differentiated(b.attrs().subgraph(name).graph(), shapes, dtypes, wanted));
  };
  const Attrs attrs = cond_attrs(branch("then"), branch("else"));
  for (size_t i = 0; i < wanted.inputs.size(); ++i) {
    b.set(wanted.inputs[i] + 1, i == 0 ? b.op(attrs, inputs) : Entry());
  }
  // One node gives all of them.
  const Entry first = b.result().at(static_cast<size_t>(wanted.inputs[0] + 1));
  for (size_t i = 1; i < wanted.inputs.size(); ++i) {
    b.set(wanted.inputs[i] + 1, {first.node, static_cast<int32_t>(i)});
  }
}

}  // namespace hybrid
