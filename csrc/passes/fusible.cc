#include "passes/fusible.h"

#include "core/error.h"

namespace hybrid {

int elementwise_instructions(const Graph& graph, const Node& n) {
  if (n.kind != NodeKind::op || n.op->elementwise == nullptr || n.inputs.empty() ||
      n.op->family == Family::creation || n.op->random || n.num_outputs() != 1 ||
      !n.shapes[0].known()) {
    return 0;
  }
  std::vector<DType> dtypes;
  for (const Entry& e : n.inputs) {
    if (!graph.shape(e).known()) return 0;
    dtypes.push_back(graph.dtype(e));
  }
  std::vector<ElemInstr> program;
  try {
    n.op->elementwise(n.attrs, dtypes, &program);
  } catch (const Error&) {
    return 0;  // not for these dtypes: the operator's own kernel will say so
  }
  return static_cast<int>(program.size());
}

bool same_part(const Node& a, const Node& b) {
  return a.ctx == b.ctx && a.segment == b.segment && is_backward(a) == is_backward(b);
}

Node kernel_ending_in(const Node& last) {
  Node kernel;
  kernel.kind = NodeKind::fused;
  kernel.op = last.op;
  kernel.attrs = last.attrs;
  kernel.name = last.name;
  kernel.site = last.site;
  kernel.scope = last.scope;
  kernel.segment = last.segment;
  kernel.ctx = last.ctx;
  return kernel;
}

}  // namespace hybrid
