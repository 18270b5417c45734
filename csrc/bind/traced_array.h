// What TracedArray (jupyter_hybrid/np_face/array) has in C++: its state and its hot operations.
//
// Whatever is not plain here (layouts that NumPy decides, masks, other operands) takes the slow
// road: functions of Python's, which say in words why a call leaves the graph.
#pragma once
#include "bind/array_object.h"
#include "bind/recorder_state.h"

namespace hybrid {
namespace bind {

// Python keeps None where something is null here: `unless_none` reads both.
struct Traced {
  PyObject_HEAD PyObject* weakrefs;
  PyObject* recorder;
  PyObject* handle;    // the current node
  PyObject* origin;    // the existing ndarray it stands for
  PyObject* input;     // that ndarray as a graph input
  PyObject* computed;  // the node that made the ndarray, when the cell computed it
  PyObject* parent;    // a view's base
  PyObject* selected;  // (mask, values) of a x[mask] that was not computed
  PyObject* layout;    // byte strides; None: C order
  PyObject* promise;   // of an ndarray that has still to get these contents
  PyObject* real;
  PyObject* opened;   // of a view: (base's ndarray, own),
  PyObject* view;     // how it shows its base's memory: read(), write() and window()
  long long seen;     // ... and the base's version that was read
  long long version;  // grows with each write
  long long epoch;    // when the ndarray's memory was looked at
  long long used;     // the recorder's tick then
  char is_scalar;     // NumPy gives a scalar here, not a 0-d array
  char is_window;     // on an array that nobody else has
  char dirty;         // written since it was last stored to `origin`
  char is_copy;       // `input` is a copy of `origin`
};

inline Traced* as_traced(PyObject* o) { return reinterpret_cast<Traced*>(o); }
inline RecorderState* recorder_of(const Traced* t) { return as_recorder(t->recorder); }
bool is_exact_traced(PyObject* o);  // of the class TracedArray

// All of these give new references, null with an error set.
PyObject* make_traced(PyObject* recorder, PyObject* handle, bool scalar);
// The current node; a view follows what was written to its base.
PyObject* handle_of(Traced* t);
// The same where memory that is read in place needs no second look.
PyObject* operand_of(Traced* t);
// The array's contents are this node from here on. False: an error is set.
bool assign_node(Traced* t, PyObject* handle);
// A node of its own for what an array's memory holds, which may change.
PyObject* own_node(PyObject* handle);

// Nodes, as NumPy's face records them: each has memory of its own.
PyObject* record_node(const OpDef& op, const Attrs& attrs, PyObject* const* handles, int count);
PyObject* reshaped_node(PyObject* handle, const Shape& shape);
PyObject* broadcast_node(PyObject* handle, const Shape& shape);
inline const ArrayRef& node_ref(PyObject* handle) { return peek_ref(handle); }

// The slow road, by the name of the special method; borrowed, null before it is known.
PyObject* slow_road(const char* name);
// After a C++ exception or Python's error: true where the slow road is to find out why, false for
// interrupts and the like, which stay set.
bool takes_slow_road();

// The window or the scalar that a basic index selects.
PyObject* traced_window(PyObject* self, PyObject* key);
void add_traced_operators(Slots* slots);
void add_traced_items(Slots* slots);
void bind_traced_array(py::module_& m);
void bind_ufunc_plans(py::module_& m);
void bind_region(py::module_& m);

}  // namespace bind
}  // namespace hybrid
