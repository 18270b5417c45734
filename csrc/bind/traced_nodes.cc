// Nodes as NumPy's face records them.
#include "bind/invoke.h"
#include "bind/traced_array.h"

namespace hybrid {
namespace bind {

PyObject* record_node(const OpDef& op, const Attrs& attrs, PyObject* const* handles, int count) {
  return guarded([&]() -> PyObject* {
    const FlagScope windows(&thread_state().windows, true);  // views are NumPy's
    std::vector<ArrayRef> refs;
    refs.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) refs.push_back(ref_of(py::handle(handles[i]), op.name));
    PyObject* made = wrap_ref(call_one(op, attrs, refs));
    if (made != nullptr && tracing()) as_array(made)->separate = true;
    return made;
  });
}

PyObject* reshaped_node(PyObject* handle, const Shape& shape) {
  if (shape_of(node_ref(handle)) == shape) return Py_NewRef(handle);
  static const OpDef* op = get_op("reshape");
  Attrs attrs(op);
  attrs.set("shape", shape.to_vector());
  return record_node(*op, attrs, &handle, 1);
}

PyObject* broadcast_node(PyObject* handle, const Shape& shape) {
  const Shape own = shape_of(node_ref(handle));
  if (own == shape) return Py_NewRef(handle);
  Shape wide;
  for (int i = own.ndim(); i < shape.ndim(); ++i) wide.push_back(1);
  for (int i = 0; i < own.ndim(); ++i) wide.push_back(own[i]);
  PyObject* first = reshaped_node(handle, wide);
  if (first == nullptr || wide == shape) return first;
  static const OpDef* op = get_op("broadcast_to");
  Attrs attrs(op);
  attrs.set("shape", shape.to_vector());
  PyObject* made = record_node(*op, attrs, &first, 1);
  Py_DECREF(first);
  return made;
}

PyObject* own_node(PyObject* handle) {
  static const OpDef* copy = get_op("identity");
  if (is_traced(as_array(handle))) return Py_NewRef(handle);
  return record_node(*copy, Attrs(copy), &handle, 1);
}

}  // namespace bind
}  // namespace hybrid
