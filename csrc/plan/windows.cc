#include "plan/windows.h"

#include "core/error.h"
#include "graph/kernel_kind.h"

namespace hybrid {

bool runs(const Node& node) { return node.kind == NodeKind::op || node.kind == NodeKind::fused; }

bool is_passthrough(const Node& node, bool training) {
  if (node.kind != NodeKind::op || training || !node.op->training_only) return false;
  return !(node.op->attr_index("mode") >= 0 && node.attrs.string("mode") == "always");
}

ValueIndex::ValueIndex(const Graph& graph) {
  first.reserve(graph.nodes.size() + 1);
  inputs.resize(graph.nodes.size());
  int32_t next = 0;
  for (const Node& node : graph.nodes) {
    first.push_back(next);
    next += node.num_outputs();
  }
  first.push_back(next);
  for (size_t p = 0; p < graph.nodes.size(); ++p) {
    inputs[p].reserve(graph.nodes[p].inputs.size());
    for (const Entry& e : graph.nodes[p].inputs) {
      const int q = graph.position(e.node);
      require(q >= 0 && q < static_cast<int>(p), "plan: node ", graph.nodes[p].id, " reads node ",
              e.node, ", which is not before it");
      require(e.out >= 0 && e.out < first[q + 1] - first[q], "plan: node ", e.node,
              " has no output ", e.out);
      inputs[p].push_back(first[q] + e.out);
    }
  }
}

namespace {

// Would `node` run on input number `i` laid out like `view`?
bool takes_layout(const Node& node, int i, const TensorView& view, bool training) {
  if (view.contiguous() || !runs(node)) return true;
  if (traits_of(kernel_kind(node)).any_layout || is_passthrough(node, training)) return true;
  if (node.kind == NodeKind::fused) return false;
  if (node.op->strided_ok) return true;
  if (node.op->view && i == 0) {
    Shape shape, strides;
    int64_t offset = 0;
    return node.op->view(node.attrs, view, &shape, &strides, &offset);
  }
  return false;
}

}  // namespace

Windows find_windows(const Graph& graph, const ValueIndex& values, bool training) {
  const int n = static_cast<int>(graph.nodes.size());
  Windows w;
  w.view.assign(n, false);
  w.window.resize(values.count());
  w.root.resize(values.count());
  std::vector<std::vector<std::pair<int, int>>> readers(n);  // (position, input number)
  for (int p = 0; p < n; ++p) {
    for (size_t i = 0; i < graph.nodes[p].inputs.size(); ++i) {
      readers[graph.position(graph.nodes[p].inputs[i].node)].push_back({p, static_cast<int>(i)});
    }
  }
  for (int p = 0; p < n; ++p) {
    const Node& node = graph.nodes[p];
    for (int o = 0; o < node.num_outputs(); ++o) {
      const int32_t v = values(p, o);
      require(node.shapes[o].known(), "plan: the shape ", node.shapes[o], " of node ", node.id,
              " '", node.name, "' follows neither from the inputs nor from what uses it");
      w.window[v] = {contiguous_strides(node.shapes[o]), 0};
      w.root[v] = v;
    }
    if (!runs(node) || node.inputs.empty()) continue;
    const int32_t source = values.inputs[p][0], v = values(p, 0);
    if (is_passthrough(node, training)) {
      w.view[p] = true;
      w.window[v] = w.window[source];
      w.root[v] = w.root[source];
      continue;
    }
    if (node.kind != NodeKind::op || !node.op->view) continue;
    TensorView in;
    in.dtype = graph.dtype(node.inputs[0]);
    in.shape = graph.shape(node.inputs[0]);
    in.strides = w.window[source].strides;
    Shape shape, strides;
    int64_t offset = 0;
    if (!node.op->view(node.attrs, in, &shape, &strides, &offset)) continue;
    TensorView out = in;
    out.shape = shape;
    out.strides = strides;
    bool usable = true;
    for (const auto& [reader, i] : readers[p]) {
      if (!usable) break;
      usable = takes_layout(graph.nodes[reader], i, out, training);
    }
    if (!usable) continue;
    w.view[p] = true;
    w.window[v] = {strides, w.window[source].offset + offset};
    w.root[v] = w.root[source];
  }
  return w;
}

bool repeats(const Shape& shape, const Shape& strides) {
  for (int i = 0; i < shape.ndim(); ++i) {
    if (shape[i] > 1 && strides[i] == 0) return true;
  }
  return false;
}

}  // namespace hybrid
