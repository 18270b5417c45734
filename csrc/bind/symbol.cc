// Symbol in Python: building, inspecting, inferring; sym/ adds MXNet's methods to the class.
#include "symbol/symbol.h"

#include <algorithm>

#include "files/native_json.h"
#include "symbol/symbol_attributes.h"
#include "symbol/symbol_states.h"

#include "bind/graph_view.h"
#include "bind/mx_call.h"
#include "bind/site.h"
#include "launch/run_op.h"
#include "ops/binary.h"
#include "ops/copy_to_device.h"
#include "passes/pass.h"
#include "passes/symbol_gradient.h"

namespace hybrid {
namespace bind {

namespace {

Symbol symbol_of(py::handle object, const char* what) {
  if (!py::isinstance<Symbol>(object)) {
    throw py::type_error(std::string(what) + ": expected a Symbol, got " +
                         Py_TYPE(object.ptr())->tp_name);
  }
  return object.cast<Symbol>();
}

// Where new nodes come from: the block that is being traced and the user's line.
void set_origin(const Symbol& symbol, uint32_t site) {
  for (const SymEntry& e : symbol.outputs) {
    if (e.node->scope.empty()) e.node->scope = current_scope();
    if (e.node->site == 0) e.node->site = site;
  }
}

// f(x, 2) of an operator of two symbols: its form with a number.
bool use_scalar_form(const py::sequence& inputs, MxCall* call) {
  if (inputs.size() != 2 || call->op->inputs.size() != 2) return false;
  const py::object first = inputs[0], second = inputs[1];
  const bool number_first = is_number(first.ptr()), number_second = is_number(second.ptr());
  if (number_first == number_second) return false;
  const OpDef* form = find_op(scalar_form(call->op->name, number_first));
  if (form == nullptr) return false;
  Attrs attrs(form);
  if (form->attr_index("dtype") >= 0) attrs.set("dtype", call->attrs.at("dtype"));
  attrs.set("scalar", number_value((number_first ? first : second).ptr()));
  call->op = form;
  call->attrs = attrs;
  return true;
}

// A count, which may be a text, as attributes in files are.
int64_t count_from_python(const py::object& given, const std::string& mx_name) {
  const py::object number = py::int_(given);
  const int64_t count = int_from_python(number, "num_args");
  require(count >= 0 && count < (1 << 20), mx_name, ": given num_args ", count,
          ", expected a number of inputs");
  return count;
}

Symbol apply(const std::string& mx_name, const py::sequence& inputs, const py::dict& attrs,
             const std::string& name, const std::map<std::string, std::string>& extra,
             const std::string& hint) {
  MxCall call = mx_call(mx_name, attrs);
  const bool scalar = use_scalar_form(inputs, &call);
  std::vector<Symbol> symbols;
  int given = 0;
  for (const py::handle input : inputs) given += !input.is_none();
  const bool all = given == call.op->count_inputs(call.attrs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const py::object input = inputs[i];
    if (scalar && is_number(input.ptr())) continue;
    if (input.is_none() &&
        (all || (i < call.op->inputs.size() && call.op->inputs[i].is_absent(call.attrs)))) {
      continue;
    }
    symbols.push_back(input.is_none() ? Symbol() : symbol_of(input, mx_name.c_str()));
  }
  while (!symbols.empty() && symbols.back().outputs.empty()) symbols.pop_back();
  call.attrs.check_complete();
  open_sizes(&call.attrs);
  const uint32_t site = mark_site();
  // As in MXNet a node without a name is called after the function.
  const std::string called = name.empty() ? auto_name(hint.empty() ? mx_name : hint) : name;
  if (call.op->variadic && attrs.contains("num_args")) {  // those that are missing are variables
    const auto wanted = static_cast<size_t>(count_from_python(attrs["num_args"], mx_name));
    for (size_t i = symbols.size(); i < wanted; ++i) {
      symbols.push_back(Symbol::variable(called + "_arg" + std::to_string(i)));
    }
  }
  Symbol result = Symbol::apply(call.op, std::move(call.attrs), symbols, called);
  set_origin(result, site);
  for (const SymEntry& e : result.outputs) {
    for (const auto& [key, text] : extra) e.node->extra[key] = text;
    if (extra.empty()) continue;
    for (const SymEntry& input : e.node->inputs) {  // variables made for it have them, too
      const auto is_it = [&](const Symbol& s) {
        return !s.outputs.empty() && s.outputs[0].node == input.node;
      };
      if (input.node->op != nullptr || input.node->kind == NodeKind::constant ||
          std::any_of(symbols.begin(), symbols.end(), is_it)) {
        continue;
      }
      for (const auto& [key, text] : extra) input.node->extra[key] = text;
    }
  }
  return result;
}

// The name of a node that Python's operators make: the manager of names is asked as for functions.
std::string name_after(const std::string& hint) {
  const py::module_ names = py::module_::import("jupyter_hybrid.sym.names");
  const auto name = names.attr("choose_name")(py::none(), hint).cast<std::string>();
  return name.empty() ? auto_name(hint) : name;
}

Symbol apply_core(const OpDef& op, Attrs attrs, const std::vector<Symbol>& inputs,
                  const std::string& hint) {
  const uint32_t site = mark_site();
  Symbol result = Symbol::apply(&op, std::move(attrs), inputs, name_after(hint));
  set_origin(result, site);
  return result;
}

// The operators +, -, ...: a Symbol or a number on the other side.
// What MXNet calls the nodes of an operator: "_plus0", "_rminusscalar0", "_equal_scalar0".
std::string arithmetic_hint(const std::string& op, bool scalar, bool reversed) {
  const bool compares =
      op != "add" && op != "sub" && op != "mul" && op != "div" && op != "mod" && op != "power";
  const std::string kind = op == "add" ? "plus" : op == "sub" ? "minus" : op;
  if (!scalar) return "_" + kind;
  if (reversed && op == "power") return "_rpower_scalar";
  const bool turned = reversed && op != "add" && op != "mul";
  return (turned ? "_r" : "_") + kind + (compares ? "_scalar" : "scalar");
}

py::object arithmetic(const char* op_name, const Symbol& self, const py::object& other,
                      bool reversed) {
  if (py::isinstance<Symbol>(other)) {
    const OpDef& op = *get_op(op_name);
    Attrs attrs(&op);
    if (op.attr_index("dtype") >= 0) attrs.set("dtype", AttrValue());
    const Symbol right = other.cast<Symbol>();
    const std::string hint = arithmetic_hint(op_name, false, reversed);
    return py::cast(reversed ? apply_core(op, attrs, {right, self}, hint)
                             : apply_core(op, attrs, {self, right}, hint));
  }
  if (!is_number(other.ptr())) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  const OpDef& form = *get_op(scalar_form(op_name, reversed));
  Attrs attrs(&form);
  if (form.attr_index("dtype") >= 0) attrs.set("dtype", AttrValue());
  attrs.set("scalar", number_value(other.ptr()));
  return py::cast(apply_core(form, attrs, {self}, arithmetic_hint(op_name, true, reversed)));
}

template <class Class>
void def_operator(Class& symbol, const char* python_name, const char* op_name, bool reversed) {
  symbol.def(
      python_name,
      [op_name, reversed](const Symbol& self, const py::object& other) {
        return arithmetic(op_name, self, other, reversed);
      },
      py::is_operator());
}

Symbol item(const Symbol& self, const py::object& key) {
  if (PyUnicode_Check(key.ptr())) {
    const std::string wanted = key.cast<std::string>();
    const std::vector<std::string> names = self.list_outputs();
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == wanted) return self[i];
    }
    throw py::value_error("there is no output named '" + wanted + "'");
  }
  if (PySlice_Check(key.ptr())) {
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(key.ptr(), &start, &stop, &step) < 0) throw py::error_already_set();
    const auto size = static_cast<Py_ssize_t>(self.outputs.size());
    const Py_ssize_t length = PySlice_AdjustIndices(size, &start, &stop, step);
    Symbol part;
    for (Py_ssize_t k = 0; k < length; ++k) {
      part.outputs.push_back(self.outputs[static_cast<size_t>(start + k * step)]);
    }
    return part;
  }
  int64_t i = int_from_python(key, "Symbol index");
  const auto count = static_cast<int64_t>(self.outputs.size());
  if (i < 0) i += count;
  if (i < 0 || i >= count) {
    throw py::index_error("output " + std::to_string(i) + " of a symbol with " +
                          std::to_string(count));
  }
  return self[static_cast<size_t>(i)];
}

