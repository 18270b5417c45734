// Shape and dtype inference of one node, and the error that explains a mismatch.
#include "graph/infer_node.h"

#include <sstream>

#include "core/error.h"
#include "engine/trace.h"

namespace hybrid {

std::string line_of(uint32_t site) {
  if (site == 0) return "";
  const trace::Site where = trace::site_of(site);
  return where.line > 0 ? "line " + std::to_string(where.line) : "";
}

namespace {

std::string type_text(const Shape& shape, DType dtype) {
  return (dtype == DType::unknown ? std::string("?") : dtype_name(dtype)) + " " + shape.str();
}

// "node 'dense0', line 3; given data float32 (2, 3), weight float32 (4, 5)"
std::string describe_use(const Graph& graph, const Node& node) {
  std::ostringstream text;
  text << "node '" << node.name << "'";
  const std::string line = line_of(node.site);
  if (!line.empty()) text << ", " << line;
  if (node.inputs.empty()) return text.str();
  text << "; given ";
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const auto& defs = node.op->inputs;
    const std::string label = defs.empty()        ? "input"
                              : node.op->variadic ? defs[0].name + std::to_string(i)
                              : i < defs.size()   ? defs[i].name
                                                  : "input";
    text << (i ? ", " : "") << label << " "
         << type_text(graph.shape(node.inputs[i]), graph.dtype(node.inputs[i]));
  }
  return text.str();
}

}  // namespace

void run_infer(const Graph& graph, const Node& node, InferBuffers* b) {
  const size_t num_in = node.inputs.size();
  const size_t num_out = static_cast<size_t>(node.op->count_outputs(node.attrs));
  b->in_shapes.resize(num_in);
  b->in_dtypes.resize(num_in);
  for (size_t i = 0; i < num_in; ++i) {
    b->in_shapes[i] = graph.shape(node.inputs[i]);
    b->in_dtypes[i] = graph.dtype(node.inputs[i]);
  }
  b->out_shapes = node.shapes;
  b->out_dtypes = node.dtypes;
  b->out_shapes.resize(num_out, Shape::unknown());
  b->out_dtypes.resize(num_out, DType::unknown);
  InferContext context{node.attrs,   b->in_shapes,  b->out_shapes,
                       b->in_dtypes, b->out_dtypes, node.op->name};
  try {
    require(node.op->infer != nullptr, node.op->name, ": the operator has no inference rule");
    node.op->infer(context);
  } catch (const Error& error) {
    std::string message = error.what();
    const std::string name = node.op->name;
    if (message.compare(0, name.size(), name) != 0) message = name + ": " + message;
    throw Error(message + " (" + describe_use(graph, node) + ")");
  }
}

void infer_node(const Graph& graph, Node* node) {
  if (node->kind != NodeKind::op) return;
  InferBuffers buffers;
  run_infer(graph, *node, &buffers);
  node->shapes = std::move(buffers.out_shapes);
  node->dtypes = std::move(buffers.out_dtypes);
}

}  // namespace hybrid
