// The NDArray type: making it, allocating and freeing objects, traced objects and their values.
#include "bind/array_object.h"

#include <structmember.h>

#include <memory>
#include <new>
#include <unordered_map>

#include "array/trace_writes.h"
#include "bind/invoke.h"
#include "bind/taken_back.h"
#include "bind/trace_graph.h"
#include "launch/launch.h"
#include "tape/tape.h"
#include "trace/pending.h"

namespace hybrid {
namespace bind {

namespace {

PyTypeObject* type_object = nullptr;

// Blocks of dead objects of the exact type, linked through their first word after the header.
constexpr int kMaxFree = 256;
PyArray* free_blocks[kMaxFree];
int num_free = 0;

// Live concrete arrays used while tracing, by memory: a graph's inputs are these very objects.
using TraceInputs = std::unordered_multimap<const Storage*, PyArray*>;
TraceInputs& trace_inputs() {
  static TraceInputs* inputs = new TraceInputs;
  return *inputs;
}

// Arrays that were leaves of the trace until it wrote to them: others then have their contents.
std::unordered_multimap<PyArray*, std::weak_ptr<SymNode>>& written_leaves() {
  static auto* leaves = new std::unordered_multimap<PyArray*, std::weak_ptr<SymNode>>;
  return *leaves;
}

void forget_trace_input(PyArray* a) {
  written_leaves().erase(a);
  const auto [first, last] = trace_inputs().equal_range(a->noted);
  for (auto it = first; it != last; ++it) {
    if (it->second == a) {
      trace_inputs().erase(it);
      break;
    }
  }
  a->noted = nullptr;
}

void note_trace_input(PyArray* a) {
  const Storage* storage = a->ref.array.storage.get();
  if (a->noted == storage) return;
  if (a->noted != nullptr) forget_trace_input(a);
  trace_inputs().emplace(storage, a);
  a->noted = storage;
}

struct TracedList {
  PyArray* first = nullptr;
  PyArray* last = nullptr;
};
TracedList own_list, apart_list;  // by PyArray::apart
TracedList& list_of(const PyArray* a) { return a->apart ? apart_list : own_list; }
uint64_t traced_changes = 0;
PyObject* materialize_hook = nullptr;

// Operators may overwrite arrays without Python's lock.
void settle_before_overwrite(const NDArray& target) {
  const py::gil_scoped_acquire gil;
  settle_readers(target);
}

void link_traced(PyArray* a) {
  TracedList& list = list_of(a);
  a->previous = list.last;
  a->next = nullptr;
  (list.last != nullptr ? list.last->next : list.first) = a;
  list.last = a;
  ++traced_changes;
  set_overwrite_hook(&settle_before_overwrite);
}

void unlink_traced(PyArray* a) {
  TracedList& list = list_of(a);
  (a->previous != nullptr ? a->previous->next : list.first) = a->next;
  (a->next != nullptr ? a->next->previous : list.last) = a->previous;
  a->previous = a->next = nullptr;
  ++traced_changes;
  if (own_list.first == nullptr && apart_list.first == nullptr) set_overwrite_hook(nullptr);
}

bool is_linked(const PyArray* a) { return a->previous != nullptr || list_of(a).first == a; }

PyArray* allocate_object() {
  if (num_free > 0) {
    PyArray* a = free_blocks[--num_free];
    PyObject_Init(reinterpret_cast<PyObject*>(a), type_object);
    return a;
  }
  return PyObject_New(PyArray, type_object);
}

void initialise(PyArray* a, ArrayRef&& ref) {
  new (&a->ref) ArrayRef(std::move(ref));
  a->weakrefs = nullptr;
  a->previous = a->next = nullptr;
  a->noted = nullptr;
  a->separate = a->apart = false;
  if (is_traced(a)) link_traced(a);
}

void dealloc(PyObject* self) {
  PyArray* a = as_array(self);
  PyTypeObject* type = Py_TYPE(self);
  if (a->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  if (is_linked(a)) unlink_traced(a);
  if (a->noted != nullptr) forget_trace_input(a);
  a->ref.~ArrayRef();
  if (type == type_object && num_free < kMaxFree) {
    free_blocks[num_free++] = a;
  } else {
    type->tp_free(self);
  }
  Py_DECREF(type);
}

// NDArray(source, ctx=None, dtype=None): shares the handle of an array, copies anything else.
PyObject* new_array(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"source_array", "ctx", "dtype", nullptr};
    PyObject *source = nullptr, *ctx = Py_None, *dtype = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:NDArray", const_cast<char**>(names),
                                     &source, &ctx, &dtype)) {
      return nullptr;
    }
    py::object made = py::reinterpret_borrow<py::object>(source);
    if (!is_array(source) || ctx != Py_None || dtype != Py_None) {
      made = py::module_::import("jupyter_hybrid._core")
                 .attr("array")(made, py::handle(ctx), py::handle(dtype));
    }
    PyObject* self = type->tp_alloc(type, 0);
    if (self != nullptr) initialise(as_array(self), ArrayRef(as_array(made.ptr())->ref));
    return self;
  });
}

