// What rewritten cells ask most often: loads, calls and updates. What is done with traced arrays
// and plain values alone is done here; all else goes to the runtime of the same names.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "bind/guards.h"
#include "bind/recipes.h"
#include "bind/traced_array.h"
#include "bind/ufunc_plans.h"

namespace hybrid {
namespace bind {
namespace guards {

namespace {

struct Told {
  PyObject* runtime = nullptr;                          // does what is not done here
  PyTypeObject* array = nullptr;                        // numpy.ndarray,
  PyTypeObject* ufunc = nullptr;                        // numpy.ufunc,
  PyTypeObject* method = nullptr;                       // and the methods of traced arrays
  std::unordered_set<PyTypeObject*> scalars;            // of NumPy's
  std::unordered_map<PyObject*, Py_ssize_t> functions;  // of NumPy's: most arguments by place
  std::unordered_set<PyObject*> plain;  // those of them, and methods, whose nodes have recipes
  PyObject* call_function = nullptr;    // (recorder, function, args, kwargs): records one of these
};
Told& told() {
  static auto* instance = new Told;
  return *instance;
}

PyObject* result = nullptr;    // of the call that `callee` has done already
PyObject* gives_it = nullptr;  // what is called in the function's place then
PyObject* no_args = nullptr;

PyObject* recorder_here() {
  return state().recorder != nullptr && PyThread_get_thread_ident() == state().thread
             ? state().recorder
             : nullptr;
}

PyObject* from_runtime(const char* name, PyObject* const* args, Py_ssize_t count,
                       PyObject* names = nullptr) {
  PyObject* hook = PyObject_GetAttrString(told().runtime, name);
  PyObject* made = hook == nullptr
                       ? nullptr
                       : PyObject_Vectorcall(hook, args, static_cast<size_t>(count), names);
  Py_XDECREF(hook);
  return made;
}

// The stand-in of an existing ndarray that the recorder knows; null without one, or an error.
PyObject* known_array(RecorderState* recorder, PyObject* array) {
  PyObject* wrappers = unless_none(recorder->wrappers);
  if (wrappers == nullptr || !PyDict_Check(wrappers)) return nullptr;
  PyObject* key = PyLong_FromVoidPtr(array);
  PyObject* found = key == nullptr ? nullptr : PyDict_GetItemWithError(wrappers, key);
  Py_XDECREF(key);
  if (found == nullptr || !is_exact_traced(found) || as_traced(found)->origin != array) {
    return nullptr;
  }
  if (!state().pending) set_pending(true);
  as_traced(found)->used = recorder->tick;
  return Py_NewRef(found);
}

bool is_number(PyObject* value) {
  return PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
         PyComplex_CheckExact(value);
}

// What holds no array that somebody has to load first.
bool is_plain(PyObject* value) {
  if (is_exact_traced(value) || is_number(value) || value == Py_None) return true;
  if (!PyTuple_CheckExact(value)) return PyUnicode_CheckExact(value) || PyType_CheckExact(value);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
    if (!is_number(PyTuple_GET_ITEM(value, i)) && PyTuple_GET_ITEM(value, i) != Py_None) {
      return false;
    }
  }
  return true;
}

// Keywords of which NumPy's functions need no array.
bool is_plain_name(PyObject* name) {
  constexpr std::string_view kNames[] = {"axis", "keepdims", "dtype", "ddof", "axes"};
  const char* text = PyUnicode_AsUTF8(name);
  return text != nullptr &&
         std::find(std::begin(kNames), std::end(kNames), text) != std::end(kNames);
}

PyObject* call_numpys(PyObject* function, PyObject* const* args, Py_ssize_t count,
                      PyObject* names) {
  PyObject* given = PyTuple_New(count);
  PyObject* named = given == nullptr ? nullptr : PyDict_New();
  PyObject* made = nullptr;
  bool ready = named != nullptr;
  for (Py_ssize_t i = 0; ready && i < count; ++i) PyTuple_SET_ITEM(given, i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; ready && names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    ready = PyDict_SetItem(named, PyTuple_GET_ITEM(names, i), args[count + i]) == 0;
  }
  if (ready) {
    made = PyObject_CallFunctionObjArgs(told().call_function, as_traced(args[0])->recorder,
                                        function, given, named, nullptr);
  }
  Py_XDECREF(given);
  Py_XDECREF(named);
  return made;
}

using Call = std::function<PyObject*()>;

// record_again() with the array in front of `all` arguments.
PyObject* recorded_of(PyObject* array, PyObject* function, char form, PyObject* const* args,
                      Py_ssize_t all, PyObject* names, const Call& call) {
  std::vector<PyObject*> given(args, args + all);
  given.insert(given.begin(), array);
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  return record_again(function, form, given.data(), all - named + 1, names, call);
}

// A method such as `x.sum`, which is a function of NumPy's with the array first.
PyObject* of_method(PyObject* method, PyObject* const* args, Py_ssize_t all, PyObject* names,
                    const Call& call) {
  const py::handle bound(method);
  const py::object function = bound.attr("_function"), array = bound.attr("__self__");
  if (told().plain.count(function.ptr()) == 0 || !is_exact_traced(array.ptr())) return call();
  return recorded_of(array.ptr(), function.ptr(), 'm', args, all, names, call);
}

// The result of a call whose arguments are traced arrays and plain values alone, of a function that
// is known to keep nothing of them. Null without an error: the runtime judges it.
PyObject* recorded(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const RecorderState* recorder = as_recorder(recorder_here());
  if (recorder == nullptr || !recorder->active || recorder->script) return nullptr;
  PyObject* breaks = unless_none(recorder->breaks);
  if (breaks == nullptr || PyList_GET_SIZE(breaks) >= recorder->weighed_at) return nullptr;
  const Py_ssize_t all = count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
  for (Py_ssize_t i = 0; i < all; ++i) {
    if (!is_plain(args[i])) return nullptr;
  }
  if (Py_TYPE(function) == told().ufunc) {
    Ufunc* ufunc = names == nullptr && count > 0 && count < 3 ? ufunc_of(function) : nullptr;
    return ufunc == nullptr ? nullptr
                            : record_ufunc(ufunc, args, static_cast<int>(count), name_of(ufunc));
  }
  const auto call = [&] {
    return PyObject_Vectorcall(function, args, static_cast<size_t>(count), names);
  };
  if (PyMethod_Check(function) && is_exact_traced(PyMethod_GET_SELF(function))) {
    PyObject* own = PyMethod_GET_FUNCTION(function);
    if (told().plain.count(own) == 0) return held_here(call());
    return recorded_of(PyMethod_GET_SELF(function), own, 'b', args, all, names, call);
  }
  if (Py_TYPE(function) == told().method)
    return held_here(of_method(function, args, all, names, call));
  const auto found = told().functions.find(function);
  if (found == told().functions.end() || count < 1 || count > found->second) return nullptr;
  if (!is_exact_traced(args[0])) return nullptr;
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    if (!is_plain_name(PyTuple_GET_ITEM(names, i))) return nullptr;
  }
  const auto numpys = [&] { return call_numpys(function, args, count, names); };
  if (told().plain.count(function) == 0) return held_here(numpys());
  return record_again(function, 'f', args, count, names, numpys);
}

PyObject* give_result(PyObject*, PyObject*, PyObject*) {
  if (result == nullptr) PyErr_SetString(PyExc_SystemError, "no call was recorded here");
  return std::exchange(result, nullptr);
}

struct Update {
  std::string_view name;
  PyObject* (*apply)(PyObject*, PyObject*);
};
PyObject* power(PyObject* a, PyObject* b) { return PyNumber_InPlacePower(a, b, Py_None); }
constexpr Update kUpdates[] = {{"iadd", PyNumber_InPlaceAdd},
                               {"isub", PyNumber_InPlaceSubtract},
                               {"imul", PyNumber_InPlaceMultiply},
                               {"itruediv", PyNumber_InPlaceTrueDivide},
                               {"ifloordiv", PyNumber_InPlaceFloorDivide},
                               {"imod", PyNumber_InPlaceRemainder},
                               {"ipow", power},
                               {"imatmul", PyNumber_InPlaceMatrixMultiply},
                               {"iand", PyNumber_InPlaceAnd},
                               {"ior", PyNumber_InPlaceOr},
                               {"ixor", PyNumber_InPlaceXor},
                               {"ilshift", PyNumber_InPlaceLshift},
                               {"irshift", PyNumber_InPlaceRshift}};

}  // namespace

PyObject* load(PyObject*, PyObject* value) {
  PyObject* recorder = recorder_here();
  if (recorder == nullptr) return kept(nullptr, value);
  PyTypeObject* type = Py_TYPE(value);
  if (type == told().array) {
    PyObject* known = known_array(as_recorder(recorder), value);
    if (known != nullptr || PyErr_Occurred() != nullptr) return known;
  } else if (is_exact_traced(value) || told().scalars.count(type) == 0) {
    return Py_NewRef(value);
  }
  return PyObject_CallMethod(recorder, "wrap", "(O)", value);
}

PyObject* callee(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  Py_CLEAR(result);  // which an interrupt has left
  if (count == 0) {
    PyErr_SetString(PyExc_TypeError, "callee(): expected a function");
    return nullptr;
  }
  PyObject* made = guarded([&] { return recorded(args[0], args + 1, count - 1, names); });
  if (made == nullptr && PyErr_Occurred() != nullptr) return nullptr;
  if (made == nullptr) return from_runtime("callee", args, count, names);
  Py_XDECREF(std::exchange(result, made));
  return Py_NewRef(gives_it);
}

PyObject* given(PyObject*, PyObject*) {
  return result != nullptr ? Py_NewRef(no_args) : from_runtime("given", nullptr, 0);
}

PyObject* named(PyObject*, PyObject*) {
  return result != nullptr ? PyDict_New() : from_runtime("named", nullptr, 0);
}

PyObject* inplace(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("inplace", count, 3)) return nullptr;
  const bool ours = is_exact_traced(args[1]) && (is_exact_traced(args[2]) || is_number(args[2]));
  const char* name = ours && recorder_here() != nullptr ? PyUnicode_AsUTF8(args[0]) : nullptr;
  for (const Update& update : kUpdates) {
    if (name != nullptr && update.name == name) return update.apply(args[1], args[2]);
  }
  return from_runtime("inplace", args, count);
}

