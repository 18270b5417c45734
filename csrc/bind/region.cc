#include "bind/region.h"

#include <structmember.h>

#include <algorithm>

namespace hybrid {
namespace bind {

namespace {

PyTypeObject* type_object = nullptr;
PyObject* not_covered = nullptr;  // the exception's class

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_region(self)->key);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(as_region(self)->key);
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  Region* r = as_region(self);
  r->begin.~vector();
  r->end.~vector();
  r->step.~vector();
  r->axes.~vector();
  type->tp_free(self);
  Py_DECREF(type);
}

bool refuse(const char* why) {
  PyErr_SetString(not_covered, why);
  return false;
}

void add_axis(Region* r, int64_t begin, int64_t end, int64_t step, int64_t count, int64_t size) {
  r->full = r->full && begin == 0 && step == 1 && count == size;
  r->begin.push_back(begin);
  r->end.push_back(end);
  r->step.push_back(step);
  r->sliced.push_back(count);
}

bool add_result(Region* r, int axis, int64_t size) {
  if (r->shape.ndim() == kMaxDims) return refuse("an index that gives too many axes");
  r->axes.push_back(axis);
  r->shape.push_back(size);
  r->scalar = false;
  return true;
}

bool add_slice(Region* r, PyObject* slice, int64_t size) {
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) return false;
  const Py_ssize_t count = PySlice_AdjustIndices(size, &start, &stop, step);
  if (count == 0) {
    start = stop = 0;
    step = 1;
  }
  const int axis = static_cast<int>(r->begin.size());
  add_axis(r, start, stop < 0 ? kNoneInt : stop, step, count, size);
  return add_result(r, axis, count);
}

bool add_integer(Region* r, PyObject* key, int64_t size) {
  if (PyBool_Check(key)) return refuse("a boolean index");
  PyObject* index = PyNumber_Index(key);
  if (index == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyErr_Clear();
    PyObject* told = Py_BuildValue("((sss))", "an index of type {kind}", "kind",
                                   Py_TYPE(key)->tp_name);  // as jupyter_hybrid/reasons.py has it
    if (told != nullptr) PyErr_SetObject(not_covered, told);
    Py_XDECREF(told);
    return false;
  }
  int beyond = 0;
  int64_t at = PyLong_AsLongLongAndOverflow(index, &beyond);
  Py_DECREF(index);
  if (beyond != 0 || at < -size || at >= size) return refuse("an index out of bounds");
  at += at < 0 ? size : 0;
  add_axis(r, at, at + 1, 1, 1, size);
  return true;
}

bool parse(Region* r, const Shape& shape, PyObject* key) {
  PyObject* const* items = &key;
  Py_ssize_t count = 1;
  if (PyTuple_CheckExact(key)) {
    items = &PyTuple_GET_ITEM(key, 0);
    count = PyTuple_GET_SIZE(key);
  }
  int used = 0, dots = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    dots += items[i] == Py_Ellipsis;
    used += items[i] != Py_Ellipsis && items[i] != Py_None;
  }
  if (dots > 1 || used > shape.ndim()) return refuse("an index of more axes than the array has");
  const auto add_rest = [&] {
    for (int left = shape.ndim() - used; left > 0; --left) {
      const int axis = static_cast<int>(r->begin.size());
      add_axis(r, 0, shape[axis], 1, shape[axis], shape[axis]);
      if (!add_result(r, axis, shape[axis])) return false;
    }
    return true;
  };
  for (Py_ssize_t i = 0; i < count; ++i) {
    const int axis = static_cast<int>(r->begin.size());
    const bool done = items[i] == Py_Ellipsis   ? add_rest()
                      : items[i] == Py_None     ? add_result(r, -1, 1)
                      : PySlice_Check(items[i]) ? add_slice(r, items[i], shape[axis])
                                                : add_integer(r, items[i], shape[axis]);
    if (!done) return false;
  }
  r->scalar = r->scalar && dots == 0;
  return dots > 0 || add_rest();
}

Attrs slice_attrs(const OpDef* op, const Region& r) {
  Attrs attrs(op);
  attrs.set("begin", r.begin);
  attrs.set("end", r.end);
  attrs.set("step", r.step);
  return attrs;
}

PyObject* read(PyObject* self, PyObject* handle) {
  if (!is_array(handle)) return PyErr_Format(PyExc_TypeError, "read: expected an NDArray");
  return read_region(as_region(self), handle);
}

PyObject* write(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (count != 2 || !is_array(args[0]) || !is_array(args[1])) {
    return PyErr_Format(PyExc_TypeError, "write: expected two NDArrays");
  }
  return write_region(as_region(self), args[0], args[1]);
}

