// Tracing of cells: constants, effects, and the graph of what was recorded.
#include <unordered_map>
#include <unordered_set>

#include "array/history.h"
#include "bind/graph_view.h"
#include "bind/invoke.h"
#include "bind/site.h"
#include "bind/trace_graph.h"
#include "launch/thread_state.h"
#include "trace/pending.h"
#include "trace/trace_op.h"

namespace hybrid {
namespace bind {

namespace {

// Effects of the running (or last) trace, by serial.
std::unordered_map<int64_t, SymNodeRef>& effects() {
  static auto* table = new std::unordered_map<int64_t, SymNodeRef>;
  return *table;
}

void begin_trace(int32_t segment) {
  clear_trace_leaves(true);
  clear_trace_inputs();
  forget_pending();
  effects().clear();
  thread_state().mode |= kTracing;
  thread_state().aside = false;
  thread_state().segment = segment;
  note_call();
}

void end_trace() {
  thread_state().mode &= ~static_cast<uint32_t>(kTracing);
  thread_state().aside = false;
  thread_state().segment = 0;
}

SymNodeRef new_node(NodeKind kind) {
  auto node = std::make_shared<SymNode>();
  node->kind = kind;
  node->site = mark_site();
  node->scope = current_scope();
  node->segment = thread_state().segment;
  node->serial = next_serial();
  return node;
}

DType dtype_of_number(const py::object& dtype, PyObject* number) {
  if (!dtype.is_none()) return dtype_from_python(dtype);
  if (PyBool_Check(number)) return DType::boolean;
  if (py::hasattr(number, "dtype"))
    return dtype_from_python(py::object(py::handle(number).attr("dtype")));
  if (PyComplex_Check(number)) return DType::complex128;
  const AttrValue value = number_value(number);
  return std::holds_alternative<int64_t>(value) ? DType::int64 : DType::float64;
}

int64_t trace_effect(const std::string& text, const py::sequence& inputs) {
  std::vector<SymEntry> entries;
  for (const py::handle input : inputs) {
    const ArrayRef& ref = ref_of(input, "trace_effect");
    entries.push_back(trace_entry(ref));
  }
  const SymNodeRef node = new_node(NodeKind::effect);
  node->inputs = std::move(entries);
  node->text = text;
  node->num_outputs = 0;
  effects()[node->serial] = node;
  return node->serial;
}

// What an input is: the recorded value, as value_key() tells it, and the array that it was.
py::tuple source_of(const SymEntry& stop) {
  const SymNode& node = *stop.node;
  if (node.kind != NodeKind::input || variable_slot(node)) {
    return py::make_tuple(py::make_tuple(node.serial, stop.out), py::none());
  }
  const ValueKey key = leaf_source(node);
  PyArray* before = array_before_write(node);
  return py::make_tuple(
      key.serial == 0 ? py::object(py::none()) : py::make_tuple(key.serial, key.out),
      before == nullptr ? py::object(py::none())
                        : py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(before)));
}

py::tuple traced_graph(const py::sequence& outputs, const std::vector<int64_t>& effect_serials,
                       const py::object& names) {
  Symbol symbol;
  for (const py::handle output : outputs) {
    const ArrayRef& ref = ref_of(output, "traced_graph");
    require(ref.extra && ref.extra->entry.node,
            "traced_graph: an array that was not recorded was given");
    symbol.outputs.push_back(ref.extra->entry);
  }
  for (const int64_t serial : effect_serials) {
    const auto found = effects().find(serial);
    require(found != effects().end(), "traced_graph: there is no effect ", serial);
    symbol.outputs.push_back({found->second, 0});
  }
  forget_unheld_writes();
  TracedGraph traced = graph_of(symbol);
  if (!names.is_none()) {
    const auto given = names.cast<std::vector<std::string>>();
    require(given.size() == traced.graph.outputs.size(), "traced_graph: given ", given.size(),
            " names for ", traced.graph.outputs.size(), " arrays");
    for (size_t i = 0; i < given.size(); ++i) {
      if (!given[i].empty()) traced.graph.output_names[i] = given[i];
    }
  }
  py::list inputs;
  py::dict arrays;
  const auto remember = [&](const py::object& array, Entry e) {
    arrays[py::int_(reinterpret_cast<size_t>(array.ptr()))] = py::make_tuple(e.node, e.out);
  };
  for (size_t i = 0; i < traced.stops.size(); ++i) {
    const py::object array = trace_input_object(traced.values[i]);
    inputs.append(array);
    remember(array, {traced.graph.inputs[i], 0});
  }
  for (const py::object& array : live_traced_arrays()) {
    const Entry e = traced.find(as_array(array.ptr())->ref.extra->entry);
    if (e.defined()) remember(array, e);
  }
  py::list sources;
  for (const SymEntry& stop : traced.stops) sources.append(source_of(stop));
  return py::make_tuple(std::make_shared<Graph>(std::move(traced.graph)), inputs, traced.keys,
                        arrays, sources);
}

// with trace_scope("dense0"): nodes recorded inside are in "outer/dense0".
struct TraceScope {
  std::string name, saved;
};

}  // namespace

py::object trace_constant(const py::object& value, const py::object& dtype,
                          const std::string& text) {
  if (!is_number(value.ptr()) && !PyComplex_Check(value.ptr())) {
    throw py::type_error("trace_constant: expected a number, got " +
                         std::string(Py_TYPE(value.ptr())->tp_name));
  }
  const SymNodeRef node = new_node(NodeKind::constant);
  const DType type = dtype_of_number(dtype, value.ptr());
  node->values = {scalar_array(value, type)};
  node->versions = {node->values[0].storage->var.version.load()};
  node->shapes = {Shape()};
  node->dtypes = {type};
  node->text = text;
  ArrayRef ref;
  ref.extra = Ref<ArrayExtra>(new ArrayExtra);
  ref.extra->entry = {node, 0};
  ref.extra->traced = true;
  return wrap(std::move(ref));
}

void bind_cell(py::module_& m) {
  m.def("begin_trace", &begin_trace, py::arg("segment") = 0,
        "From here operators of this thread are recorded as graph nodes and not run.");
  m.def("end_trace", &end_trace);
  m.def("count_writes", &count_writes,
        "How often this thread has written an array that was there, at once or for later.");
  m.def("restart_trace_names", &restart_trace_names,
        "A recording begins: its operators are named from 0 on.");
  m.def("is_tracing", [] { return tracing(); });
  m.def("set_trace_segment", [](int32_t i) { thread_state().segment = i; }, py::arg("segment"));
  m.def("set_scope", &set_scope, py::arg("scope"),
        "Scope of the nodes recorded next ('net0/dense0'); returns the old one.");
  py::class_<TraceScope>(m, "trace_scope",
                         "A named scope of recorded nodes, inside the current one.")
      .def(py::init([](const std::string& name) { return TraceScope{name, ""}; }), py::arg("name"))
      .def("__enter__",
           [](TraceScope& s) {
             const std::string& outer = current_scope();
             s.saved = set_scope(outer.empty() ? s.name : outer + "/" + s.name);
           })
      .def("__exit__", [](TraceScope& s, const py::args&) { set_scope(s.saved); });
  m.def("trace_constant", &trace_constant, py::arg("value"), py::arg("dtype") = py::none(),
        py::arg("text") = "", "A number as a rank-0 traced array; text: how it was written.");
  m.def(
      "trace_effect", &trace_effect, py::arg("text"), py::arg("inputs"),
      "Records an effect such as print; text is a statement with {0}, {1} for the inputs. Returns "
      "its serial for traced_graph().");
  m.def(
      "traced_graph", &traced_graph, py::arg("outputs"),
      py::arg("effects") = std::vector<int64_t>(), py::arg("names") = py::none(),
      "(graph, inputs, keys, {id(array): (node, output)}, sources) of recorded arrays, cut where "
      "values are there already. sources: by input the value_key of what the cell has computed "
      "before, and the array that it was before the cell wrote to that; None where there is none.");
}

}  // namespace bind
}  // namespace hybrid
