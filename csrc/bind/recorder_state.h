// What the recorder's hot path reads of a recording: the base of the class Recorder.
#pragma once
#include "bind/common.h"

namespace hybrid {
namespace bind {

struct RecorderState {
  PyObject_HEAD char active;  // calls are recorded; else they go on in real NumPy
  char script;                // of a scripted function, of which nothing is computed
  long long arrays;           // traced arrays so far, NumPy's scalars aside
  long long epoch;            // grows when others may have written any existing array
  long long tick;             // how often something was computed
  long long weighed_at;       // breaks from which on its budget is asked before each call
  PyObject* breaks;
  PyObject* proxies;   // weak references to every traced array
  PyObject* wrappers;  // the traced arrays of existing ndarrays, by their `id`
};

PyTypeObject* recorder_state_type();
inline RecorderState* as_recorder(PyObject* o) { return reinterpret_cast<RecorderState*>(o); }

// What a member of an object holds; null for None.
inline PyObject* unless_none(PyObject* member) { return member == Py_None ? nullptr : member; }
inline void put(PyObject** member, PyObject* value) {  // takes the reference; null is None
  PyObject* before = std::exchange(*member, value);
  Py_XDECREF(before);
}

void bind_recorder_state(py::module_& m);

}  // namespace bind
}  // namespace hybrid