PyObject* window(PyObject* self, PyObject* base) {
  return PyObject_GetItem(base, as_region(self)->key);
}

// Byte strides of the window into an array of these strides.
PyObject* strides(PyObject* self, PyObject* given) {
  const Region* r = as_region(self);
  if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != static_cast<Py_ssize_t>(r->step.size())) {
    return PyErr_Format(PyExc_TypeError, "strides: expected one per axis, got %R", given);
  }
  PyObject* made = PyTuple_New(static_cast<Py_ssize_t>(r->axes.size()));
  for (size_t i = 0; made != nullptr && i < r->axes.size(); ++i) {
    const int axis = r->axes[i];
    const int64_t step = axis < 0 ? 0
                                  : PyLong_AsLongLong(PyTuple_GET_ITEM(given, axis)) *
                                        r->step[static_cast<size_t>(axis)];
    PyTuple_SET_ITEM(made, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(step));
  }
  return made;
}

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return shape_to_python(as_region(self)->shape).release().ptr(); });
}

PyMethodDef kMethods[] = {
    {"read", &read, METH_O, "The node of `x[index]`."},
    {"write", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&write)), METH_FASTCALL,
     "The node of `x` with the window replaced by a value of its shape."},
    {"window", &window, METH_O, "The window of a real ndarray."},
    {"strides", &strides, METH_O, "Byte strides of the window into an array of these strides."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef kProperties[] = {{"shape", &get_shape, nullptr, "Of the result.", nullptr},
                             {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef kMembers[] = {
    {"full", T_BOOL, offsetof(Region, full), READONLY, "The whole array, in its own order."},
    {nullptr, 0, 0, 0, nullptr}};

}  // namespace

bool is_region(PyObject* o) { return Py_TYPE(o) == type_object; }

PyObject* make_region(const Shape& shape, PyObject* key) {
  PyObject* made = type_object->tp_alloc(type_object, 0);
  if (made == nullptr) return nullptr;
  Region* r = as_region(made);
  new (&r->begin) std::vector<int64_t>;
  new (&r->end) std::vector<int64_t>;
  new (&r->step) std::vector<int64_t>;
  new (&r->axes) std::vector<int>;
  new (&r->sliced) Shape;
  new (&r->shape) Shape;
  r->full = r->scalar = true;
  r->key = Py_NewRef(key);
  if (!parse(r, shape, key)) Py_CLEAR(made);
  return made;
}

PyObject* read_region(Region* r, PyObject* handle) {
  return guarded([&]() -> PyObject* {
    if (r->full) return reshaped_node(handle, r->shape);
    static const OpDef* op = get_op("slice");
    PyObject* part = record_node(*op, slice_attrs(op, *r), &handle, 1);
    if (part == nullptr) return nullptr;
    PyObject* made = reshaped_node(part, r->shape);
    Py_DECREF(part);
    return made;
  });
}

PyObject* write_region(Region* r, PyObject* handle, PyObject* value) {
  return guarded([&]() -> PyObject* {
    if (std::find(r->sliced.begin(), r->sliced.end(), 0) != r->sliced.end()) {
      return Py_NewRef(handle);
    }
    PyObject* part = reshaped_node(value, r->sliced);
    if (part == nullptr) return nullptr;
    static const OpDef *copy = get_op("identity"), *op = get_op("slice_assign");
    PyObject* const both[] = {handle, part};
    PyObject* made = r->full ? record_node(*copy, Attrs(copy), &part, 1)
                             : record_node(*op, slice_attrs(op, *r), both, 2);
    Py_DECREF(part);
    return made;
  });
}

void bind_region(py::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                                {Py_tp_methods, kMethods},
                                {Py_tp_getset, kProperties},
                                {Py_tp_members, kMembers},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "jupyter_hybrid._core.Region", sizeof(Region), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  type_object = reinterpret_cast<PyTypeObject*>(type);
  m.attr("Region") = py::reinterpret_borrow<py::object>(type);
  m.def(
      "region",
      [](const py::tuple& shape, const py::object& key) {
        PyObject* made = make_region(shape_from_python(shape, "region"), key.ptr());
        if (made == nullptr) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(made);
      },
      py::arg("shape"), py::arg("key"),
      "The window that a basic index selects. Raises NotCovered; errors are for NumPy to raise.");
  m.def(
      "tell_not_covered",
      [](const py::object& error) { not_covered = py::object(error).release().ptr(); },
      py::arg("error"), "The exception's class.");
}

}  // namespace bind
}  // namespace hybrid
