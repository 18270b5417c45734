// The Python array object: a raw heap type with the core's handle embedded.
#pragma once
#include "array/array_ref.h"
#include "bind/common.h"

namespace hybrid {
namespace bind {

// Invariant: `ref` has a concrete array, or ref.extra->traced is true and the object is linked into
// the list of traced objects. No Python object is held, so only subclasses need the collector.
struct PyArray {
  PyObject_HEAD ArrayRef ref;
  PyObject* weakrefs;
  PyArray* previous;  // traced objects, in order of creation
  PyArray* next;
  const Storage* noted;  // key under which it is known as an input of the trace, null if not
  bool separate;         // its value gets memory of its own, though it is recorded as a window
  bool apart;            // not the running cell's to compute
};

PyTypeObject* array_type();
inline bool is_exact_array(PyObject* o) { return Py_TYPE(o) == array_type(); }
inline bool is_array(PyObject* o) { return PyObject_TypeCheck(o, array_type()); }
inline PyArray* as_array(PyObject* o) { return reinterpret_cast<PyArray*>(o); }

// New objects of the exact type; a new reference, null with MemoryError set.
PyObject* wrap_array(NDArray&& array);
// The same, built in place from the parts.
PyObject* wrap_parts(StorageRef&& storage, const Shape& shape, const Shape& strides, DType dtype);
PyObject* wrap_ref(ArrayRef&& ref);
py::object wrap(ArrayRef ref);
py::object wrap(NDArray array);
// One object, or a list of them.
py::object wrap_outputs(std::vector<ArrayRef> refs);

inline bool is_traced(const PyArray* a) { return a->ref.extra && a->ref.extra->traced; }
// The handle of a Python array; throws TypeError naming `what` and the type that came instead.
// While tracing, a concrete array is noted as an input of the trace (see trace_input_object).
const ArrayRef& ref_of(py::handle object, const char* what);
const ArrayRef& peek_ref(PyObject* array);  // the same for a known array, noting nothing
// The Python object that brought this value into the trace, or a new one.
py::object trace_input_object(const NDArray& value);
void clear_trace_inputs();
// The value, computed first if the array is traced.
const NDArray& value_of(PyArray* array);
const NDArray& value_of(py::handle object, const char* what);
// The value of the traced object's node when it was computed already, else null.
const NDArray* node_value(const PyArray* array);
// Gives a traced object its value, in the object and in its node.
void set_array_value(PyArray* array, const NDArray& value);
// The same for many. Where `alias` says so a recorded window becomes one on its base's memory, as
// in eager mode, when the base has a value.
void set_array_values(const std::vector<PyArray*>& arrays, const std::vector<NDArray>& values,
                      const std::vector<bool>& alias);
// Traced arrays that share memory in eager mode, two or more each, with their base.
std::vector<std::vector<py::object>> alias_groups(const std::vector<py::object>& arrays);
// Replaces what the object stands for (in-place operators, setitem while tracing).
void rebind(PyArray* array, ArrayRef ref);
std::vector<py::object> live_traced_arrays();  // those that are apart first
void set_separate(const py::object& made);     // an array, or a list of them
void set_apart(PyArray* array);
PyArray* first_own_traced();     // of those that are not apart, linked by `next`
void touch_traced();             // what a traced object stands for has changed
uint64_t live_traced_changes();  // grows whenever that list changes
// Called with a list of traced arrays that are about to be read.
void set_materialize_hook(py::object hook);

// Deferred release of Python objects from threads that do not hold the GIL.
void release_later(void* py_object);
void drain_released();

// Slot tables by room, joined in array_type.cc.
using Slots = std::vector<PyType_Slot>;
void add_number_slots(Slots* slots);
void add_index_slots(Slots* slots);
void add_convert_slots(Slots* slots);
void add_convert_methods(std::vector<PyMethodDef>* methods);
void add_shape_methods(std::vector<PyMethodDef>* methods);
void add_autograd_methods(std::vector<PyMethodDef>* methods);
std::vector<PyGetSetDef>& array_properties();
PyObject* array_repr(PyObject* self);

// Runs C++ code in a slot: exceptions become Python's, the result null.
void translate_exception();  // of the exception in flight
template <class F>
PyObject* guarded(F&& body) {
  try {
    return body();
  } catch (...) {
    translate_exception();
    return nullptr;
  }
}
template <class F>
auto guarded_int(F&& body) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    translate_exception();
    return -1;
  }
}

}  // namespace bind
}  // namespace hybrid
