// x[key] and x[key] = value of traced arrays, for basic indices.
#include "bind/region.h"
#include "bind/trace_graph.h"

namespace hybrid {
namespace bind {

namespace {

// Asking such a bound of a slice runs no code; others are for the slow road to judge.
bool is_plain_bound(PyObject* bound) { return bound == Py_None || PyLong_CheckExact(bound); }

bool is_plain(PyObject* key) {
  if (PySlice_Check(key)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(key);
    return is_plain_bound(slice->start) && is_plain_bound(slice->stop) &&
           is_plain_bound(slice->step);
  }
  return key == Py_None || key == Py_Ellipsis || (PyLong_Check(key) && !PyBool_Check(key));
}

bool is_basic(PyObject* key) {
  if (!PyTuple_CheckExact(key)) return is_plain(key);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
    if (!is_plain(PyTuple_GET_ITEM(key, i))) return false;
  }
  return true;
}

// Byte strides of a view, or null for those of a C-contiguous array; an axis of size 1 may have
// any. Null with an error set where there is no memory.
PyObject* strides_of(const Traced* base, const Shape& whole, size_t itemsize, const Region& r) {
  int64_t steps[kMaxDims];
  PyObject* layout = unless_none(base->layout);
  int64_t dense = static_cast<int64_t>(itemsize);
  for (int i = whole.ndim() - 1; i >= 0; --i) {
    steps[i] = layout == nullptr ? dense : PyLong_AsLongLong(PyTuple_GET_ITEM(layout, i));
    dense *= std::max<int64_t>(whole[i], 1);
  }
  int64_t own[kMaxDims];
  bool c_order = true, empty = false;
  dense = static_cast<int64_t>(itemsize);
  for (int i = r.shape.ndim() - 1; i >= 0; --i) {
    const int axis = r.axes[static_cast<size_t>(i)];
    own[i] = axis < 0 ? 0 : steps[axis] * r.step[static_cast<size_t>(axis)];
    empty = empty || r.shape[i] == 0;
    if (r.shape[i] == 1) continue;
    c_order = c_order && own[i] == dense;
    dense *= r.shape[i];
  }
  if (c_order || empty) return nullptr;
  PyObject* made = PyTuple_New(r.shape.ndim());
  for (int i = 0; made != nullptr && i < r.shape.ndim(); ++i) {
    PyTuple_SET_ITEM(made, i, PyLong_FromLongLong(own[i]));
  }
  return made;
}

PyObject* scalar_at(Traced* t, Region* r, PyObject* handle) {
  PyObject* node = read_region(r, handle);
  if (node == nullptr) return nullptr;
  const py::object found = py::reinterpret_steal<py::object>(node);
  static const OpDef* copy = get_op("identity");
  PyObject* own = node == t->handle ? record_node(*copy, Attrs(copy), &node, 1) : own_node(node);
  PyObject* made = own == nullptr ? nullptr : make_traced(t->recorder, own, true);
  Py_XDECREF(own);
  return made;
}

// The window or the scalar that a basic index selects.
PyObject* window_at(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    Traced* t = as_traced(self);
    PyObject* whole = handle_of(t);
    if (whole == nullptr) return nullptr;
    const py::object base = py::reinterpret_steal<py::object>(whole);
    const Shape shape = shape_of(node_ref(whole));
    PyObject* region = make_region(shape, key);
    if (region == nullptr) return nullptr;
    const py::object kept = py::reinterpret_steal<py::object>(region);
    Region* r = as_region(region);
    const bool all = PyTuple_CheckExact(key) && PyTuple_GET_SIZE(key) == 0;
    if (r->scalar || (t->is_scalar && all)) return scalar_at(t, r, whole);
    PyObject* node = read_region(r, whole);
    if (node == nullptr) return nullptr;
    const py::object part = py::reinterpret_steal<py::object>(node);
    PyObject* layout = strides_of(t, shape, dtype_size(dtype_of(node_ref(node))), *r);
    if (layout == nullptr && PyErr_Occurred() != nullptr) return nullptr;
    const py::object strides = py::reinterpret_steal<py::object>(layout);
    PyObject* made = make_traced(t->recorder, node, false);
    if (made == nullptr) return nullptr;
    Traced* view = as_traced(made);
    put(&view->parent, Py_NewRef(self));
    put(&view->view, Py_NewRef(region));
    put(&view->layout, Py_XNewRef(layout));
    view->seen = t->version;
    return made;
  });
}

PyObject* subscript(PyObject* self, PyObject* key) {
  const RecorderState* recorder = recorder_of(as_traced(self));
  if (recorder->active && !recorder->script && is_basic(key)) {
    PyObject* made = window_at(self, key);
    if (made != nullptr || !takes_slow_road()) return made;
  }
  return PyObject_CallFunctionObjArgs(slow_road("__getitem__"), self, key, nullptr);
}