// Attributes of one node in MXNet's string form: the operator's and the variable's.
py::dict node_attrs(const SymNode& node) {
  py::dict result;
  if (node.op != nullptr) {
    std::map<std::string, std::string> mx;
    try {
      to_mx(*node.op, node.attrs, false, &mx);
    } catch (const Error&) {  // no MXNet name: its own attributes
      for (const AttrDef& def : node.op->attrs) mx[def.name] = node.attrs.text(def.name);
    }
    for (const auto& [key, text] : mx) result[key.c_str()] = text;
  }
  for (const auto& [key, text] : node.extra) result[key.c_str()] = text;
  return result;
}

const SymNode& single(const Symbol& symbol, const char* what) {
  require(symbol.outputs.size() == 1, what, ": expected a symbol of one output, this has ",
          symbol.outputs.size());
  return *symbol.outputs[0].node;
}

py::object children(const Symbol& symbol) {
  Symbol result;
  std::vector<const SymNode*> seen;
  for (const SymEntry& e : symbol.outputs) {
    if (std::find(seen.begin(), seen.end(), e.node.get()) != seen.end()) continue;
    seen.push_back(e.node.get());
    result.outputs.insert(result.outputs.end(), e.node->inputs.begin(), e.node->inputs.end());
  }
  if (result.outputs.empty()) return py::none();
  return py::cast(result);
}

