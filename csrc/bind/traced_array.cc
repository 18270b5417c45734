#include "bind/traced_array.h"

#include <structmember.h>

#include <string>
#include <unordered_map>

#include "bind/guards.h"
#include "bind/recipes.h"

namespace hybrid {
namespace bind {

namespace {

PyTypeObject* base_type = nullptr;
PyTypeObject* exact_type = nullptr;  // TracedArray, once its module is loaded

std::unordered_map<std::string, PyObject*>& slow_roads() {
  static auto* roads = new std::unordered_map<std::string, PyObject*>;
  return *roads;
}

constexpr PyObject* Traced::* kObjects[] = {&Traced::recorder, &Traced::handle,   &Traced::origin,
                                            &Traced::input,    &Traced::computed, &Traced::parent,
                                            &Traced::selected, &Traced::layout,   &Traced::promise,
                                            &Traced::real,     &Traced::opened,   &Traced::view};

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  for (auto member : kObjects) Py_VISIT(as_traced(self)->*member);
  return 0;
}

int clear(PyObject* self) {
  for (auto member : kObjects) Py_CLEAR(as_traced(self)->*member);
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (as_traced(self)->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// The recorder knows every array; false: an error is set. Whatever runs on the way finds it whole.
bool enter(Traced* t, PyObject* recorder, PyObject* handle, bool scalar) {
  if (!PyObject_TypeCheck(recorder, recorder_state_type())) {
    PyErr_Format(PyExc_TypeError, "TracedArray: expected a recorder, got %s",
                 Py_TYPE(recorder)->tp_name);
    return false;
  }
  RecorderState* state = as_recorder(recorder);
  put(&t->recorder, Py_NewRef(recorder));
  put(&t->handle, Py_NewRef(handle));
  t->is_scalar = scalar;
  t->epoch = state->epoch;
  t->used = state->tick;
  state->arrays += !scalar;
  if (!guards::state().pending) guards::set_pending(true);
  PyObject* reference = PyWeakref_NewRef(reinterpret_cast<PyObject*>(t), nullptr);
  const bool known = reference != nullptr && unless_none(state->proxies) != nullptr &&
                     PyList_Append(state->proxies, reference) == 0;
  Py_XDECREF(reference);
  return known;
}

int init(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"recorder", "handle", "scalar", nullptr};
  PyObject *recorder = nullptr, *handle = nullptr;
  int scalar = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|p:TracedArray", const_cast<char**>(names),
                                   &recorder, &handle, &scalar)) {
    return -1;
  }
  return enter(as_traced(self), recorder, handle, scalar != 0) ? 0 : -1;
}

// Calls a method of the Python class that gives nothing. False: an error is set.
bool call(PyObject* self, const char* method) {
  PyObject* done = PyObject_CallMethod(self, method, nullptr);
  Py_XDECREF(done);
  return done != nullptr;
}

PyObject* shown_by(Traced* view, PyObject* base) {
  return PyObject_CallMethod(view->view, "read", "(O)", base);
}

bool write_origin(Traced* t, PyObject* handle) {
  PyObject* self = reinterpret_cast<PyObject*>(t);
  PyObject* overlaps = PyObject_CallMethod(t->recorder, "before_write", "(O)", self);
  if (overlaps == nullptr) return false;
  const bool at_once = overlaps == Py_True;
  Py_DECREF(overlaps);
  t->dirty = true;
  if (!guards::state().pending) guards::set_pending(true);
  put(&t->handle, Py_NewRef(handle));
  if (!at_once) return true;
  PyObject* others = nullptr;
  const bool written = call(t->recorder, "write_back");
  if (written) others = PyObject_CallMethod(t->recorder, "touch_others", "(O)", self);
  Py_XDECREF(others);
  return others != nullptr;
}

bool refuse_write() {
  PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
  return false;
}

bool is_writeable(PyObject* array, bool* answer) {
  PyObject* found = PyObject_GetAttrString(array, "flags");
  PyObject* flag = found == nullptr ? nullptr : PyObject_GetAttrString(found, "writeable");
  Py_XDECREF(found);
  if (flag == nullptr) return false;
  *answer = flag == Py_True;
  Py_DECREF(flag);
  return true;
}

bool write_view(Traced* t, PyObject* handle) {
  PyObject* write = PyObject_GetAttrString(t->view, "write");
  if (write == nullptr) return false;
  Traced* base = as_traced(t->parent);
  PyObject* before = write == Py_None ? nullptr : handle_of(base);
  PyObject* whole =
      before == nullptr ? nullptr : PyObject_CallFunctionObjArgs(write, before, handle, nullptr);
  const bool refused = write == Py_None;
  Py_DECREF(write);
  Py_XDECREF(before);
  if (refused) return refuse_write();
  bool assigned = whole != nullptr && Py_EnterRecursiveCall(" while a view is written") == 0;
  if (assigned) {
    assigned = assign_node(base, whole);
    Py_LeaveRecursiveCall();
  }
  Py_XDECREF(whole);
  PyObject* now = assigned ? handle_of(base) : nullptr;
  PyObject* own = now == nullptr ? nullptr : shown_by(t, now);
  Py_XDECREF(now);
  if (own == nullptr) return false;
  put(&t->handle, own);
  t->seen = base->version;
  return true;
}

// Of an array that is no view.
PyObject* handle_of_root(Traced* t) {
  PyObject* self = reinterpret_cast<PyObject*>(t);
  if (unless_none(t->handle) == nullptr && !call(self, "_compute_selection")) return nullptr;
  if (t->epoch != recorder_of(t)->epoch) {
    t->epoch = recorder_of(t)->epoch;
    if (unless_none(t->origin) != nullptr && !call(self, "touched")) return nullptr;
  }
  return Py_NewRef(t->handle);
}

PyObject* get_handle(PyObject* self, void*) { return handle_of(as_traced(self)); }

PyObject* assign(PyObject* self, PyObject* handle) {
  if (!is_array(handle)) {
    PyErr_Format(PyExc_TypeError, "assign: expected an NDArray, got %s", Py_TYPE(handle)->tp_name);
    return nullptr;
  }
  if (!assign_node(as_traced(self), handle)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* get_shape(PyObject* self, void*) {
  PyObject* handle = handle_of(as_traced(self));
  if (handle == nullptr) return nullptr;
  PyObject* made =
      guarded([&] { return shape_to_python(shape_of(node_ref(handle))).release().ptr(); });
  Py_DECREF(handle);
  return made;
}

PyObject* get_ndim(PyObject* self, void*) {
  PyObject* handle = handle_of(as_traced(self));
  if (handle == nullptr) return nullptr;
  PyObject* made = guarded([&] { return PyLong_FromLong(shape_of(node_ref(handle)).ndim()); });
  Py_DECREF(handle);
  return made;
}

PyObject* get_size(PyObject* self, void*) {
  PyObject* handle = handle_of(as_traced(self));
  if (handle == nullptr) return nullptr;
  PyObject* made = guarded([&] { return PyLong_FromLongLong(shape_of(node_ref(handle)).size()); });
  Py_DECREF(handle);
  return made;
}

PyObject* get_dtype(PyObject* self, void*) {
  Traced* t = as_traced(self);
  PyObject* selected = unless_none(t->selected);
  PyObject* handle = selected != nullptr ? PySequence_GetItem(selected, 1) : handle_of(t);
  if (handle == nullptr) return nullptr;
  PyObject* made = guarded([&] { return numpy_dtype(dtype_of(node_ref(handle))).release().ptr(); });
  Py_DECREF(handle);
  return made;
}

// `x.shape = ...`: NumPy changes the real array.
int set_in_place(PyObject* self, PyObject* value, void* name) {
  PyObject* road = slow_road("put");
  if (value == nullptr || road == nullptr) {
    PyErr_Format(PyExc_AttributeError, "cannot delete attribute '%s'",
                 static_cast<const char*>(name));
    return -1;
  }
  PyObject* done = PyObject_CallFunction(road, "OsO", self, static_cast<const char*>(name), value);
  Py_XDECREF(done);
  return done == nullptr ? -1 : 0;
}

PyObject* get_transpose(PyObject* self, void*) {
  static PyObject* const name = PyUnicode_InternFromString("transpose");
  const auto call = [&] { return PyObject_CallMethodNoArgs(self, name); };
  return guarded([&] { return record_again(name, 'p', &self, 1, nullptr, call); });
}

PyGetSetDef kProperties[] = {
    {"T", &get_transpose, nullptr, nullptr, nullptr},
    {"handle", &get_handle, nullptr,
     "The current node; a view follows what was written to its base.", nullptr},
    {"shape", &get_shape, &set_in_place, nullptr, const_cast<char*>("shape")},
    {"dtype", &get_dtype, &set_in_place, nullptr, const_cast<char*>("dtype")},
    {"ndim", &get_ndim, nullptr, nullptr, nullptr},
    {"size", &get_size, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef kMethods[] = {
    {"window_at", &traced_window, METH_O, "The window or the scalar that a basic index selects."},
    {"assign", &assign, METH_O, "Rebinds the array's contents after a write into it."},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef kMembers[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Traced, weakrefs), READONLY, nullptr},
    {"recorder", T_OBJECT, offsetof(Traced, recorder), 0, nullptr},
    {"_handle", T_OBJECT, offsetof(Traced, handle), 0, nullptr},
    {"origin", T_OBJECT, offsetof(Traced, origin), 0, nullptr},
    {"input", T_OBJECT, offsetof(Traced, input), 0, nullptr},
    {"computed", T_OBJECT, offsetof(Traced, computed), 0, nullptr},
    {"parent", T_OBJECT, offsetof(Traced, parent), 0, nullptr},
    {"selected", T_OBJECT, offsetof(Traced, selected), 0, nullptr},
    {"layout", T_OBJECT, offsetof(Traced, layout), 0, nullptr},
    {"promise", T_OBJECT, offsetof(Traced, promise), 0, nullptr},
    {"_real", T_OBJECT, offsetof(Traced, real), 0, nullptr},
    {"_opened", T_OBJECT, offsetof(Traced, opened), 0, nullptr},
    {"_view", T_OBJECT, offsetof(Traced, view), 0, nullptr},
    {"_seen", T_LONGLONG, offsetof(Traced, seen), 0, nullptr},
    {"version", T_LONGLONG, offsetof(Traced, version), 0, nullptr},
    {"_epoch", T_LONGLONG, offsetof(Traced, epoch), 0, nullptr},
    {"used", T_LONGLONG, offsetof(Traced, used), 0, nullptr},
    {"is_scalar", T_BOOL, offsetof(Traced, is_scalar), 0, nullptr},
    {"is_window", T_BOOL, offsetof(Traced, is_window), 0, nullptr},
    {"dirty", T_BOOL, offsetof(Traced, dirty), 0, nullptr},
    {"_is_copy", T_BOOL, offsetof(Traced, is_copy), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

}  // namespace

bool is_exact_traced(PyObject* o) { return Py_TYPE(o) == exact_type; }

PyObject* make_traced(PyObject* recorder, PyObject* handle, bool scalar) {
  PyObject* made = exact_type->tp_alloc(exact_type, 0);
  if (made == nullptr) return nullptr;
  if (!enter(as_traced(made), recorder, handle, scalar)) Py_CLEAR(made);
  return made;
}

PyObject* handle_of(Traced* t) {
  std::vector<Traced*> views;  // each is kept by the one before: there may be very many
  Traced* root = t;
  for (; unless_none(root->parent) != nullptr; root = as_traced(root->parent)) {
    views.push_back(root);
  }
  PyObject* handle = handle_of_root(root);
  for (size_t i = views.size(); i-- > 0 && handle != nullptr;) {
    Traced* view = views[i];
    const Traced* base = as_traced(view->parent);
    if (base->version != view->seen) {
      PyObject* own = shown_by(view, handle);
      if (own == nullptr) {
        Py_CLEAR(handle);
        break;
      }
      put(&view->handle, own);
      put(&view->real, nullptr);
      view->seen = base->version;
      ++view->version;
    }
    Py_DECREF(std::exchange(handle, Py_NewRef(view->handle)));
  }
  return handle;
}

PyObject* operand_of(Traced* t) {
  if (unless_none(t->parent) != nullptr || t->is_copy) return handle_of(t);
  return Py_XNewRef(unless_none(t->handle));
}

bool assign_node(Traced* t, PyObject* handle) {
  PyObject* own = own_node(handle);
  if (own == nullptr) return false;
  bool done = true;
  if (unless_none(t->parent) != nullptr) {
    done = write_view(t, own);
  } else if (unless_none(t->origin) != nullptr) {
    bool writeable = false;
    done =
        is_writeable(t->origin, &writeable) && (writeable ? write_origin(t, own) : refuse_write());
  } else {
    put(&t->handle, Py_NewRef(own));
    put(&t->selected, nullptr);
  }
  Py_DECREF(own);
  if (!done) return false;
  put(&t->real, nullptr);
  ++t->version;
  return true;
}

PyObject* slow_road(const char* name) {
  const auto found = slow_roads().find(name);
  return found == slow_roads().end() ? nullptr : found->second;
}

bool takes_slow_road() {
  if (PyErr_Occurred() == nullptr) return true;
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return false;
  PyErr_Clear();
  return true;
}

void bind_traced_array(py::module_& m) {
  Slots slots;
  const auto slot = [&](int id, auto value) {
    slots.push_back({id, reinterpret_cast<void*>(value)});
  };
  slot(Py_tp_dealloc, &dealloc);
  slot(Py_tp_traverse, &traverse);
  slot(Py_tp_clear, &clear);
  slot(Py_tp_init, &init);
  slot(Py_tp_new, &PyType_GenericNew);
  slot(Py_tp_members, kMembers);
  slot(Py_tp_methods, kMethods);
  slot(Py_tp_getset, kProperties);
  slot(Py_tp_doc, const_cast<char*>("The state and the hot operations of TracedArray."));
  add_traced_operators(&slots);
  add_traced_items(&slots);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"jupyter_hybrid._core.TracedBase", sizeof(Traced), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  base_type = reinterpret_cast<PyTypeObject*>(type);
  m.attr("TracedBase") = py::reinterpret_borrow<py::object>(type);
  m.def(
      "tell_traced",
      [](const py::type& made, const py::dict& roads) {
        require(PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(made.ptr()), base_type) == 1,
                "tell_traced: expected a class made of TracedBase");
        exact_type = reinterpret_cast<PyTypeObject*>(py::object(made).release().ptr());
        for (const auto& [name, road] : roads) {
          slow_roads()[name.cast<std::string>()] =
              py::reinterpret_borrow<py::object>(road).release().ptr();
        }
      },
      py::arg("type"), py::arg("roads"),
      "The class of traced arrays, and what is called where its hot operations don't apply, by "
      "the name of the special method.");
}

}  // namespace bind
}  // namespace hybrid
