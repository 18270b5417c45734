// invoke(): operators by MXNet's names; invoke_core(): by the core's, strictly.
#include <cstring>

#include "array/trace_writes.h"
#include "bind/mx_call.h"
#include "bind/states.h"
#include "core/device_name.h"
#include "launch/call_types.h"
#include "launch/thread_state.h"
#include "ops/binary.h"
#include "ops/states.h"

namespace hybrid {
namespace bind {

namespace {

// f(x, 2) of an operator of two arrays: its form with a number. Returns the array's position or -1.
int use_scalar_form(const py::sequence& inputs, const OpDef** op, Attrs* attrs) {
  if (inputs.size() != 2 || (*op)->inputs.size() != 2 || (*op)->family != Family::elementwise)
    return -1;
  const py::object first = inputs[0], second = inputs[1];
  const bool number_first = is_number(first.ptr()), number_second = is_number(second.ptr());
  if (number_first == number_second) return -1;
  const OpDef* form = find_op(scalar_form((*op)->name, number_first));
  if (form == nullptr) return -1;
  Attrs with_number(form);
  for (const AttrDef& def : (*op)->attrs) {
    if (form->attr_index(def.name) >= 0) with_number.set(def.name, attrs->at(def.name));
  }
  with_number.set("scalar", number_value((number_first ? first : second).ptr()));
  *op = form;
  *attrs = with_number;
  return number_first ? 1 : 0;
}

// Are the arrays alone all that the operator takes? Then they are its inputs, in order.
bool are_all(const OpDef& op, const py::sequence& inputs, const Attrs& attrs) {
  int given = 0;
  for (const py::handle input : inputs) given += !input.is_none();
  return given == op.count_inputs(attrs);
}

// Is None here an absent optional input? It sets the attribute that says so (no_bias).
bool leave_out(const OpDef& op, size_t input, Attrs* attrs) {
  if (op.variadic || input >= op.inputs.size() || is_state(op, input)) return false;
  const InputDef& def = op.inputs[input];
  if (def.absent_if == nullptr) return false;
  if (def.is_absent(*attrs)) return true;
  if (std::strchr(def.absent_if, '!') != nullptr) return false;
  attrs->set(def.absent_if, true);
  return true;
}

std::vector<ArrayRef> input_refs(const OpDef& op, const py::sequence& inputs, Attrs* attrs,
                                 const std::string& shown) {
  std::vector<ArrayRef> refs;
  refs.reserve(inputs.size());
  const bool all = are_all(op, inputs, *attrs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const py::object input = inputs[i];
    if (input.is_none() && (all || leave_out(op, i, attrs))) continue;
    if (!is_array(input.ptr())) {
      const std::string name = op.variadic ? std::string(op.inputs[0].name) + std::to_string(i)
                               : i < op.inputs.size() ? op.inputs[i].name
                                                      : std::to_string(i);
      throw py::type_error(shown + ": input '" + name + "': expected an NDArray, got " +
                           Py_TYPE(input.ptr())->tp_name);
    }
    refs.push_back(ref_of(input, op.name));
  }
  return refs;
}

// The outputs that a call gives.
py::object visible(const OpDef& op, const Attrs& attrs, std::vector<ArrayRef> results) {
  results.resize(std::min(results.size(), static_cast<size_t>(count_visible(op, attrs))));
  return wrap_outputs(std::move(results));
}

py::object call_into(const OpDef& op, const Attrs& attrs, const std::vector<ArrayRef>& inputs,
                     const py::object& out, Context ctx) {
  std::vector<py::object> targets;
  if (is_array(out.ptr())) {
    targets.push_back(out);
  } else {
    for (const py::handle o : py::reinterpret_borrow<py::sequence>(out)) {
      targets.push_back(py::reinterpret_borrow<py::object>(o));
    }
  }
  bool as_nodes = tracing();
  std::vector<Write> how;
  for (const py::object& target : targets) {
    ref_of(target, "out");
    how.push_back(before_write(as_array(target.ptr()), op.name, true));
    as_nodes = how.back() != Write::now && as_nodes;
  }
  std::vector<ArrayRef> into;
  for (const py::object& target : targets) into.push_back(ref_of(target, "out"));
  if (!as_nodes) {
    settle_trace_writes("one of several arrays must be written at once");
    for (const py::object& target : targets) value_of(as_array(target.ptr()));
  }
  const ModeScope mode(tracing() && !as_nodes ? static_cast<uint32_t>(kEager)
                                              : thread_state().mode);
  std::vector<ArrayRef> results = call_op(op, attrs, inputs, as_nodes ? nullptr : &into, ctx);
  require(results.size() == targets.size(), op.name, ": has ", results.size(), " outputs, given ",
          targets.size(), " arrays to write into");
  if (as_nodes && op.view != nullptr) {  // what is written into an array is a copy
    static const Attrs copy(get_op("identity"));
    for (ArrayRef& r : results) r = call_op(*copy.op(), copy, {r}, nullptr, ctx).at(0);
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    require(!as_nodes || (shape_of(results[i]) == shape_of(into[i]) &&
                          dtype_of(results[i]) == dtype_of(into[i])),
            op.name, ": the result is ", dtype_name(dtype_of(results[i])), " ",
            shape_of(results[i]), ", the array to write into is ", dtype_name(dtype_of(into[i])),
            " ", shape_of(into[i]));
    const Context from = context_of(results[i]), to = context_of(into[i]);
    require(!as_nodes || same_device(from, to), op.name, ": the result is on ", from.str(),
            ", the array to write into on ", to.str());
    store_result(as_array(targets[i].ptr()), std::move(results[i]), as_nodes ? how[i] : Write::now);
  }
  return out;
}

// An operator with states: what training does to them is done once it is pushed or recorded. A
// batch of no elements has no statistics: the states serve, and stay.
std::vector<ArrayRef> call_with_states(const OpDef& op, Attrs attrs, std::vector<ArrayRef> refs,
                                       const py::sequence& inputs, Context ctx) {
  check_arity(op, attrs, refs.size());
  const bool changes = set_mode(thread_state().training && shape_of(refs[0]).size() != 0, &attrs);
  if (changes) refs.resize(static_cast<size_t>(op.count_inputs(attrs)));
  const std::vector<ArrayRef> results = call_op(op, attrs, refs, nullptr, ctx);
  if (!changes) return results;
  const ModeScope unrecorded(thread_state().mode & ~static_cast<uint32_t>(kRecording));
  const Attrs average = moving_average_of(attrs);
  for (const StateUpdate& u : states_of(op)->updates) {
    const py::object state = inputs[static_cast<size_t>(u.state)];
    call_into(*average.op(), average,
              {ref_of(state, op.name), results[static_cast<size_t>(u.output)]}, state, ctx);
  }
  return results;
}

// An operator that writes states: hidden outputs go into the arrays that were given as these.
py::object call_and_write(const OpDef& op, const Attrs& attrs, const std::vector<ArrayRef>& refs,
                          const py::sequence& inputs, const py::object& out, Context ctx) {
  check_arity(op, attrs, refs.size());
  const std::vector<StateUpdate> written = written_states(op, attrs);
  if (out.is_none()) {
    const std::vector<ArrayRef> results = call_op(op, attrs, refs, nullptr, ctx);
    for (const StateUpdate& u : written) {
      write_state(py::object(inputs[static_cast<size_t>(u.state)]),
                  results[static_cast<size_t>(u.output)]);
    }
    return visible(op, attrs, results);
  }
  py::list targets;
  if (is_array(out.ptr())) {
    targets.append(out);
  } else {
    for (const py::handle o : py::reinterpret_borrow<py::sequence>(out)) targets.append(o);
  }
  const int wanted = count_visible(op, attrs);
  require(static_cast<int>(targets.size()) == wanted, op.name, ": has ", wanted, " outputs, given ",
          targets.size(), " arrays to write into");
  for (const StateUpdate& u : written) targets.append(inputs[static_cast<size_t>(u.state)]);
  call_into(op, attrs, refs, targets, ctx);
  return out;
}

py::object finish(const OpDef& op, Attrs attrs, const py::sequence& inputs,
                  const std::string& shown, const py::object& out, Context ctx) {
  const OpDef* form = &op;
  const int array_at = use_scalar_form(inputs, &form, &attrs);
  std::vector<ArrayRef> refs;
  if (array_at >= 0) {
    refs.push_back(ref_of(py::object(inputs[static_cast<size_t>(array_at)]), op.name));
  } else {
    refs = input_refs(op, inputs, &attrs, shown);
  }
  attrs.check_complete();
  if (is_mode_open(*form, attrs)) {
    require(out.is_none(), shown, ": out= is not supported here");
    return visible(*form, attrs, call_with_states(*form, attrs, refs, inputs, ctx));
  }
  const StatesDef* states = states_of(*form);
  if (states != nullptr && states->written != nullptr) {
    return call_and_write(*form, attrs, refs, inputs, out, ctx);
  }
  if (!out.is_none()) return call_into(*form, attrs, refs, out, ctx);
  return visible(*form, attrs, call_op(*form, attrs, refs, nullptr, ctx));
}

py::object invoke_mx(const std::string& name, const py::sequence& inputs, const py::dict& attrs,
                     const py::object& out, const py::object& ctx, const py::object& node_name) {
  MxCall call = mx_call(name, attrs);
  const NodeNameScope named(node_name.is_none() ? std::string() : node_name.cast<std::string>());
  return finish(*call.op, std::move(call.attrs), inputs, name, out, context_from_python(ctx));
}

py::object invoke_core(const std::string& name, const py::sequence& inputs, const py::dict& attrs) {
  const OpDef& op = *get_op(name);
  Attrs values(&op);
  for (const auto& pair : attrs) {
    const std::string attr = pair.first.cast<std::string>();
    const int index = op.attr_index(attr.c_str());
    if (index < 0) values.set(attr.c_str(), AttrValue());  // throws, listing the names
    const AttrDef& def = op.attrs[static_cast<size_t>(index)];
    values.set(def.name, attr_from_python(op, def, pair.second));
  }
  std::vector<ArrayRef> refs = input_refs(op, inputs, &values, name);
  values.check_complete();
  if (is_mode_open(op, values)) {
    return visible(op, values, call_with_states(op, values, refs, inputs, current_context()));
  }
  return visible(op, values, call_op(op, values, refs, nullptr, current_context()));
}

py::object invoke_separate(const std::string& name, const py::sequence& inputs,
                           const py::dict& attrs) {
  const FlagScope windows(&thread_state().windows, true);  // views are NumPy's
  py::object made = invoke_core(name, inputs, attrs);
  if (tracing()) set_separate(made);
  return made;
}

// Of which floating-point exceptions NumPy warns now, by whose loop: the text of nodes that may.
struct FloatWarnings {
  int kinds = 0;
  std::string text;
  std::string of(const char* name) const {
    return kinds == 0 ? std::string() : std::to_string(kinds) + name;
  }
};
FloatWarnings& float_warnings() {
  static FloatWarnings now;
  return now;
}

py::object invoke_ufunc(const std::string& name, const py::sequence& inputs,
                        const py::dict& attrs) {
  py::object made = invoke_separate(name, inputs, attrs);
  if (tracing() && is_array(made.ptr())) mark_float_warnings(peek_ref(made.ptr()));
  return made;
}

}  // namespace

void mark_float_warnings(const ArrayRef& made, const char* name) {
  if (made.array.defined()) return;
  const FloatWarnings& now = float_warnings();
  made.extra->entry.node->text = name == nullptr ? now.text : now.of(name);
}

int float_warning_kinds() { return float_warnings().kinds; }

void write_state(const py::object& state, const ArrayRef& value) {
  static const OpDef* copy = get_op("identity");
  const ModeScope unrecorded(thread_state().mode & ~static_cast<uint32_t>(kRecording));
  const FlagScope updates(&thread_state().updates, true);
  call_into(*copy, Attrs(copy), {value}, state, Context());
}

void bind_invoke(py::module_& m) {
  m.def("invoke", &invoke_mx, py::arg("mx_name"), py::arg("inputs"), py::arg("attrs"),
        py::arg("out") = py::none(), py::arg("ctx") = py::none(), py::arg("name") = py::none(),
        "Runs, records or traces an operator by its MXNet name; an array or a list of arrays.");
  m.def("invoke_core", &invoke_core, py::arg("core_name"), py::arg("inputs"), py::arg("attrs"),
        "The same by core name; no number in the place of an array, no renamed attributes.");
  m.def("invoke_separate", &invoke_separate, py::arg("core_name"), py::arg("inputs"),
        py::arg("attrs"),
        "The same for whoever sees to shared memory itself: what is recorded as a window gets "
        "memory of its own.");
  m.def("invoke_ufunc", &invoke_ufunc, py::arg("core_name"), py::arg("inputs"), py::arg("attrs"),
        "invoke_separate for what NumPy runs as one loop of its own, which may warn: a recorded "
        "node's text says of what, as set_float_warnings() does.");
  m.def(
      "set_float_warnings",
      [](int kinds, const std::string& name) {
        FloatWarnings& now = float_warnings();
        now.kinds = kinds;
        now.text = now.of(name.c_str());
      },
      py::arg("kinds"), py::arg("name") = "",
      "What NumPy warns of from here on: the sum of 1 division by zero, 2 overflow, 4 invalid; and "
      "the name of the function that is called, which is empty for Python's operators.");
}

}  // namespace bind
}  // namespace hybrid
