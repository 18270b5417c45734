// Node objects of a Graph, read-only.
#include <algorithm>

#include "bind/graph_view.h"
#include "bind/invoke.h"
#include "core/error.h"
#include "graph/kernel_kind.h"
#include "graph/text.h"
#include "launch/run_op.h"

namespace hybrid {
namespace bind {

namespace {

const char* kind_name(NodeKind kind) {
  switch (kind) {
    case NodeKind::input:
      return "input";
    case NodeKind::constant:
      return "constant";
    case NodeKind::op:
      return "op";
    case NodeKind::fused:
      return "fused";
    case NodeKind::effect:
      return "effect";
  }
  return "?";
}

const char* family_of(const Node& n) {
  if (n.kind == NodeKind::op) return family_name(n.op->family);
  if (n.kind == NodeKind::fused) return family_name(traits_of(n.kernel).family);
  return kind_name(n.kind);
}

py::dict attrs_of(const Node& n) {
  py::dict result;
  if (n.op == nullptr || n.attrs.op() == nullptr) return result;
  const OpDef& op = *n.attrs.op();
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    result[op.attrs[i].name] = attr_to_python(op.attrs[i].type, n.attrs.values()[i]);
  }
  return result;
}

py::dict bodies_of(const NodeView& view) {
  py::dict result;
  const OpDef* op = view.node->attrs.op();
  for (size_t i = 0; op != nullptr && i < op->attrs.size(); ++i) {
    if (op->attrs[i].type != AttrType::graph) continue;
    const Graph& body = view.node->attrs.subgraph(op->attrs[i].name).graph();
    result[op->attrs[i].name] = std::make_shared<Graph>(body);
  }
  return result;
}

int64_t bytes_of(const Node& n) {
  int64_t bytes = 0;
  for (size_t i = 0; i < n.shapes.size(); ++i) {
    if (!n.shapes[i].known() || n.dtypes[i] == DType::unknown) continue;
    bytes += n.shapes[i].size() * static_cast<int64_t>(dtype_size(n.dtypes[i]));
  }
  return bytes;
}

// Shapes of an operator's inputs, which are found in the graph or among `members`.
std::vector<Shape> shapes_into(const Node& n, const Graph& graph,
                               const std::vector<Node>* members) {
  std::vector<Shape> in;
  for (const Entry& e : n.inputs) {
    const Node* from = nullptr;
    for (size_t i = 0; members != nullptr && from == nullptr && i < members->size(); ++i) {
      if ((*members)[i].id == e.node) from = &(*members)[i];
    }
    if (from == nullptr) from = &graph.node(e.node);
    in.push_back(from->shapes.at(static_cast<size_t>(e.out)));
  }
  return in;
}

bool all_known(const std::vector<Shape>& shapes) {
  return std::all_of(shapes.begin(), shapes.end(), [](const Shape& s) { return s.known(); });
}

double flops_of(const Node& n, const Graph& graph, const std::vector<Node>* members) {
  if (n.kind == NodeKind::fused) {
    double sum = 0;
    for (const Node& member : n.members) sum += flops_of(member, graph, &n.members);
    return sum;
  }
  if (n.kind != NodeKind::op || n.op->view != nullptr) return 0;
  const std::vector<Shape> in = shapes_into(n, graph, members);
  if (!all_known(in) || !all_known(n.shapes)) return 0;
  double elements = 0;
  for (const Shape& shape : n.shapes) elements += static_cast<double>(shape.size());
  return n.op->flops ? n.op->flops(n.attrs, in, n.shapes) : elements;
}

// Estimated time of each member of a fused kernel by itself.
std::vector<double> member_costs(const NodeView& view) {
  const std::vector<Node>& members = view.node->members;
  std::vector<double> ns;
  for (const Node& m : members) {
    const bool runs = m.kind == NodeKind::op && m.op->view == nullptr && all_known(m.shapes);
    ns.push_back(runs ? estimate_cost_ns(*m.op, m.attrs, shapes_into(m, *view.graph, &members),
                                         m.shapes, m.dtypes.at(0))
                      : 0);
  }
  return ns;
}

py::object value_of_node(const Node& n) {
  if (n.kind != NodeKind::constant || !n.value.defined()) return py::none();
  return wrap(n.value);
}

py::list members_of(const NodeView& view) {
  py::list result;
  for (const Node& member : view.node->members) {
    result.append(NodeView{view.graph, &member, false});
  }
  return result;
}

// One operator on its inputs' values, at once and past any trace.
py::list run_node(const NodeView& view, const py::sequence& inputs, uint64_t key) {
  const Node& n = *view.node;
  require(n.kind == NodeKind::op, "Node.run: it is no operator");
  std::vector<NDArray> values;
  for (const py::handle input : inputs) values.push_back(value_of(input, "Node.run"));
  std::vector<NDArray> made;
  {
    const PushScope push(true);
    made = run_op(*n.op, n.attrs, values, key, nullptr, n.ctx);
  }
  py::list list;
  for (NDArray& value : made) list.append(wrap(std::move(value)));
  return list;
}

std::string node_repr(const NodeView& v) {
  const Node& n = *v.node;
  return "<Node " + std::to_string(n.id) + " " +
         (n.op != nullptr ? n.op->name : kind_name(n.kind)) +
         (n.name.empty() ? "" : " '" + n.name + "'") + ">";
}

}  // namespace

py::object dtype_text(DType dtype) {
  if (dtype == DType::unknown) return py::none();
  return py::str(dtype_name(dtype));
}

py::object partial_shape(const Shape& shape) {
  if (!shape.rank_known()) return py::none();
  return shape_to_python(shape);
}

void bind_node(py::module_& m) {
  py::class_<NodeView>(m, "Node",
                       "One node of a Graph: an input, a constant, an operator, a fused "
                       "kernel or an effect.")
      .def_property_readonly("id", [](const NodeView& v) { return v.node->id; })
      .def_property_readonly("kind", [](const NodeView& v) { return kind_name(v.node->kind); })
      .def_property_readonly("op",
                             [](const NodeView& v) -> py::object {
                               if (v.node->op == nullptr) return py::none();
                               return py::str(v.node->op->name);
                             })
      .def_property_readonly("name",
                             [](const NodeView& v) {
                               return py::bytes(v.node->name).attr("decode")("utf-8", "replace");
                             })
      .def_property_readonly("name_in_block",
                             [](const NodeView& v) {
                               const py::bytes name(name_in_block(*v.node));
                               return name.attr("decode")("utf-8", "replace");
                             })
      .def_property_readonly("attrs", [](const NodeView& v) { return attrs_of(*v.node); })
      .def_property_readonly("attrs_text",
                             [](const NodeView& v) {
                               return v.node->attrs.op() != nullptr ? v.node->attrs.summary()
                                                                    : std::string();
                             })
      .def_property_readonly("bodies", &bodies_of,
                             "{name: Graph} of the branches or loop bodies that it runs.")
      .def_property_readonly("inputs",
                             [](const NodeView& v) { return entries_to_python(v.node->inputs); })
      .def_property_readonly("shapes",
                             [](const NodeView& v) {
                               py::list list;
                               for (const Shape& shape : v.node->shapes)
                                 list.append(partial_shape(shape));
                               return list;
                             })
      .def_property_readonly("dtypes",
                             [](const NodeView& v) {
                               py::list list;
                               for (const DType dtype : v.node->dtypes)
                                 list.append(dtype_text(dtype));
                               return list;
                             })
      .def_property_readonly("origins",
                             [](const NodeView& v) { return ids_to_python(v.node->origins); })
      .def_property_readonly("forward",
                             [](const NodeView& v) -> py::object {
                               if (v.node->forward < 0) return py::none();
                               return py::int_(v.node->forward);
                             })
      .def_property_readonly("site", [](const NodeView& v) { return v.node->site; })
      .def_property_readonly("scope", [](const NodeView& v) { return v.node->scope; })
      .def_property_readonly("key_slot",
                             [](const NodeView& v) -> py::object {
                               if (v.node->key_slot < 0) return py::none();
                               return py::int_(v.node->key_slot);
                             })
      .def_property_readonly("segment", [](const NodeView& v) { return v.node->segment; })
      .def_property_readonly("ctx", [](const NodeView& v) { return v.node->ctx; })
      .def_property_readonly("value", [](const NodeView& v) { return value_of_node(*v.node); })
      .def_property_readonly("text", [](const NodeView& v) { return v.node->text; })
      .def_property_readonly("extra", [](const NodeView& v) { return v.node->extra; })
      .def_property_readonly("members", &members_of)
      .def_property_readonly(
          "member_outputs",
          [](const NodeView& v) { return entries_to_python(v.node->member_outputs); })
      .def_property_readonly("family", [](const NodeView& v) { return family_of(*v.node); })
      .def_property_readonly(
          "is_view", [](const NodeView& v) { return v.is_view; },
          "True when it runs no kernel: a window on its first input.")
      .def_property_readonly(
          "flops", [](const NodeView& v) { return flops_of(*v.node, *v.graph, nullptr); },
          "Estimated floating-point operations of one run.")
      .def_property_readonly("member_costs", &member_costs,
                             "Estimated ns of each member by itself, on one core.")
      .def_property_readonly(
          "bytes", [](const NodeView& v) { return bytes_of(*v.node); },
          "Bytes of its outputs; 0 where shapes are unknown.")
      .def("run", &run_node, py::arg("inputs"), py::arg("key") = 0,
           "Runs this one operator now, whatever is recorded.")
      .def("__repr__", &node_repr);
}

}  // namespace bind
}  // namespace hybrid