// Shapes and dtypes of arguments and outputs as far as they follow from those given by name.
py::tuple infer_types(const Symbol& symbol, const std::map<std::string, py::object>& shapes,
                      const std::map<std::string, py::object>& dtypes, bool assume_dtype) {
  require_unique_arguments(symbol);
  const Graph graph = to_graph(symbol);
  const std::vector<std::string> names = list_inputs(symbol);
  PassOptions options;
  options.assume_dtype = assume_dtype;
  options.assume_equal = true;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto shape = shapes.find(names[i]);
    const auto dtype = dtypes.find(names[i]);
    options.input_shapes.push_back(shape == shapes.end() || shape->second.is_none()
                                       ? Shape::unknown()
                                       : shape_from_python(shape->second, "infer_shape"));
    options.input_dtypes.push_back(dtype == dtypes.end() || dtype->second.is_none()
                                       ? DType::unknown
                                       : dtype_from_python(dtype->second));
  }
  for (const auto* given : {&shapes, &dtypes}) {
    for (const auto& pair : *given) {
      require(std::find(names.begin(), names.end(), pair.first) != names.end(),
              "infer: there is no argument '", pair.first, "'");
    }
  }
  PassContext context{options, {}};
  const Graph inferred = infer(graph, context);
  py::list arg_shapes, arg_dtypes, out_shapes, out_dtypes;
  for (const NodeId id : inferred.inputs) {
    arg_shapes.append(partial_shape(inferred.shape({id, 0})));
    arg_dtypes.append(dtype_text(inferred.dtype({id, 0})));
  }
  for (const Entry& e : inferred.outputs) {
    out_shapes.append(partial_shape(inferred.shape(e)));
    out_dtypes.append(dtype_text(inferred.dtype(e)));
  }
  return py::make_tuple(arg_shapes, out_shapes, arg_dtypes, out_dtypes);
}

Symbol internals_named(const Symbol& symbol) { return symbol.internals(); }

}  // namespace

