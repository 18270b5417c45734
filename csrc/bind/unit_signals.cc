// Whether a signal's handler may look at variables while a unit runs: that is asked before each
// run, so it takes no system call.
#include <vector>

#include "bind/unit_types.h"

namespace hybrid {
namespace bind {
namespace {

namespace py = pybind11;

struct Signals {
  PyObject *get, *by_default, *ignored;  // of Python's module
  std::vector<PyObject*> numbers;
};

// They live as long as the process.
const Signals& signals() {
  static const Signals known = [] {
    // The functions behind those of `signal`, which turn what they give into enumerations.
    py::object found = py::module_::import("importlib.util").attr("find_spec")("_signal");
    const py::module_ module = py::module_::import(found.is_none() ? "signal" : "_signal");
    const auto part = [&module](const char* name) {
      return py::object(module.attr(name)).release().ptr();
    };
    Signals made{part("getsignal"), part("SIG_DFL"), part("SIG_IGN"), {}};
    const int end = module.attr("NSIG").cast<int>();
    for (int number = 1; number < end; ++number) {
      made.numbers.push_back(py::int_(number).release().ptr());
    }
    return made;
  }();
  return known;
}

PyObject* handlers(PyObject*, PyObject*) {
  const Signals& known = signals();
  PyObject* const found = PyList_New(0);
  if (found == nullptr) return nullptr;
  for (PyObject* const number : known.numbers) {
    PyObject* const handler = PyObject_CallOneArg(known.get, number);
    const bool none = handler == known.by_default || handler == known.ignored || handler == Py_None;
    PyObject* const pair = none || handler == nullptr ? nullptr : PyTuple_Pack(2, number, handler);
    const bool well =
        handler != nullptr && (none || (pair != nullptr && PyList_Append(found, pair) == 0));
    Py_XDECREF(pair);
    Py_XDECREF(handler);
    if (!well) {
      Py_DECREF(found);
      return nullptr;
    }
  }
  return found;
}

PyMethodDef kHandlers = {"handlers", handlers, METH_NOARGS,
                         "The numbers of signals, and what Python calls then."};

}  // namespace

void bind_unit_signals(py::module_& part) {
  part.attr("handlers") = py::reinterpret_steal<py::object>(PyCFunction_New(&kHandlers, nullptr));
}

}  // namespace bind
}  // namespace hybrid