Py_hash_t hash_pointer(PyObject* self) {
  const auto bits = reinterpret_cast<size_t>(self);
  return static_cast<Py_hash_t>((bits >> 4) | (bits << (8 * sizeof(size_t) - 4)));
}

bool is_constant(const PyArray* a) { return a->ref.extra->entry.node->kind == NodeKind::constant; }

void call_hook(PyArray* a) {
  py::list arrays;
  arrays.append(py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(a)));
  const py::object hook = py::reinterpret_borrow<py::object>(materialize_hook);
  hook(arrays);
}

// For the core, when it needs a value below Python: sets entry.node->values.
void materialize_entry(const SymEntry& entry) {
  const py::gil_scoped_acquire gil;
  // The object that has a name, if there is one: the hook knows it.
  for (PyArray* first : {apart_list.first, own_list.first}) {
    for (PyArray* a = first; a != nullptr; a = a->next) {
      const SymEntry& own = a->ref.extra->entry;
      if (own.node != entry.node || own.out != entry.out) continue;
      const py::object held = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(a));
      value_of(a);
      return;
    }
  }
  ArrayRef ref;
  ref.extra = Ref<ArrayExtra>(new ArrayExtra);
  ref.extra->entry = entry;
  ref.extra->traced = true;
  const py::object array = wrap(std::move(ref));
  value_of(as_array(array.ptr()));
}

}  // namespace

PyTypeObject* array_type() { return type_object; }

const NDArray* node_value(const PyArray* a) {
  const SymEntry& e = a->ref.extra->entry;
  if (!e.node || static_cast<size_t>(e.out) >= e.node->values.size()) return nullptr;
  const NDArray& value = e.node->values[static_cast<size_t>(e.out)];
  return value.defined() ? &value : nullptr;
}

PyObject* wrap_ref(ArrayRef&& ref) {
  PyArray* a = allocate_object();
  if (a == nullptr) return nullptr;
  initialise(a, std::move(ref));
  return reinterpret_cast<PyObject*>(a);
}

PyObject* wrap_parts(StorageRef&& storage, const Shape& shape, const Shape& strides, DType dtype) {
  PyArray* a = allocate_object();
  if (a == nullptr) return nullptr;
  new (&a->ref) ArrayRef{{std::move(storage), 0, shape, strides, dtype}, Ref<ArrayExtra>()};
  a->weakrefs = nullptr;
  a->previous = a->next = nullptr;
  a->noted = nullptr;
  a->separate = a->apart = false;
  return reinterpret_cast<PyObject*>(a);
}

PyObject* wrap_array(NDArray&& array) {
  return wrap_ref(ArrayRef{std::move(array), Ref<ArrayExtra>()});
}

