// Guards of what goes on over several lines: the steps of a loop, the two ends of a `with`.
#include "bind/guards.h"

namespace hybrid {
namespace bind {
namespace guards {

namespace {

// An iterator with a contact before each step, or where an item is taken apart that may run code.
struct Walk {
  PyObject_HEAD PyObject* steps;
  bool foreign;
  bool apart;
};
struct Context {
  PyObject_HEAD PyObject* entered;
};

PyTypeObject* walk_type = nullptr;
PyTypeObject* context_type = nullptr;

template <typename T, PyObject* T::* held>
int visit_held(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<T*>(self)->*held);
  Py_VISIT(Py_TYPE(self));
  return 0;
}
template <typename T, PyObject* T::* held>
int clear_held(PyObject* self) {
  Py_CLEAR(reinterpret_cast<T*>(self)->*held);
  return 0;
}
template <typename T, PyObject* T::* held>
void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(reinterpret_cast<T*>(self)->*held);
  type->tp_free(self);
  Py_DECREF(type);
}

template <typename T>
T* make(PyTypeObject* type) {
  return reinterpret_cast<T*>(type->tp_alloc(type, 0));
}

PyObject* next_step(PyObject* self) {
  Walk* walk = reinterpret_cast<Walk*>(self);
  if (walk->foreign && !idle() && !contact("a step through", walk->steps)) return nullptr;
  PyObject* item = Py_TYPE(walk->steps)->tp_iternext(walk->steps);
  if (item != nullptr && walk->apart && !idle() && !is_walkable(item) &&
      !contact("a step through", item)) {
    Py_DECREF(item);
    return nullptr;
  }
  return item;
}

PyObject* call_special(PyObject* value, const char* name, PyObject* args) {
  PyObject* text = PyUnicode_InternFromString(name);
  if (text == nullptr) return nullptr;
  PyObject* found = find_in_type(Py_TYPE(value), text);
  Py_DECREF(text);
  if (found == nullptr) {
    PyErr_Format(PyExc_AttributeError, "%s", name);
    return nullptr;
  }
  const descrgetfunc get = Py_TYPE(found)->tp_descr_get;
  PyObject* bound = get != nullptr ? get(found, value, reinterpret_cast<PyObject*>(Py_TYPE(value)))
                                   : Py_NewRef(found);
  if (bound == nullptr) return nullptr;
  PyObject* made = PyObject_Call(bound, args, nullptr);
  Py_DECREF(bound);
  return made;
}

PyObject* enter(PyObject* self, PyObject*) {
  PyObject* entered = reinterpret_cast<Context*>(self)->entered;
  if (!idle() && !contact("the beginning", entered)) return nullptr;
  PyObject* nothing = PyTuple_New(0);
  if (nothing == nullptr) return nullptr;
  PyObject* made = call_special(entered, "__enter__", nothing);
  Py_DECREF(nothing);
  return made;
}

PyObject* exit(PyObject* self, PyObject* args) {
  PyObject* entered = reinterpret_cast<Context*>(self)->entered;
  if (!idle() && !contact("the end", entered)) return nullptr;
  return call_special(entered, "__exit__", args);
}

PyMethodDef kContextMethods[] = {{"__enter__", enter, METH_NOARGS, nullptr},
                                 {"__exit__", exit, METH_VARARGS, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};

template <typename T, PyObject* T::* held>
PyTypeObject* make_type(const char* name, std::vector<PyType_Slot> more) {
  more.push_back({Py_tp_dealloc, reinterpret_cast<void*>(&dealloc<T, held>)});
  more.push_back({Py_tp_traverse, reinterpret_cast<void*>(&visit_held<T, held>)});
  more.push_back({Py_tp_clear, reinterpret_cast<void*>(&clear_held<T, held>)});
  more.push_back({0, nullptr});
  PyType_Spec spec = {name, sizeof(T), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      more.data()};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace

bool ready_walk_types() {
  walk_type = make_type<Walk, &Walk::steps>(
      "jupyter_hybrid._core.Walk", {{Py_tp_iter, reinterpret_cast<void*>(&PyObject_SelfIter)},
                                    {Py_tp_iternext, reinterpret_cast<void*>(&next_step)}});
  context_type = make_type<Context, &Context::entered>("jupyter_hybrid._core.Context",
                                                       {{Py_tp_methods, kContextMethods}});
  return walk_type != nullptr && context_type != nullptr;
}

PyObject* walk(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("walk", count, 2)) return nullptr;
  PyObject* through = args[0];
  const bool apart = args[1] == Py_True;
  if (!watched()) return Py_NewRef(through);
  const bool foreign = !is_walkable(through) && !take_closed(through);
  // The rows of an array are arrays.
  if (!foreign && (!apart || kind_of(through) == Kind::array)) return Py_NewRef(through);
  if (foreign && !idle() && !contact("a step through", through)) return nullptr;
  PyObject* steps = PyObject_GetIter(through);
  if (steps == nullptr) return nullptr;
  Walk* made = make<Walk>(walk_type);
  if (made == nullptr) {
    Py_DECREF(steps);
    return nullptr;
  }
  made->steps = steps;
  made->foreign = foreign;
  made->apart = apart;
  return reinterpret_cast<PyObject*>(made);
}

PyObject* context(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!has_count("context", count, 1)) return nullptr;
  PyObject* entered = args[0];
  if (!watched()) return Py_NewRef(entered);
  for (const char* name : {"__enter__", "__exit__"}) {
    PyObject* text = PyUnicode_InternFromString(name);
    if (text == nullptr) return nullptr;
    const bool has = find_in_type(Py_TYPE(entered), text) != nullptr;
    Py_DECREF(text);
    if (!has) return Py_NewRef(entered);  // Python says what is missing
  }
  Context* made = make<Context>(context_type);
  if (made == nullptr) return nullptr;
  made->entered = Py_NewRef(entered);
  return reinterpret_cast<PyObject*>(made);
}

}  // namespace guards
}  // namespace bind
}  // namespace hybrid
