#include "bind/host_calls.h"

#include "bind/array_object.h"
#include "bind/site.h"
#include "launch/thread_state.h"
#include "tape/host_call.h"
#include "tape/tape.h"

namespace hybrid {
namespace bind {

namespace {

// Keeps the function that computes the gradients. The tape may be given up without the GIL.
class PythonCall : public HostCall {
 public:
  explicit PythonCall(py::object backward) : backward_(backward.release().ptr()) {}
  ~PythonCall() override { release_later(backward_); }

  std::vector<ArrayRef> backward(const std::vector<ArrayRef>& out_grads) override {
    const py::gil_scoped_acquire gil;
    const ThreadState before = thread_state();
    thread_state().mode = kEager;
    struct Restore {
      const ThreadState& state;
      ~Restore() { thread_state() = state; }
    } const restore{before};
    py::list grads;
    for (const ArrayRef& grad : out_grads) grads.append(wrap(grad.array));
    const py::object found = py::reinterpret_borrow<py::object>(backward_)(grads);
    std::vector<ArrayRef> results;
    for (const py::handle grad : found) {
      value_of(grad, "backward");
      results.push_back(ref_of(grad, "backward"));
    }
    return results;
  }

 private:
  PyObject* backward_;
};

py::list record_function(const py::sequence& inputs, const py::sequence& outputs,
                         const py::object& backward) {
  std::vector<ArrayRef> in, out;
  bool history = false;
  for (const py::handle input : inputs) {
    value_of(input, "python function");
    in.push_back(ref_of(input, "python function"));
    history = history || has_history(in.back());
  }
  for (const py::handle output : outputs) {
    out.push_back({value_of(output, "python function"), {}});
  }
  mark_site();
  if (history) out = record_host_call(in, out, std::make_shared<PythonCall>(backward));
  py::list results;
  for (ArrayRef& ref : out) results.append(wrap(std::move(ref)));
  return results;
}

}  // namespace

void bind_host_calls(py::module_& m) {
  m.def("record_function", &record_function, py::arg("inputs"), py::arg("outputs"),
        py::arg("backward"),
        "The outputs as results of one operator on the inputs, whose gradients backward(list of "
        "those of the outputs) gives, one an input. Without recorded inputs: the outputs.");
}

}  // namespace bind
}  // namespace hybrid