py::object wrap(ArrayRef ref) {
  PyObject* made = wrap_ref(std::move(ref));
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

py::object wrap(NDArray array) { return wrap(ArrayRef{std::move(array), Ref<ArrayExtra>()}); }

py::object wrap_outputs(std::vector<ArrayRef> refs) {
  if (refs.size() == 1) return wrap(std::move(refs[0]));
  py::list list;
  for (ArrayRef& ref : refs) list.append(wrap(std::move(ref)));
  return list;
}

const ArrayRef& ref_of(py::handle object, const char* what) {
  if (!object || !is_array(object.ptr())) {
    throw py::type_error(std::string(what) + ": expected an NDArray, got " +
                         (object ? Py_TYPE(object.ptr())->tp_name : "nothing"));
  }
  PyArray* a = as_array(object.ptr());
  const ThreadState& state = thread_state();
  if ((state.mode & kTracing) && !is_traced(a)) {
    note_trace_input(a);
  } else if (state.writes != 0 && !is_traced(a) && awaits_write(a->ref.array.storage.get())) {
    settle_trace_writes("a written array is read");
  }
  return peek_ref(object.ptr());
}

const ArrayRef& peek_ref(PyObject* array) {
  PyArray* a = as_array(array);
  if (is_traced(a) && !is_constant(a)) {
    if (const NDArray* value = node_value(a)) set_array_value(a, NDArray(*value));
  }
  return a->ref;
}

py::object trace_input_object(const NDArray& value) {
  const auto [first, last] = trace_inputs().equal_range(value.storage.get());
  for (auto it = first; it != last; ++it) {
    const NDArray& a = it->second->ref.array;
    if (a.storage == value.storage && a.offset == value.offset && a.shape == value.shape &&
        a.strides == value.strides && a.dtype == value.dtype) {
      return py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(it->second));
    }
  }
  return wrap(value);
}

void clear_trace_inputs() {
  while (!trace_inputs().empty()) forget_trace_input(trace_inputs().begin()->second);
}

const NDArray& value_of(PyArray* a) {
  if (!is_traced(a)) {
    if (awaits_write(a->ref.array.storage.get())) settle_trace_writes("a written array is read");
    return a->ref.array;
  }
  if (is_constant(a)) return *node_value(a);  // stays a constant for what is recorded later
  if (node_value(a) == nullptr && materialize_hook != nullptr) call_hook(a);
  if (is_traced(a)) {
    const NDArray* value = node_value(a);
    require(value != nullptr,
            "this array has no value: it was recorded in a hybridized cell and never computed");
    set_array_value(a, NDArray(*value));
  }
  // A window on a new value that is known now, but is still to be written where it belongs.
  if (awaits_write(a->ref.array.storage.get())) settle_trace_writes("a written array is read");
  return a->ref.array;
}

const NDArray& value_of(py::handle object, const char* what) {
  ref_of(object, what);
  return value_of(as_array(object.ptr()));
}

namespace {

// A program takes the host for one device; an array of cpu(1) comes back to cpu(1).
NDArray on_its_host(const NDArray& value, Context ctx) {
  if (value.ctx() == ctx || !value.ctx().is_cpu() || !ctx.is_cpu()) return value;
  const ModeScope eager(kEager);
  return moved_to(ctx, ArrayRef{value, Ref<ArrayExtra>()}).array;
}

}  // namespace

void set_array_value(PyArray* a, const NDArray& given) {
  const NDArray value = is_traced(a) ? on_its_host(given, context_of(a->ref)) : given;
  if (is_traced(a)) {
    const SymEntry& e = a->ref.extra->entry;
    require(shape_of(a->ref) == value.shape && dtype_of(a->ref) == value.dtype,
            "set_value: the traced array is ", dtype_name(dtype_of(a->ref)), " ", shape_of(a->ref),
            ", the value ", dtype_name(value.dtype), " ", value.shape);
    const auto out = static_cast<size_t>(e.out);
    if (e.node->values.size() <= out) {
      const auto count = std::max(out + 1, static_cast<size_t>(e.node->num_outputs));
      e.node->values.resize(count);
      e.node->versions.resize(count);
    }
    e.node->values[out] = value;
    e.node->versions[out] = value.storage->var.version.load();
    if (e.node->kind == NodeKind::op && variable_slot(*e.node)) make_leaf_of_copy(e.node.get());
    a->ref.extra->traced = false;
    unlink_traced(a);
    const bool forgets = a->separate || !e.node->is_window();
    if (!keep_until_done(a, value, forgets) && forgets) forget_history(e.node.get());
  }
  a->ref.array = value;
}