void bind_symbol(py::module_& m) {
  py::class_<Symbol> symbol(m, "Symbol", "An expression of named variables, computed when bound.");
  symbol
      .def_property_readonly("name",
                             [](const Symbol& s) -> py::object {
                               for (const SymEntry& e : s.outputs) {
                                 if (e.node != s.outputs[0].node) return py::none();
                               }
                               if (s.outputs.empty()) return py::none();
                               return py::str(s.outputs[0].node->name);
                             })
      .def("list_arguments", &Symbol::list_arguments,
           "Names of the variables, inputs first, auxiliary states left out.")
      .def("list_inputs", &list_inputs, "Names of all variables: those of graph().inputs.")
      .def("list_outputs", &Symbol::list_outputs)
      .def("list_auxiliary_states", &list_auxiliary_states,
           "Names of the variables that training changes: moving statistics.")
      .def("get_internals", &internals_named, "Every node's outputs as one symbol.")
      .def("get_children", &children, "The inputs of the node; None for a variable.")
      .def(
          "compose",
          [](const Symbol& s, const py::kwargs& by_name) {
            std::map<std::string, Symbol> given;
            for (const auto& pair : by_name) {
              given[pair.first.cast<std::string>()] = symbol_of(pair.second, "compose");
            }
            return s.compose(given);
          },
          "Variables replaced by name: s.compose(data=other).")
      .def("__getitem__", &item, py::arg("index"))
      .def("__len__", [](const Symbol& s) { return s.outputs.size(); })
      .def(
          "tojson", [](const Symbol& s) { return symbol_to_json(s); }, "MXNet 1.9.1's symbol.json.")
      .def(
          "_tojson_native", [](const Symbol& s) { return symbol_to_native_json(s); },
          "The same for us alone, with the core's names for what MXNet lacks.")
      .def("graph", [](const Symbol& s) { return std::make_shared<Graph>(to_graph(s)); })
      .def(
          "inferred_graph",
          [](const Symbol& s) {
            const PassOptions options;
            PassContext context{options, {}};
            return std::make_shared<Graph>(infer(to_graph(s), context));
          },
          "The graph with the shapes and dtypes that follow from those of its variables.")
      .def("list_attr", [](const Symbol& s) { return node_attrs(single(s, "list_attr")); })
      .def(
          "attr",
          [](const Symbol& s, const std::string& key) -> py::object {
            const py::dict attrs = node_attrs(single(s, "attr"));
            if (attrs.contains(key)) return attrs[key.c_str()];
            const std::string hidden = "__" + key + "__";  // MXNet finds ctx_group, lr_mult
            if (!attrs.contains(hidden)) return py::none();
            return attrs[hidden.c_str()];
          },
          py::arg("key"))
      .def("attr_dict",
           [](const Symbol& s) {
             py::dict result;
             for (const SymNode* node : s.nodes()) {
               py::dict attrs = node_attrs(*node);
               if (!attrs.empty()) result[node->name.c_str()] = attrs;
             }
             return result;
           })
      .def("_set_attr",
           [](const Symbol& s, const std::map<std::string, std::string>& attrs) {
             SymNode& node = *s.outputs.at(0).node;
             for (const auto& [key, text] : attrs) node.extra[key] = text;
           })
      .def("_infer", &infer_types, py::arg("shapes"), py::arg("dtypes"),
           py::arg("assume_dtype") = true)
      .def(
          "_constants",
          [](const Symbol& s) {
            py::dict result;
            for (NamedArray& c : symbol_constants(s)) result[c.name.c_str()] = wrap(c.array);
            return result;
          },
          "Values of the constants by the names that tojson() gives them.")
      .def("_grad", &gradient_of, py::arg("wrt"),
           "Gradients of the outputs' sum by the named arguments, as a symbol on the same nodes.")
      .def("__neg__", [](const Symbol& s) { return arithmetic("mul", s, py::float_(-1.0), false); })
      .def("__abs__",
           [](const Symbol& s) {
             return apply_core(*get_op("abs"), Attrs(get_op("abs")), {s}, "abs");
           })
      .def("__hash__", [](const py::object& s) { return reinterpret_cast<size_t>(s.ptr()) >> 4; })
      .def("__copy__", [](const Symbol& s) { return Symbol(s); })
      .def("__deepcopy__",
           [](const Symbol& s, const py::object&) { return from_graph(to_graph(s)); });
  const struct {
    const char *python, *reversed, *op;
  } operators[] = {{"__add__", "__radd__", "add"},       {"__sub__", "__rsub__", "sub"},
                   {"__mul__", "__rmul__", "mul"},       {"__truediv__", "__rtruediv__", "div"},
                   {"__div__", "__rdiv__", "div"},       {"__mod__", "__rmod__", "mod"},
                   {"__pow__", "__rpow__", "power"},     {"__eq__", nullptr, "equal"},
                   {"__ne__", nullptr, "not_equal"},     {"__gt__", nullptr, "greater"},
                   {"__ge__", nullptr, "greater_equal"}, {"__lt__", nullptr, "lesser"},
                   {"__le__", nullptr, "lesser_equal"}};
  for (const auto& o : operators) {
    def_operator(symbol, o.python, o.op, false);
    if (o.reversed != nullptr) def_operator(symbol, o.reversed, o.op, true);
  }
  m.def(
      "sym_var",
      [](const std::string& name, const py::kwargs& extra) {
        std::map<std::string, std::string> attrs;
        for (const auto& pair : extra)
          attrs[pair.first.cast<std::string>()] = pair.second.cast<std::string>();
        mark_site();
        return Symbol::variable(name, attrs);
      },
      py::arg("name"), "A variable; extra attributes such as __shape__='(2, 3)' are kept with it.");
  m.def(
      "sym_constant",
      [](const py::object& array, const std::string& text) {
        auto node = std::make_shared<SymNode>();
        node->kind = NodeKind::constant;
        node->values = {make_contiguous(value_of(array, "Constant"))};
        node->versions = {node->values[0].storage->var.version.load()};
        node->shapes = {node->values[0].shape};
        node->dtypes = {node->values[0].dtype};
        node->text = text;
        node->name = auto_name("constant");
        node->site = mark_site();
        node->scope = current_scope();
        node->serial = next_serial();
        Symbol result;
        result.outputs = {{node, 0}};
        return result;
      },
      py::arg("array"), py::arg("text") = "",
      "A constant of this array, which must not be written afterwards; text: how it is printed.");
  m.def("sym_apply", &apply, py::arg("mx_name"), py::arg("inputs"), py::arg("attrs"),
        py::arg("name") = "", py::arg("extra") = std::map<std::string, std::string>(),
        py::arg("hint") = "",
        "An operator on symbols; None stands for an input that becomes a variable; hint: what a "
        "node without a name is called after, in place of the operator.");
  m.def(
      "set_symbol_attributes",
      [](std::map<std::string, std::string> attributes) {
        std::swap(attributes, scope_attributes());
        return attributes;
      },
      py::arg("attributes"), "What nodes get that this thread makes from here on; the old ones.");
  m.def(
      "sym_copy_to",
      [](const Symbol& symbol, const py::object& ctx) {
        const Attrs attrs = copy_to_device_attrs(context_from_python(ctx));
        return apply_core(*attrs.op(), attrs, {symbol}, attrs.op()->name);
      },
      py::arg("symbol"), py::arg("ctx"), "The value on another device.");
  m.def(
      "sym_group",
      [](const py::sequence& parts) {
        std::vector<Symbol> symbols;
        for (const py::handle part : parts) symbols.push_back(symbol_of(part, "Group"));
        return Symbol::group(symbols);
      },
      py::arg("symbols"));
  m.def(
      "sym_load_json", [](const std::string& text) { return symbol_from_json(text); },
      py::arg("text"));
  m.def(
      "sym_from_graph", [](const GraphRef& graph) { return from_graph(*graph); }, py::arg("graph"),
      "The Symbol of a graph; fused nodes become their members again.");
}

}  // namespace bind
}  // namespace hybrid
