// Guards of values that leave variables for a container, an attribute or other code's hands.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "bind/guards.h"

namespace hybrid {
namespace bind {
namespace guards {

namespace {

std::unordered_set<PyTypeObject*>& ours() {
  static auto* types = new std::unordered_set<PyTypeObject*>;  // types are kept alive
  return *types;
}

bool holds_ours(PyObject* container) {
  if (PyList_CheckExact(container)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(container); ++i) {
      if (is_ours(PyList_GET_ITEM(container, i))) return true;
    }
    return false;
  }
  if (PyDict_CheckExact(container)) {
    Py_ssize_t at = 0;
    PyObject* value;
    while (PyDict_Next(container, &at, nullptr, &value)) {
      if (is_ours(value)) return true;
    }
    return false;
  }
  if (!PyAnySet_CheckExact(container)) return false;
  PyObject* steps = PyObject_GetIter(container);  // which compares nothing
  bool found = steps == nullptr;
  while (PyObject* value = found ? nullptr : PyIter_Next(steps)) {
    found = is_ours(value);
    Py_DECREF(value);
  }
  Py_XDECREF(steps);
  PyErr_Clear();
  return found;
}

void replace(PyObject** hook, PyObject* with) {
  PyObject* before = std::exchange(*hook, Py_NewRef(with));
  Py_XDECREF(before);
}

}  // namespace

namespace {

// Of an operator's slot, as `x.__add__`.
bool is_slot_of_ours(PyObject* value) {
  if (Py_TYPE(value) != &_PyMethodWrapper_Type) return false;
  PyObject* self = PyObject_GetAttrString(value, "__self__");
  if (self == nullptr) PyErr_Clear();
  const bool found = self != nullptr && ours().count(Py_TYPE(self)) > 0;
  Py_XDECREF(self);
  return found;
}

}  // namespace

bool is_ours(PyObject* value, int depth) {
  if (ours().count(Py_TYPE(value)) > 0 || is_slot_of_ours(value)) return true;
  if (PyMethod_Check(value)) return ours().count(Py_TYPE(PyMethod_GET_SELF(value))) > 0;
  if (!PyTuple_CheckExact(value)) return false;
  if (depth == 0) return true;  // `on_kept` and the others look further
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
    if (is_ours(PyTuple_GET_ITEM(value, i), depth - 1)) return true;
  }
  return false;
}

PyObject* held_here(PyObject* made) {
  if (made == nullptr || PyAnySet_CheckExact(made) || !holds_ours(made)) return made;
  PyObject* done = PyObject_CallOneArg(state().on_held, made);
  if (done == nullptr) {
    Py_DECREF(made);
    return nullptr;
  }
  Py_DECREF(done);
  return made;
}

bool store_ours(PyObject* value, PyObject* into, PyObject* key) {
  PyObject* done = PyObject_CallFunctionObjArgs(state().on_store, value, into, key, nullptr);
  Py_XDECREF(done);
  return done != nullptr;
}

bool set_ours(PyObject* value, PyObject* owner, PyObject* name) {
  PyObject* done = PyObject_CallFunctionObjArgs(state().on_set, value, owner, name, nullptr);
  Py_XDECREF(done);
  return done != nullptr;
}

PyObject* homes(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("homes", count, 5)) return nullptr;
  PyObject* steps = PyObject_GetIter(args[0]);
  if (steps == nullptr) return nullptr;
  while (PyObject* type = PyIter_Next(steps)) {
    // A type's reference is kept with it.
    if (!PyType_Check(type) || !ours().insert(reinterpret_cast<PyTypeObject*>(type)).second) {
      Py_DECREF(type);
    }
  }
  Py_DECREF(steps);
  if (PyErr_Occurred()) return nullptr;
  replace(&state().on_kept, args[1]);
  replace(&state().on_held, args[2]);
  replace(&state().on_store, args[3]);
  replace(&state().on_set, args[4]);
  Py_RETURN_NONE;
}

PyObject* kept(PyObject*, PyObject* value) {
  if (!is_ours(value)) return Py_NewRef(value);
  return PyObject_CallOneArg(state().on_kept, value);
}

PyObject* held(PyObject*, PyObject* value) { return held_here(Py_NewRef(value)); }

PyObject* holds(PyObject*, PyObject* container) { return PyBool_FromLong(holds_ours(container)); }

PyObject* may_stand(PyObject*, PyObject* value) { return PyBool_FromLong(is_ours(value)); }

PyObject* of_types(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("of_types", count, 2)) return nullptr;
  if (!PyDict_Check(args[0]) || !PyTuple_Check(args[1])) {
    PyErr_SetString(PyExc_TypeError, "of_types takes a dict and a tuple of types");
    return nullptr;
  }
  PyObject* const* first = &PyTuple_GET_ITEM(args[1], 0);
  PyObject* const* last = first + PyTuple_GET_SIZE(args[1]);
  // No object is made on the way: that may run a finalizer, which may change the dict.
  std::vector<py::object> found;
  Py_ssize_t at = 0;
  PyObject *name, *value;
  while (PyDict_Next(args[0], &at, &name, &value)) {
    if (!PyUnicode_Check(name)) continue;
    if (std::find(first, last, reinterpret_cast<PyObject*>(Py_TYPE(value))) == last) continue;
    found.push_back(py::reinterpret_borrow<py::object>(name));
    found.push_back(py::reinterpret_borrow<py::object>(value));
  }
  PyObject* pairs = PyList_New(0);
  for (std::size_t i = 0; pairs != nullptr && i < found.size(); i += 2) {
    PyObject* pair = PyTuple_Pack(2, found[i].ptr(), found[i + 1].ptr());
    if (pair == nullptr || PyList_Append(pairs, pair) < 0) Py_CLEAR(pairs);
    Py_XDECREF(pair);
  }
  return pairs;
}

}  // namespace guards
}  // namespace bind
}  // namespace hybrid
