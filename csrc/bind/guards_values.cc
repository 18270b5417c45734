// What is known of values by their exact types: which operations on them run no foreign code.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "bind/guards.h"

namespace hybrid {
namespace bind {
namespace guards {

namespace {

std::unordered_map<PyTypeObject*, Kind>& told() {
  static auto* types = new std::unordered_map<PyTypeObject*, Kind>;  // types are kept alive
  return *types;
}

std::vector<PyObject*>& closed() {
  static auto* iterators = new std::vector<PyObject*>;
  return *iterators;
}
constexpr size_t kMostClosed = 32;

// `test` of every element of a list, tuple, set or dict, or of a slice's three parts.
template <typename Test>
bool all_inside(PyObject* value, const Test& test) {
  if (PyList_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i) {
      if (!test(PyList_GET_ITEM(value, i))) return false;
    }
    return true;
  }
  if (PyTuple_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
      if (!test(PyTuple_GET_ITEM(value, i))) return false;
    }
    return true;
  }
  if (PySlice_Check(value)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(value);
    return test(slice->start) && test(slice->stop) && test(slice->step);
  }
  if (PyDict_CheckExact(value)) {
    Py_ssize_t at = 0;
    PyObject *key, *held;
    while (PyDict_Next(value, &at, &key, &held)) {
      if (!test(key) || !test(held)) return false;
    }
    return true;
  }
  // A set's iterator compares nothing.
  PyObject* steps = PyObject_GetIter(value);
  if (steps == nullptr) {
    PyErr_Clear();
    return false;
  }
  bool all = true;
  while (PyObject* held = all ? PyIter_Next(steps) : nullptr) {
    all = test(held);
    Py_DECREF(held);
  }
  Py_DECREF(steps);
  return all;
}

// Python's own errors show what they were given, and are compared and hashed by identity.
template <typename Test>
bool is_error_of(PyObject* value, const Test& test) {
  if (!PyExceptionInstance_Check(value) || (Py_TYPE(value)->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0) {
    return false;
  }
  PyObject* args = reinterpret_cast<PyBaseExceptionObject*>(value)->args;
  return args != nullptr && PyTuple_CheckExact(args) && all_inside(args, test);
}

// One look into nested containers. What holds more than that is not known: a settle is cheaper.
struct Look {
  Py_ssize_t left = 100'000;  // values that are looked at
  bool inert(PyObject* value, int depth);
  bool data(PyObject* value, int depth);
};
constexpr int kDepth = 4;

}  // namespace

void tell(PyTypeObject* type, Kind kind) {
  if (told().emplace(type, kind).second) Py_INCREF(type);
}

void tell_builtin_types() {
  for (PyTypeObject* type :
       {&PyLong_Type, &PyFloat_Type, &PyComplex_Type, &PyBool_Type, &PyUnicode_Type, &PyBytes_Type,
        &PyRange_Type, Py_TYPE(Py_None), Py_TYPE(Py_Ellipsis), Py_TYPE(Py_NotImplemented)}) {
    tell(type, Kind::scalar);
  }
  tell(&PyList_Type, Kind::sequence);
  tell(&PyTuple_Type, Kind::sequence);
  tell(&PySlice_Type, Kind::sequence);
  tell(&PyDict_Type, Kind::keyed);
  tell(&PySet_Type, Kind::keyed);
  tell(&PyFrozenSet_Type, Kind::keyed);
  for (PyTypeObject* type : {&PyFunction_Type, &PyCFunction_Type, &PyMethod_Type, &PyType_Type,
                             &PyModule_Type, &PyMethodDescr_Type, &PyWrapperDescr_Type}) {
    tell(type, Kind::named);
  }
}

Kind kind_of(PyObject* value) {
  const auto found = told().find(Py_TYPE(value));
  return found == told().end() ? Kind::unknown : found->second;
}

bool Look::inert(PyObject* value, int depth) {
  const auto inside = [this, depth](PyObject* held) {
    return depth > 0 && --left > 0 && inert(held, depth - 1);
  };
  switch (kind_of(value)) {
    case Kind::unknown:
      return is_error_of(value, inside);
    case Kind::scalar:
    case Kind::array:
    case Kind::named:
      return true;
    default:
      return depth > 0 && all_inside(value, inside);
  }
}

bool Look::data(PyObject* value, int depth) {
  const auto inside = [this, depth](PyObject* held) {
    return depth > 0 && --left > 0 && data(held, depth - 1);
  };
  switch (kind_of(value)) {
    case Kind::unknown:
      return is_error_of(value, inside);
    case Kind::scalar:
    case Kind::array:
      return true;
    case Kind::named:
      return PyType_CheckExact(value);  // a plain class: `dtype=float`
    default:
      return depth > 0 && all_inside(value, inside);
  }
}

bool is_inert(PyObject* value) { return Look().inert(value, kDepth); }

bool is_data(PyObject* value) { return Look().data(value, kDepth); }

bool is_walkable(PyObject* value) {
  switch (kind_of(value)) {
    case Kind::unknown: {
      PyTypeObject* type = Py_TYPE(value);
      return type == &PyDictKeys_Type || type == &PyDictValues_Type || type == &PyDictItems_Type;
    }
    case Kind::named:
      return false;
    default:
      return true;
  }
}

PyObject* first_of(PyObject* value, PyObject* types, Py_ssize_t* left, int depth) {
  const auto kind = reinterpret_cast<PyObject*>(Py_TYPE(value));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(types); ++i) {
    if (PyTuple_GET_ITEM(types, i) == kind) return value;
  }
  const bool holds =
      PyList_CheckExact(value) || PyTuple_CheckExact(value) || PyDict_CheckExact(value);
  if (!holds) return nullptr;
  if (depth == 0) return Py_Ellipsis;
  PyObject* found = nullptr;
  const auto look = [&](PyObject* held) {
    found = --*left > 0 ? first_of(held, types, left, depth - 1) : Py_Ellipsis;
    return found == nullptr;
  };
  all_inside(value, look);
  return found;
}

bool is_closed(PyObject* iterator) {
  return std::find(closed().begin(), closed().end(), iterator) != closed().end();
}

bool take_closed(PyObject* iterator) {
  for (size_t i = 0; i < closed().size(); ++i) {
    if (closed()[i] != iterator) continue;
    closed().erase(closed().begin() + static_cast<std::ptrdiff_t>(i));
    Py_DECREF(iterator);  // the caller holds it
    return true;
  }
  return false;
}

void clear_closed() {
  auto held = std::move(closed());
  closed().clear();
  for (PyObject* iterator : held) Py_DECREF(iterator);
}

void add_closed(PyObject* iterator) {
  if (closed().size() >= kMostClosed) clear_closed();
  closed().push_back(Py_NewRef(iterator));
}

}  // namespace guards
}  // namespace bind
}  // namespace hybrid
