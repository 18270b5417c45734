// Errors on their way to Python: hybrid::Error is MXNetError, an interrupted wait
// KeyboardInterrupt.
#include <utility>

#include "bind/array_object.h"
#include "bind/taken_back.h"
#include "engine/engine.h"

namespace hybrid {
namespace bind {

namespace {

PyObject* mxnet_error = nullptr;
PyObject* linalg_error = nullptr;  // subclasses, set from Python
PyObject* reshape_error = nullptr;
PyObject* index_error = nullptr;

// The type of a core error: a decomposition's operator says why the matrix has none.
PyObject* type_of(const std::string& text) {
  if (reshape_error != nullptr && text.rfind("reshape: ", 0) == 0) return reshape_error;
  if (index_error != nullptr && text.find(": given index ") != std::string::npos) {
    return index_error;
  }
  if (linalg_error == nullptr || text.find("linalg_") == std::string::npos) return mxnet_error;
  for (const char* reason : {"Singular matrix", "Matrix is not positive definite",
                             "Eigenvalues did not converge", "SVD did not converge"}) {
    if (text.find(reason) != std::string::npos) return linalg_error;
  }
  return mxnet_error;
}

// What a signal handler raised while a wait asked for signals; handed over when the wait ends.
PyObject* pending_type = nullptr;
PyObject* pending_value = nullptr;
PyObject* pending_traceback = nullptr;

// Runs without the GIL on the waiting thread. True: a handler raised, abandon the wait.
bool interrupted() {
  if (!Py_IsInitialized()) return false;
  const PyGILState_STATE state = PyGILState_Ensure();
  bool raised = pending_type != nullptr;
  if (!raised && PyErr_CheckSignals() != 0) {
    PyErr_Fetch(&pending_type, &pending_value, &pending_traceback);
    raised = true;
  }
  PyGILState_Release(state);
  return raised;
}

bool taken_back() {
  try {
    take_back_discarded();
    return true;
  } catch (const engine::Interrupted&) {
    return false;
  }
}

void restore_interrupt() {
  PyObject* const type = std::exchange(pending_type, nullptr);
  PyObject* const value = std::exchange(pending_value, nullptr);
  PyObject* const traceback = std::exchange(pending_traceback, nullptr);
  while (!taken_back()) {  // interrupted once more: it is said already
    Py_CLEAR(pending_type);
    Py_CLEAR(pending_value);
    Py_CLEAR(pending_traceback);
  }
  if (type == nullptr) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } else {
    PyErr_Restore(type, value, traceback);
  }
}

}  // namespace

void translate_exception() {
  try {
    throw;
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const engine::Interrupted&) {
    restore_interrupt();
  } catch (const Error& e) {
    PyErr_SetString(type_of(e.what()), e.what());
  } catch (const py::type_error& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const py::index_error& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const py::value_error& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const py::stop_iteration& e) {
    PyErr_SetString(PyExc_StopIteration, e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::out_of_range& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

void bind_errors(py::module_& m) {
  mxnet_error = PyErr_NewExceptionWithDoc("jupyter_hybrid.base.MXNetError",
                                          "Wrong arguments, shapes or dtypes, and errors of "
                                          "operators that ran later.\n\nThe text names "
                                          "the operator, what was given and what was expected.",
                                          PyExc_RuntimeError, nullptr);
  if (mxnet_error == nullptr) throw py::error_already_set();
  m.attr("MXNetError") = py::handle(mxnet_error);
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      std::rethrow_exception(error);
    } catch (const Error&) {
      translate_exception();
    }
  });
  m.def(
      "set_linalg_error", [](py::object type) { linalg_error = type.release().ptr(); },
      py::arg("type"), "The subclass of MXNetError for matrices that linalg operators refuse.");
  m.def(
      "set_reshape_error", [](py::object type) { reshape_error = type.release().ptr(); },
      py::arg("type"), "The subclass of MXNetError for shapes that an array can't take.");
  m.def(
      "set_index_error", [](py::object type) { index_error = type.release().ptr(); },
      py::arg("type"), "The subclass of MXNetError for indices that are out of range.");
  engine::set_interrupt_check(&interrupted);
}

}  // namespace bind
}  // namespace hybrid