void note_written_leaf(PyArray* array, const SymNodeRef& leaf) {
  note_trace_input(array);  // forgotten with the array
  written_leaves().emplace(array, leaf);
}

PyArray* array_before_write(const SymNode& leaf) {
  for (const auto& [array, node] : written_leaves()) {
    if (node.lock().get() == &leaf) return array;
  }
  return nullptr;
}

void rebind(PyArray* a, ArrayRef ref) {
  if (is_linked(a)) unlink_traced(a);
  a->ref = std::move(ref);
  if (is_traced(a)) link_traced(a);
}

void touch_traced() { ++traced_changes; }

uint64_t live_traced_changes() { return traced_changes; }

void set_separate(const py::object& made) {
  if (is_array(made.ptr())) {
    as_array(made.ptr())->separate = true;
  } else {
    for (const py::handle one : made) as_array(one.ptr())->separate = true;
  }
}

void set_apart(PyArray* a) {
  const bool linked = is_linked(a);
  if (linked) unlink_traced(a);
  a->apart = true;
  if (linked) link_traced(a);
}

PyArray* first_own_traced() { return own_list.first; }

std::vector<py::object> live_traced_arrays() {
  std::vector<py::object> result;
  for (PyArray* first : {apart_list.first, own_list.first}) {
    for (PyArray* a = first; a != nullptr; a = a->next) {
      result.push_back(py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(a)));
    }
  }
  return result;
}

void set_materialize_hook(py::object hook) {
  PyObject* old = materialize_hook;
  materialize_hook = hook.is_none() ? nullptr : hook.release().ptr();
  Py_XDECREF(old);
}

void bind_array(py::module_& m) {
  static std::vector<PyMethodDef> methods;
  add_convert_methods(&methods);
  add_shape_methods(&methods);
  add_autograd_methods(&methods);
  methods.push_back({nullptr, nullptr, 0, nullptr});
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(PyArray, weakrefs), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  Slots slots;
  const auto slot = [&](int id, void* value) { slots.push_back({id, value}); };
  slot(Py_tp_dealloc, reinterpret_cast<void*>(&dealloc));
  slot(Py_tp_new, reinterpret_cast<void*>(&new_array));
  slot(Py_tp_hash, reinterpret_cast<void*>(&hash_pointer));
  slot(Py_tp_repr, reinterpret_cast<void*>(&array_repr));
  slot(Py_tp_str, reinterpret_cast<void*>(&array_repr));
  slot(Py_tp_members, members);
  slot(Py_tp_methods, methods.data());
  slot(Py_tp_getset, array_properties().data());
  slot(Py_tp_doc,
       const_cast<char*>(
           "A multi-dimensional array on one device; operators on it are asynchronous.\n\n"
           "Reading its value (asnumpy, asscalar, print) waits for it."));
  add_number_slots(&slots);
  add_index_slots(&slots);
  add_convert_slots(&slots);
  slot(0, nullptr);
  PyType_Spec spec = {"jupyter_hybrid.nd.NDArray", sizeof(PyArray), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots.data()};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  type_object = reinterpret_cast<PyTypeObject*>(type);
  m.attr("NDArray") = py::reinterpret_borrow<py::object>(type);
  py::setattr(type, "__array_priority__", py::float_(1000.0));

  set_materializer(&materialize_entry);
  m.def("set_materialize_hook", &set_materialize_hook, py::arg("hook"),
        "hook(list of traced arrays) is called before their values are read.");
  m.def("live_traced", &live_traced_arrays,
        "Traced arrays that are still referenced, in order of creation.");
  m.def(
      "set_value",
      [](const py::object& traced, const py::object& value) {
        ref_of(traced, "set_value");
        set_array_value(as_array(traced.ptr()), value_of(value, "set_value"));
      },
      py::arg("traced"), py::arg("value"),
      "Gives a traced array its value; the object stays the same.");
  m.def("alias_groups", &alias_groups, py::arg("arrays"),
        "Those of the traced arrays that would share memory in eager mode, two or more each; "
        "their base stands with them, as a new object where it was not given.");
}

}  // namespace bind
}  // namespace hybrid