// The node of a number that the array takes as it is; null where that is not sure.
PyObject* constant_for(PyObject* number, DType dtype) {
  double real = 0;
  if (PyFloat_CheckExact(number)) {
    real = PyFloat_AS_DOUBLE(number);
    if (dtype != DType::float64) return nullptr;
  } else if (PyLong_CheckExact(number)) {
    int beyond = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(number, &beyond);
    constexpr long long kExact = 1LL << 53;
    if (beyond != 0 || (dtype != DType::int64 && dtype != DType::float64)) return nullptr;
    if (dtype == DType::int64) {
      const py::object exact = py::reinterpret_borrow<py::object>(number);
      return trace_constant(exact, numpy_dtype(dtype), std::to_string(whole)).release().ptr();
    }
    if (whole < -kExact || whole > kExact) return nullptr;
    real = static_cast<double>(whole);
  } else {
    return nullptr;
  }
  const py::float_ value(real);
  return trace_constant(value, numpy_dtype(dtype), py::repr(value).cast<std::string>())
      .release()
      .ptr();
}

// What a window of this shape is given, a node of the array's dtype; null as constant_for.
PyObject* fitted(PyObject* value, DType dtype, const Shape& shape) {
  PyObject* node = nullptr;
  if (is_exact_traced(value)) {
    if (unless_none(as_traced(value)->handle) == nullptr) return nullptr;
    node = handle_of(as_traced(value));
  } else {
    node = constant_for(value, dtype);
  }
  if (node == nullptr) return nullptr;
  const py::object own = py::reinterpret_steal<py::object>(node);
  const Shape given = shape_of(node_ref(node));
  if (dtype_of(node_ref(node)) != dtype || given.ndim() > shape.ndim()) return nullptr;
  for (int i = 1; i <= given.ndim(); ++i) {
    const int64_t size = given[given.ndim() - i];
    if (size != 1 && size != shape[shape.ndim() - i]) return nullptr;
  }
  return broadcast_node(node, shape);
}

bool is_writeable(PyObject* self) {
  const Traced* t = as_traced(self);
  if (unless_none(t->parent) == nullptr && unless_none(t->origin) == nullptr) return !t->is_scalar;
  PyObject* found = PyObject_GetAttrString(self, "writeable");
  Py_XDECREF(found);
  return found == Py_True;
}

// True: it is written. False without an error: the slow road does it.
bool write_at(PyObject* self, PyObject* key, PyObject* value) {
  Traced* t = as_traced(self);
  if (t->is_scalar || unless_none(t->handle) == nullptr || !is_writeable(self)) return false;
  PyObject* whole = handle_of(t);
  if (whole == nullptr) return false;
  const py::object base = py::reinterpret_steal<py::object>(whole);
  PyObject* region = make_region(shape_of(node_ref(whole)), key);
  if (region == nullptr) return false;
  const py::object kept = py::reinterpret_steal<py::object>(region);
  PyObject* node = fitted(value, dtype_of(node_ref(whole)), as_region(region)->shape);
  if (node == nullptr) return false;
  const py::object part = py::reinterpret_steal<py::object>(node);
  // What the value was read from may be what is written: its node was recorded before.
  PyObject* made = write_region(as_region(region), whole, node);
  if (made == nullptr) return false;
  const py::object written = py::reinterpret_steal<py::object>(made);
  return assign_node(t, made);
}

int assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  if (value == nullptr) {
    PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
    return -1;
  }
  if (recorder_of(as_traced(self))->active && is_basic(key)) {
    bool done = false;
    const int failed = guarded_int([&] {
      done = write_at(self, key, value);
      return 0;
    });
    if (done && failed == 0) return 0;
    if (!takes_slow_road()) return -1;
  }
  PyObject* done =
      PyObject_CallFunctionObjArgs(slow_road("__setitem__"), self, key, value, nullptr);
  Py_XDECREF(done);
  return done == nullptr ? -1 : 0;
}

PyObject* item_at(PyObject* self, Py_ssize_t i) {
  PyObject* key = PyLong_FromSsize_t(i);
  PyObject* found = key == nullptr ? nullptr : subscript(self, key);
  Py_XDECREF(key);
  return found;
}

int assign_item(PyObject* self, Py_ssize_t i, PyObject* value) {
  PyObject* key = PyLong_FromSsize_t(i);
  const int done = key == nullptr ? -1 : assign_subscript(self, key, value);
  Py_XDECREF(key);
  return done;
}

}  // namespace

PyObject* traced_window(PyObject* self, PyObject* key) { return window_at(self, key); }

void add_traced_items(Slots* slots) {
  const auto slot = [&](int id, auto function) {
    slots->push_back({id, reinterpret_cast<void*>(function)});
  };
  slot(Py_mp_subscript, &subscript);
  slot(Py_mp_ass_subscript, &assign_subscript);
  slot(Py_sq_item, &item_at);
  slot(Py_sq_ass_item, &assign_item);
}

}  // namespace bind
}  // namespace hybrid
