// Guards of attributes and elements.
#include <utility>
#include <vector>

#include "bind/guards.h"

namespace hybrid {
namespace bind {
namespace guards {

namespace {

// A class's own dictionary; a new reference.
PyObject* dict_of(PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyType_GetDict(type);
#else
  return Py_XNewRef(type->tp_dict);
#endif
}

// Reading an attribute through it runs nothing of the user's.
bool reads_plainly(PyObject* found) {
  PyTypeObject* type = Py_TYPE(found);
  return type == &PyFunction_Type || type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type ||
         type == &PyClassMethodDescr_Type || type == &PyMemberDescr_Type ||
         type == &PyStaticMethod_Type || type == &PyClassMethod_Type ||
         type->tp_descr_get == nullptr;
}

bool reading_is_plain(PyObject* value, PyObject* name) {
  PyTypeObject* type = Py_TYPE(value);
  if (kind_of(value) == Kind::named) {
    if (type == &PyModule_Type) {
      PyObject* names = PyModule_GetDict(value);
      return names != nullptr && PyDict_Contains(names, name) == 1;
    }
    if (type != &PyType_Type) return true;
    PyObject* found = find_in_type(reinterpret_cast<PyTypeObject*>(value), name);
    return found == nullptr || reads_plainly(found) || Py_TYPE(found) == &PyProperty_Type;
  }
  if (kind_of(value) != Kind::unknown) return true;
  if (type->tp_getattro != PyObject_GenericGetAttr) return false;
  PyObject* found = find_in_type(type, name);
  return found == nullptr || reads_plainly(found);
}

bool writing_is_plain(PyObject* value, PyObject* name) {
  PyTypeObject* type = Py_TYPE(value);
  if (kind_of(value) == Kind::named) return true;
  if (kind_of(value) != Kind::unknown) return true;
  if (type->tp_setattro != PyObject_GenericSetAttr) return false;
  PyObject* found = find_in_type(type, name);
  return found == nullptr || Py_TYPE(found)->tp_descr_set == nullptr ||
         Py_TYPE(found) == &PyMemberDescr_Type;
}

bool contact_at_attribute(PyObject* value, PyObject* name) {
  PyObject* reason = Py_BuildValue("(ssOss)", "attribute {name} of {kind}", "name", name, "kind",
                                   Py_TYPE(value)->tp_name);
  if (reason == nullptr) return false;
  const bool done = contact_for(reason);
  Py_DECREF(reason);
  return done;
}

bool is_hidden(PyObject* value, PyObject* name) {
  PyObject* names = state().hidden;
  return names != nullptr && kind_of(value) == Kind::array && PySet_Contains(names, name) == 1;
}

// False: NumPy's object has none of that name to set or delete, and the error is set.
bool is_settable(PyObject* value, PyObject* name) {
  if (!is_hidden(value, name)) return true;
  PyObject* looked = PyObject_CallFunctionObjArgs(state().on_set_hidden, value, name, nullptr);
  Py_XDECREF(looked);
  return looked != nullptr;
}

bool is_index(PyObject* key) {
  return PyLong_CheckExact(key) || kind_of(key) == Kind::scalar ||
         (PySlice_Check(key) && is_inert(key));
}

constexpr Py_ssize_t kFewKeys = 1000;

// Finding `key` there compares and hashes nothing of the user's.
bool finding_is_plain(PyObject* holder, PyObject* key) {
  switch (kind_of(holder)) {
    case Kind::scalar:
    case Kind::sequence:
      return is_index(key);
    case Kind::array:
      return is_inert(key);
    case Kind::keyed: {
      if (!is_inert(key)) return false;
      if (!PyDict_CheckExact(holder)) return true;           // sets have no elements: an error
      if (PyDict_GET_SIZE(holder) > kFewKeys) return false;  // once: then nothing waits
      Py_ssize_t at = 0;
      PyObject* other;
      while (PyDict_Next(holder, &at, &other, nullptr)) {
        if (!is_inert(other)) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

// The key with real values for stand-ins, those of a slice's bounds too; null without one.
PyObject* real_key(PyObject* key) {
  if (is_ours(key)) return kept(nullptr, key);
  if (!PySlice_Check(key)) return nullptr;
  const auto* slice = reinterpret_cast<PySliceObject*>(key);
  PyObject* bounds = PyTuple_Pack(3, slice->start, slice->stop, slice->step);
  PyObject* real = bounds == nullptr || !is_ours(bounds) ? nullptr : kept(nullptr, bounds);
  PyObject* made = real == nullptr
                       ? nullptr
                       : PySlice_New(PyTuple_GET_ITEM(real, 0), PyTuple_GET_ITEM(real, 1),
                                     PyTuple_GET_ITEM(real, 2));
  Py_XDECREF(bounds);
  Py_XDECREF(real);
  return made;
}

// `value[key]` of Python's own types. A stand-in has an `__index__` though the number may have
// none: their error tells of the number.
PyObject* item_of_pythons(PyObject* value, PyObject* key) {
  PyObject* found = PyObject_GetItem(value, key);
  if (found != nullptr || !PyErr_ExceptionMatches(PyExc_TypeError)) return found;
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  PyObject* real = real_key(key);
  if (real == nullptr && !PyErr_Occurred()) {
    PyErr_Restore(type, error, traceback);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(traceback);
  if (real != nullptr) found = PyObject_GetItem(value, real);
  Py_XDECREF(real);
  return found;
}

// Where the cells of this thread store next, innermost last: the holder and the key.
thread_local std::vector<std::pair<PyObject*, PyObject*>> places;

// What foreign code is given: real values, after a contact. False: an error is set.
bool made_real(PyObject* const* args, PyObject** value, PyObject** key) {
  PyObject* into = args[1];
  *value = kept(nullptr, args[0]);
  *key = *value == nullptr ? nullptr : kept(nullptr, args[2]);
  if (*key != nullptr) {
    const bool ours = is_ours(args[0]) || is_ours(args[2]);
    if (ours ? contact_again("an element", into) : idle() || contact("an element", into)) {
      return true;
    }
  }
  Py_XDECREF(*value);
  Py_XDECREF(*key);
  return false;
}

bool has_place() {
  if (places.empty()) PyErr_SetString(PyExc_SystemError, "nothing is stored here");
  return !places.empty();
}

}  // namespace

PyObject* find_in_type(PyTypeObject* type, PyObject* name) {
  PyObject* order = type->tp_mro;
  if (order == nullptr) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(order); ++i) {
    PyObject* dict = dict_of(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, i)));
    if (dict == nullptr) continue;
    PyObject* found = PyDict_GetItemWithError(dict, name);
    Py_DECREF(dict);
    if (found != nullptr) return found;
    PyErr_Clear();
  }
  return nullptr;
}

PyObject* attribute(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("attribute", count, 2)) return nullptr;
  if (!idle() && !reading_is_plain(args[0], args[1]) && !contact_at_attribute(args[0], args[1])) {
    return nullptr;
  }
  if (is_hidden(args[0], args[1])) {
    return PyObject_CallFunctionObjArgs(state().on_hidden, args[0], args[1], nullptr);
  }
  return PyObject_GetAttr(args[0], args[1]);
}

PyObject* hide(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("hide", count, 3)) return nullptr;
  Py_XDECREF(std::exchange(state().hidden, Py_NewRef(args[0])));
  Py_XDECREF(std::exchange(state().on_hidden, Py_NewRef(args[1])));
  Py_XDECREF(std::exchange(state().on_set_hidden, Py_NewRef(args[2])));
  Py_RETURN_NONE;
}

PyObject* owner(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("owner", count, 2)) return nullptr;
  if (!idle() && !writing_is_plain(args[0], args[1]) && !contact_at_attribute(args[0], args[1])) {
    return nullptr;
  }
  return is_settable(args[0], args[1]) ? Py_NewRef(args[0]) : nullptr;
}

PyObject* set(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("set", count, 3)) return nullptr;
  PyObject *owner = args[1], *name = args[2];
  if (!is_settable(owner, name)) return nullptr;
  const bool plain = writing_is_plain(owner, name);
  const bool stays = kind_of(owner) == Kind::array;  // its own attributes take stand-ins
  if (plain && !stays && is_ours(args[0])) {
    if (!set_ours(args[0], owner, name)) return nullptr;
    Py_RETURN_NONE;
  }
  PyObject* value = stays ? Py_NewRef(args[0]) : kept(nullptr, args[0]);
  if (value == nullptr) return nullptr;
  // What is promised here, a contact fills.
  const bool ready = idle() || plain || contact_at_attribute(owner, name);
  const bool done = ready && PyObject_SetAttr(owner, name, value) == 0;
  Py_DECREF(value);
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

PyObject* item(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("item", count, 2)) return nullptr;
  if (is_ours(args[1]) && kind_of(args[0]) == Kind::unknown) {
    PyObject* key = kept(nullptr, args[1]);
    const bool ready = key != nullptr && contact_again("an element", args[0]);
    PyObject* made = ready ? PyObject_GetItem(args[0], key) : nullptr;
    Py_XDECREF(key);
    return made;
  }
  if (!idle() && !finding_is_plain(args[0], args[1]) && !contact("an element", args[0])) {
    return nullptr;
  }
  const Kind kind = kind_of(args[0]);
  const bool pythons = kind == Kind::sequence || kind == Kind::scalar;
  PyObject* found =
      pythons ? item_of_pythons(args[0], args[1]) : PyObject_GetItem(args[0], args[1]);
  return PySlice_Check(args[1]) ? held_here(found) : found;
}

PyObject* holder(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("holder", count, 1)) return nullptr;
  const Kind kind = kind_of(args[0]);
  const bool plain = kind == Kind::array || kind == Kind::sequence ||
                     (kind == Kind::keyed && finding_is_plain(args[0], Py_None));
  if (!idle() && !plain && !contact("an element", args[0])) return nullptr;
  return Py_NewRef(args[0]);
}

