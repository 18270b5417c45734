// What every binding unit needs: pybind11, GIL scopes, and the small conversions.
#pragma once
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "core/context.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/shape.h"

namespace hybrid {
namespace bind {

namespace py = pybind11;

py::tuple shape_to_python(const Shape& shape);  // unknown dimensions are -1; rank unknown: None
Shape shape_from_python(py::handle object, const char* what);  // an int or a sequence of ints

py::object dtype_to_python(DType dtype);     // NumPy's scalar type; None when unknown
py::object numpy_dtype(DType dtype);         // numpy.dtype; throws Error for types NumPy lacks
DType dtype_from_python(py::handle object);  // name, type, numpy.dtype; None: float32

// A Context, or the default one for None.
Context context_from_python(py::handle object);
py::object context_to_python(Context context);
Context current_context();

// An integer index; throws TypeError saying `what`.
int64_t int_from_python(py::handle object, const char* what);
// Is it a Python or NumPy number (bool included), and not an array?
bool is_number(PyObject* object);

// Takes the GIL again. A daemon thread that asks for it while the interpreter ends is unwound by
// Python, which no destructor survives: such a thread stops here for good instead.
void take_gil_back(PyThreadState* state);

// Releases the GIL, or only when it is worth it.
class MaybeReleaseGil {
 public:
  explicit MaybeReleaseGil(bool release) : state_(release ? PyEval_SaveThread() : nullptr) {}
  ~MaybeReleaseGil() {
    if (state_ != nullptr) take_gil_back(state_);
  }
  MaybeReleaseGil(const MaybeReleaseGil&) = delete;
  MaybeReleaseGil& operator=(const MaybeReleaseGil&) = delete;

 private:
  PyThreadState* state_;
};

// Held while operators are pushed: threads that push exclude each other even where the GIL is given
// away. Whoever waits for the lock gives the GIL away, so its holder can always come back.
class PushScope {
 public:
  explicit PushScope(bool release_gil);
  ~PushScope();
  PushScope(const PushScope&) = delete;
  PushScope& operator=(const PushScope&) = delete;

 private:
  PyThreadState* state_ = nullptr;
};

// Every unit adds its part to the module.
void bind_errors(py::module_& m);
void bind_context(py::module_& m);
void bind_array(py::module_& m);
void bind_array_guards(py::module_& m);
void bind_create(py::module_& m);
void bind_invoke(py::module_& m);
void bind_tables(py::module_& m);
void bind_symbol(py::module_& m);
void bind_node(py::module_& m);
void bind_guards(py::module_& m);
void bind_graph(py::module_& m);
void bind_plan(py::module_& m);
void bind_compile(py::module_& m);
void bind_cached_graph(py::module_& m);
void bind_cell(py::module_& m);
void bind_trace_writes(py::module_& m);
void bind_settle(py::module_& m);
void bind_taken_back(py::module_& m);
void bind_control(py::module_& m);
void bind_long_calls(py::module_& m);
void bind_site(py::module_& m);
void bind_autograd(py::module_& m);
void bind_push(py::module_& m);
void bind_engine(py::module_& m);
void bind_trace(py::module_& m);
void bind_model(py::module_& m);
void bind_exchange(py::module_& m);
void bind_meeting(py::module_& m);
void bind_files(py::module_& m);
void bind_numpy_memory(py::module_& m);
void bind_random(py::module_& m);
void bind_syntax_trees(py::module_& m);
void bind_units(py::module_& m);

}  // namespace bind
}  // namespace hybrid