PyObject* tell_calls(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("tell_calls", count, 8)) return nullptr;
  static PyMethodDef gives = {"result",
                              reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&give_result)),
                              METH_VARARGS | METH_KEYWORDS, "What a call has given."};
  if (gives_it == nullptr) gives_it = PyCFunction_New(&gives, nullptr);
  if (no_args == nullptr) no_args = PyTuple_New(0);
  if (gives_it == nullptr || no_args == nullptr) return nullptr;
  const auto kept_type = [](PyObject* type) {
    return reinterpret_cast<PyTypeObject*>(Py_NewRef(type));
  };
  return guarded([&]() -> PyObject* {
    Told& all = told();
    all.runtime = Py_NewRef(args[0]);
    all.array = kept_type(args[1]);
    all.ufunc = kept_type(args[2]);
    all.method = kept_type(args[3]);
    for (const py::handle type : py::reinterpret_borrow<py::iterable>(args[4])) {
      all.scalars.insert(kept_type(type.ptr()));
    }
    for (const auto& [function, most] : py::reinterpret_borrow<py::dict>(args[5])) {
      all.functions[Py_NewRef(function.ptr())] = most.cast<Py_ssize_t>();
    }
    for (const py::handle function : py::reinterpret_borrow<py::iterable>(args[6])) {
      all.plain.insert(Py_NewRef(function.ptr()));
    }
    all.call_function = Py_NewRef(args[7]);
    Py_RETURN_NONE;
  });
}

}  // namespace guards
}  // namespace bind
}  // namespace hybrid
