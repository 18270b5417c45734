// Control flow from recorded arrays: what was recorded since a point becomes a branch or a body.
#include "control/control.h"

#include <algorithm>
#include <map>

#include "bind/invoke.h"
#include "bind/site.h"
#include "launch/thread_state.h"
#include "trace/pending.h"
#include "trace/trace_op.h"

namespace hybrid {
namespace bind {

namespace {

using Key = std::pair<const SymNode*, int>;

// A recorded array without a value, in whose place every step or branch gets one.
py::object trace_parameter(const py::sequence& shape, const py::object& dtype,
                           const py::object& ctx, const std::string& name) {
  auto node = std::make_shared<SymNode>();
  node->kind = NodeKind::input;
  node->name = name;
  node->shapes = {shape_from_python(shape, "trace_parameter")};
  node->dtypes = {dtype_from_python(dtype)};
  node->ctx = context_from_python(ctx);
  node->site = mark_site();
  node->segment = thread_state().segment;
  node->serial = next_serial();
  ArrayRef ref;
  ref.extra = Ref<ArrayExtra>(new ArrayExtra);
  ref.extra->entry = {node, 0};
  ref.extra->traced = true;
  return wrap(std::move(ref));
}

SymEntry entry_of(const py::handle& array) {
  const ArrayRef& ref = ref_of(array, "trace_control");
  return trace_entry(ref);
}

struct Part {
  Symbol outputs;
  std::vector<SymEntry> parameters;
  std::vector<std::string> names;  // of the outputs
};

bool has_value(const SymEntry& e) {
  return static_cast<size_t>(e.out) < e.node->values.size() &&
         e.node->values[static_cast<size_t>(e.out)].defined();
}

// What a part reads from outside: recorded before it, or a value. Constants are copied into it.
// Variables that a symbolic body makes are inputs too.
void find_captured(const Part& part, int64_t since, bool symbolic, std::map<Key, size_t>* known,
                   std::vector<SymEntry>* captured) {
  std::map<Key, bool> own;
  for (const SymEntry& p : part.parameters) own[{p.node.get(), p.out}] = true;
  std::map<const SymNode*, bool> seen;
  std::vector<SymEntry> stack(part.outputs.outputs.rbegin(), part.outputs.outputs.rend());
  while (!stack.empty()) {
    const SymEntry e = stack.back();
    stack.pop_back();
    const Key key{e.node.get(), e.out};
    if (own.count(key) || e.node->kind == NodeKind::constant) continue;
    const bool variable = symbolic && e.node->kind == NodeKind::input;
    if (e.node->serial < since || has_value(e) || variable) {
      if (known->emplace(key, captured->size()).second) captured->push_back(e);
      continue;
    }
    require(e.node->kind != NodeKind::input, "trace_control: '", e.node->name,
            "' belongs to another body");
    if (!seen.emplace(e.node.get(), true).second) continue;
    for (auto it = e.node->inputs.rbegin(); it != e.node->inputs.rend(); ++it) stack.push_back(*it);
  }
}

std::shared_ptr<const Body> body_of(const Part& part, const std::vector<SymEntry>& captured) {
  std::vector<SymEntry> stops = part.parameters;
  stops.insert(stops.end(), captured.begin(), captured.end());
  Graph graph = to_graph(part.outputs, stops, nullptr);
  for (size_t i = 0; i < stops.size(); ++i) {
    const std::string& name = stops[i].node->name;
    if (!name.empty()) graph.node(graph.inputs[i]).name = name;
  }
  for (size_t i = 0; i < part.names.size() && i < graph.output_names.size(); ++i) {
    if (!part.names[i].empty()) graph.output_names[i] = part.names[i];
  }
  return Body::make(std::move(graph));
}

Part part_of(const py::handle& given) {
  const auto triple = given.cast<py::tuple>();
  Part part;
  for (const py::handle a : triple[0].cast<py::sequence>()) {
    part.outputs.outputs.push_back(entry_of(a));
  }
  for (const py::handle a : triple[1].cast<py::sequence>()) part.parameters.push_back(entry_of(a));
  part.names = triple[2].cast<std::vector<std::string>>();
  return part;
}

template <class T>
T option(const py::dict& options, const char* name, T otherwise) {
  return options.contains(name) ? options[name].cast<T>() : otherwise;
}

Attrs attrs_for(const std::string& kind, const std::vector<std::shared_ptr<const Body>>& bodies,
                const py::dict& options) {
  const size_t expected = kind == "foreach" ? 1 : 2;
  require(bodies.size() == expected, kind, ": expected ", expected, " bodies, given ",
          bodies.size());
  const auto carried = option<int64_t>(options, "carried", 0);
  if (kind == "cond") return cond_attrs(bodies[0], bodies[1]);
  if (kind == "while_loop") {
    return while_loop_attrs(bodies[0], bodies[1], carried,
                            option<int64_t>(options, "max_iterations", -1),
                            option<bool>(options, "must_end", false));
  }
  require(kind == "foreach", "trace_control: expected cond, while_loop or foreach, given '", kind,
          "'");
  Counter counter;
  counter.used = option<bool>(options, "counter", false);
  counter.start = option<int64_t>(options, "start", 0);
  counter.step = option<int64_t>(options, "step", 1);
  counter.steps = option<int64_t>(options, "steps", -1);
  Attrs attrs = foreach_attrs(bodies[0], option<int64_t>(options, "data", 0), carried, counter);
  attrs.set("nd_rows", option<bool>(options, "nd_rows", false));
  return attrs;
}

py::list trace_control(const std::string& kind, const py::sequence& bodies,
                       const py::sequence& operands, int64_t since, const py::dict& options) {
  require(tracing(), kind, ": a control-flow node was asked for outside a recorded cell");
  std::vector<Part> parts;
  std::map<Key, size_t> known;
  std::vector<SymEntry> captured;
  for (const py::handle given : bodies) {
    parts.push_back(part_of(given));
    find_captured(parts.back(), since, false, &known, &captured);
  }
  std::vector<std::shared_ptr<const Body>> made;
  for (const Part& part : parts) made.push_back(body_of(part, captured));
  const Attrs attrs = attrs_for(kind, made, options);
  std::vector<ArrayRef> inputs;
  const auto add = [&](const SymEntry& entry) {
    ArrayRef ref;
    ref.extra = Ref<ArrayExtra>(new ArrayExtra);
    ref.extra->entry = entry;
    ref.extra->traced = true;
    inputs.push_back(std::move(ref));
  };
  for (const py::handle operand : operands) add(entry_of(operand));
  for (const SymEntry& e : captured) add(e);
  mark_site();
  const std::string scope = current_scope();
  std::vector<ArrayRef> results;
  {
    py::gil_scoped_release release;  // the bodies are compiled here
    results = trace_op(*attrs.op(), attrs, inputs, Context(), "", scope);
  }
  py::list list;
  for (ArrayRef& r : results) list.append(wrap(std::move(r)));
  return list;
}

SymEntry symbol_entry(const py::handle& symbol) {
  const auto given = symbol.cast<Symbol>();
  require(given.outputs.size() == 1, "control flow: expected symbols of one output, given one of ",
          given.outputs.size());
  return given.outputs[0];
}

// The same for Symbols: shapes and dtypes are found when the symbol is bound.
Symbol sym_control(const std::string& kind, const py::sequence& bodies,
                   const py::sequence& operands, int64_t since, const py::dict& options,
                   const std::string& name) {
  std::vector<Part> parts;
  std::map<Key, size_t> known;
  std::vector<SymEntry> captured;
  for (const py::handle given : bodies) {
    const auto pair = given.cast<py::tuple>();
    Part part;
    for (const py::handle s : pair[0].cast<py::sequence>()) {
      part.outputs.outputs.push_back(symbol_entry(s));
    }
    for (const py::handle s : pair[1].cast<py::sequence>()) {
      part.parameters.push_back(symbol_entry(s));
    }
    parts.push_back(std::move(part));
    find_captured(parts.back(), since, true, &known, &captured);
  }
  std::vector<std::shared_ptr<const Body>> made;
  for (const Part& part : parts) made.push_back(body_of(part, captured));
  auto node = std::make_shared<SymNode>();
  node->attrs = attrs_for(kind, made, options);
  node->op = node->attrs.op();
  node->name = name.empty() ? auto_name(node->op->name) : name;
  for (const py::handle operand : operands) node->inputs.push_back(symbol_entry(operand));
  node->inputs.insert(node->inputs.end(), captured.begin(), captured.end());
  node->site = mark_site();
  node->scope = current_scope();
  node->serial = next_serial();
  node->num_outputs = node->op->count_outputs(node->attrs);
  Symbol result;
  for (int i = 0; i < node->num_outputs; ++i) result.outputs.push_back({node, i});
  return result;
}

// How many operators recorded since `since` these arrays are computed from.
int64_t count_recorded(const py::sequence& arrays, int64_t since) {
  std::map<const SymNode*, bool> seen;
  std::vector<SymNodeRef> stack;
  for (const py::handle a : arrays) stack.push_back(entry_of(a).node);
  int64_t count = 0;
  while (!stack.empty()) {
    const SymNodeRef node = stack.back();
    stack.pop_back();
    if (node->serial < since || !seen.emplace(node.get(), true).second) continue;
    count += node->kind == NodeKind::op;
    for (const SymEntry& e : node->inputs) stack.push_back(e.node);
  }
  return count;
}

SymEntry base_of(SymEntry e) {
  while (e.node->is_window()) e = e.node->inputs[0];
  return e;
}

// Do arrays recorded since `since` read `target`, or a window on the same memory, from outside?
bool reads_window(const py::sequence& arrays, const py::object& target, int64_t since) {
  const SymEntry base = base_of(entry_of(target));
  std::map<const SymNode*, bool> seen;
  std::vector<SymEntry> stack;
  for (const py::handle a : arrays) stack.push_back(entry_of(a));
  while (!stack.empty()) {
    const SymEntry e = stack.back();
    stack.pop_back();
    if (e.node->serial < since || has_value(e)) {
      const SymEntry from = base_of(e);
      if (from.node == base.node && from.out == base.out) return true;
      if (has_value(from) && has_value(base) &&
          from.node->values[static_cast<size_t>(from.out)].storage ==
              base.node->values[static_cast<size_t>(base.out)].storage) {
        return true;
      }
      continue;
    }
    if (!seen.emplace(e.node.get(), true).second) continue;
    for (const SymEntry& input : e.node->inputs) stack.push_back(input);
  }
  return false;
}

// Is it an array, or a window on one, that was there before `since`?
bool is_outside(const py::object& array, int64_t since) {
  const SymEntry base = base_of(entry_of(array));
  if (base.node->kind == NodeKind::constant) return false;
  return base.node->serial < since || has_value(base);
}

// Is `array` computed from a recorded array's node among `sources` by windows alone, or is it it?
bool is_window_on(const py::object& array, const py::sequence& sources) {
  std::vector<SymEntry> bases;
  for (const py::handle s : sources) bases.push_back(entry_of(s));
  SymEntry e = entry_of(array);
  for (;;) {
    for (const SymEntry& b : bases) {
      if (b.node == e.node && b.out == e.out) return true;
    }
    if (!e.node->is_window()) return false;
    e = e.node->inputs[0];
  }
}

// May another array share its memory? Of arrays from before the trace the references to the memory
// are counted: more than the array's and its node's mean that somebody may.
bool has_company(const py::object& array) {
  const SymEntry base = base_of(entry_of(array));
  for (const py::object& other : live_traced_arrays()) {
    if (other.ptr() == array.ptr()) continue;
    const SymEntry theirs = base_of(as_array(other.ptr())->ref.extra->entry);
    if (theirs.node == base.node && theirs.out == base.out) return true;
  }
  const NDArray& own = peek_ref(array.ptr()).array;
  if (!own.defined()) return false;
  const std::vector<NDArray>& kept = base.node->values;
  const auto counted = std::count_if(
      kept.begin(), kept.end(), [&](const NDArray& value) { return value.storage == own.storage; });
  return own.storage->ref_count() > 1 + counted;
}

}  // namespace

void bind_control(py::module_& m) {
  m.def("trace_parameter", &trace_parameter, py::arg("shape"), py::arg("dtype"), py::arg("ctx"),
        py::arg("name") = "", "A recorded array that a branch or loop body gets when it runs.");
  m.def("recorded_ns", &recorded_ns,
        "Estimate of what the operators that this thread has recorded take on one core, in ns.");
  m.def("pending_ns", &pending_ns, "The same of those that have not been run.");
  m.def("trace_serial", &next_serial, "What is recorded from here on has a higher serial.");
  m.def("trace_control", &trace_control, py::arg("kind"), py::arg("bodies"), py::arg("operands"),
        py::arg("since"), py::arg("options"),
        "Records cond, while_loop or foreach. bodies: (outputs, parameters, output names) each; "
        "what they read from before `since` becomes an input. Returns the outputs. Raises "
        "MXNetError when shapes or dtypes change from step to step or differ between branches.");
  m.def("sym_control", &sym_control, py::arg("kind"), py::arg("bodies"), py::arg("operands"),
        py::arg("since"), py::arg("options"), py::arg("name") = "",
        "The same of Symbols: bodies are (outputs, parameters) each.");
  m.def("count_recorded", &count_recorded, py::arg("arrays"), py::arg("since"),
        "Number of operators recorded since `since` that the arrays are computed from.");
  m.def("reads_window", &reads_window, py::arg("arrays"), py::arg("target"), py::arg("since"),
        "True when what was recorded since `since` reads the array's memory as it was before.");
  m.def("is_outside", &is_outside, py::arg("array"), py::arg("since"),
        "True when it is, or is a view of, an array that was there before `since`.");
  m.def("has_company", &has_company, py::arg("array"),
        "True when another array may share its memory.");
  m.def("is_window_on", &is_window_on, py::arg("array"), py::arg("sources"),
        "True when it is one of the recorded arrays, or a view of one.");
}

}  // namespace bind
}  // namespace hybrid
