// Autograd's switches and gradients.
#include "tape/autograd.h"
#include "array/old_value.h"
#include "bind/create.h"
#include "bind/host_calls.h"
#include "bind/invoke.h"
#include "bind/mx_call.h"
#include "bind/site.h"
#include "bind/trace_writes.h"
#include "engine/meeting.h"
#include "launch/thread_state.h"
#include "trace/trace_gradient.h"

namespace hybrid {
namespace bind {

namespace {

ArrayRef as_ref(const py::handle& array, const char* what) {
  if (!tracing()) value_of(array, what);
  return ref_of(array, what);
}

std::vector<ArrayRef> refs_of(const py::object& arrays, const char* what) {
  if (is_array(arrays.ptr())) return {as_ref(arrays, what)};
  std::vector<ArrayRef> refs;
  for (const py::handle array : arrays) {
    refs.push_back(array.is_none() ? ArrayRef() : as_ref(array, what));
  }
  return refs;
}

// The gradient of what a cell records can't join its trace: everything gets its value first.
void leave_trace(std::vector<ArrayRef>* heads, std::vector<ArrayRef>* others) {
  leave_trace_for("autograd differentiates a compiled call or a function in Python");
  for (std::vector<ArrayRef>* list : {heads, others}) {
    for (ArrayRef& ref : *list) {
      if (ref.array.defined() || ref.extra) ref.array = concrete(ref);
    }
  }
}

std::vector<ArrayRef> optional_refs(const py::object& arrays, const char* what) {
  return arrays.is_none() ? std::vector<ArrayRef>() : refs_of(arrays, what);
}

bool set_mode(uint32_t bit, bool on) {
  ThreadState& state = thread_state();
  const bool was = (state.mode & bit) != 0;
  state.mode = on ? state.mode | bit : state.mode & ~bit;
  return was;
}

ArrayExtra::Req req_of(const std::string& text) {
  if (text == "write") return ArrayExtra::write;
  if (text == "add") return ArrayExtra::add;
  if (text == "null") return ArrayExtra::null;
  fail("mark_variables: given grad_req '", text, "', expected write, add or null");
}

void mark_variables(const py::sequence& variables, const py::sequence& gradients,
                    const py::object& reqs) {
  require(variables.size() == gradients.size(), "mark_variables: given ", variables.size(),
          " variables and ", gradients.size(), " gradients");
  for (size_t i = 0; i < variables.size(); ++i) {
    const py::object variable = variables[i], gradient = gradients[i];
    value_of(variable, "mark_variables");
    const std::string req = py::isinstance<py::str>(reqs)
                                ? reqs.cast<std::string>()
                                : py::object(py::sequence(reqs)[i]).cast<std::string>();
    mark_variable(as_array(variable.ptr())->ref, value_of(gradient, "mark_variables"), req_of(req));
  }
}

// MXNet reads a head gradient by its memory: one of another shape gives its first elements.
std::vector<ArrayRef> fitted(const std::vector<ArrayRef>& heads, std::vector<ArrayRef> grads) {
  for (size_t i = 0; i < std::min(heads.size(), grads.size()); ++i) {
    if (!grads[i].array.defined() && !grads[i].extra) continue;
    const Shape want = shape_of(heads[i]), has = shape_of(grads[i]);
    if (has == want || has.size() < want.size() || want.size() == 0) continue;
    Attrs first(get_op("slice"));
    first.set("begin", std::vector<int64_t>{0});
    first.set("end", std::vector<int64_t>{want.size()});
    ArrayRef grad = call_reshape(grads[i], {has.size()});
    if (has.size() > want.size()) grad = call_one(*first.op(), first, {grad});
    grads[i] = call_reshape(grad, want);
  }
  return grads;
}

}  // namespace

namespace {

// Where it fails, devices that have met already are not to wait for those that come after.
void push_backward(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& head_grads,
                   bool retain_graph, bool train_mode) {
  const PushScope push(true);
  try {
    backward(heads, head_grads, retain_graph, train_mode);
  } catch (const Error&) {
    engine::end_open_meetings("backward() failed before");
    throw;
  }
}

}  // namespace

void run_backward(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& given,
                  bool retain_graph, bool train_mode) {
  mark_site();
  const std::vector<ArrayRef> head_grads = fitted(heads, given);
  if (tracing()) {
    note_call_backward();
    if (trace_backward(heads, head_grads, retain_graph, train_mode)) return;
    std::vector<ArrayRef> h = heads, g = head_grads;
    leave_trace(&h, &g);
    return push_backward(h, g, retain_graph, train_mode);
  }
  push_backward(heads, head_grads, retain_graph, train_mode);
}

void bind_autograd(py::module_& m) {
  m.def(
      "set_recording",
      [](bool on) {
        if (on && tracing()) leaves_call();  // the last moment before a step is recorded
        return set_mode(kRecording, on);
      },
      py::arg("is_recording"), "Switches recording; returns what it was.");
  m.def(
      "set_training", [](bool on) { return std::exchange(thread_state().training, on); },
      py::arg("train_mode"), "Switches training mode; returns what it was.");
  m.def("is_recording", [] { return (thread_state().mode & kRecording) != 0; });
  m.def("is_training", [] { return thread_state().training; });
  m.def("mark_variables", &mark_variables, py::arg("variables"), py::arg("gradients"),
        py::arg("grad_reqs") = "write");
  m.def(
      "backward",
      [](const py::object& heads, const py::object& head_grads, bool retain, bool train) {
        run_backward(refs_of(heads, "backward"), optional_refs(head_grads, "backward"), retain,
                     train);
      },
      py::arg("heads"), py::arg("head_grads") = py::none(), py::arg("retain_graph") = false,
      py::arg("train_mode") = true);
  m.def(
      "grad",
      [](const py::object& heads, const py::object& variables, const py::object& head_grads,
         bool retain, bool create, bool train) {
        auto h = refs_of(heads, "grad"), v = refs_of(variables, "grad"),
             g = optional_refs(head_grads, "grad");
        mark_site();
        g = fitted(h, g);
        std::vector<ArrayRef> result;
        const bool traced = tracing() && trace_grad(h, v, g, retain, create, train, &result);
        if (tracing() && !traced) leave_trace(&h, &g);
        if (!traced) {
          const PushScope push(true);
          result = grad(h, v, g, retain, create, train);
        }
        py::list list;
        for (ArrayRef& ref : result) list.append(wrap(std::move(ref)));
        return list;
      },
      py::arg("heads"), py::arg("variables"), py::arg("head_grads") = py::none(),
      py::arg("retain_graph") = false, py::arg("create_graph") = false,
      py::arg("train_mode") = true);
  m.def(
      "replace_contents",
      [](const py::object& array, const py::object& contents) {
        const KeepsOldValues scope;
        array[py::slice(py::none(), py::none(), py::none())] = contents;
      },
      py::arg("array"), py::arg("contents"),
      "array[:] = contents; gradients of what was recorded before see the old contents.");
  m.def(
      "tape_graph",
      [](const py::object& heads) {
        return std::make_shared<Graph>(tape_graph(refs_of(heads, "tape_graph")));
      },
      py::arg("heads"), "What was recorded below these arrays, as a Graph.");
  bind_host_calls(m);
  bind_custom(m);
}

}  // namespace bind
}  // namespace hybrid