PyObject* store(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("store", count, 3)) return nullptr;
  PyObject *value = args[0], *into = args[1], *key = args[2];
  if (kind_of(into) == Kind::unknown) {
    if (!made_real(args, &value, &key)) return nullptr;
    const bool done = PyObject_SetItem(into, key, value) == 0;
    Py_DECREF(value);
    Py_DECREF(key);
    return done ? Py_NewRef(Py_None) : nullptr;
  }
  if (!idle()) {
    const bool plain = finding_is_plain(into, key) &&
                       (kind_of(into) != Kind::array || is_inert(value)) &&
                       // A slice is given what the value's own iterator says.
                       (!PySlice_Check(key) || is_walkable(value));
    if (!plain && !contact("an element", into)) return nullptr;
  }
  if (kind_of(into) != Kind::array && (is_ours(value) || is_ours(key))) {
    if (!store_ours(value, into, key)) return nullptr;
  } else if (PyObject_SetItem(into, key, value) < 0) {
    return nullptr;
  } else if (PySlice_Check(key)) {
    return held_here(Py_NewRef(into));
  }
  Py_RETURN_NONE;
}

// Foreign code that stores may look at the statement that runs it and at who else has the holder,
// and warns of that line: then the cell stores itself, as written. Else it stores into nothing.
PyObject* place(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("place", count, 3)) return nullptr;
  if (kind_of(args[1]) != Kind::unknown) {
    PyObject* done = store(self, args, count);
    PyObject* nowhere = done == nullptr ? nullptr : PyDict_New();
    if (nowhere == nullptr) {
      Py_CLEAR(done);
    } else {
      places.emplace_back(nowhere, Py_NewRef(Py_None));
    }
    return done;
  }
  PyObject *value, *key;
  if (!made_real(args, &value, &key)) return nullptr;
  places.emplace_back(Py_NewRef(args[1]), key);
  return value;
}

PyObject* into(PyObject*, PyObject*) {
  return has_place() ? std::exchange(places.back().first, nullptr) : nullptr;
}

PyObject* at(PyObject*, PyObject*) {
  if (!has_place()) return nullptr;
  PyObject* key = places.back().second;
  places.pop_back();
  return key;
}

void clear_places() {
  for (const auto& [into, key] : std::exchange(places, {})) {
    Py_XDECREF(into);
    Py_DECREF(key);
  }
}

}  // namespace guards
}  // namespace bind
}  // namespace hybrid
