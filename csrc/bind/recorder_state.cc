#include "bind/recorder_state.h"

#include <structmember.h>

namespace hybrid {
namespace bind {

namespace {

PyTypeObject* type_object = nullptr;

int traverse(PyObject* self, visitproc visit, void* arg) {
  RecorderState* r = as_recorder(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(r->breaks);
  Py_VISIT(r->proxies);
  Py_VISIT(r->wrappers);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(as_recorder(self)->breaks);
  Py_CLEAR(as_recorder(self)->proxies);
  Py_CLEAR(as_recorder(self)->wrappers);
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

}  // namespace

PyTypeObject* recorder_state_type() { return type_object; }

void bind_recorder_state(py::module_& m) {
  static PyMemberDef members[] = {
      {"active", T_BOOL, offsetof(RecorderState, active), 0, nullptr},
      {"script", T_BOOL, offsetof(RecorderState, script), 0, nullptr},
      {"arrays", T_LONGLONG, offsetof(RecorderState, arrays), 0, nullptr},
      {"epoch", T_LONGLONG, offsetof(RecorderState, epoch), 0, nullptr},
      {"tick", T_LONGLONG, offsetof(RecorderState, tick), 0, nullptr},
      {"weighed_at", T_LONGLONG, offsetof(RecorderState, weighed_at), 0, nullptr},
      {"breaks", T_OBJECT, offsetof(RecorderState, breaks), 0, nullptr},
      {"proxies", T_OBJECT, offsetof(RecorderState, proxies), 0, nullptr},
      {"wrappers", T_OBJECT, offsetof(RecorderState, wrappers), 0, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(&clear)},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char*>("What the recorder's hot path reads of a recording.")},
      {0, nullptr}};
  static PyType_Spec spec = {"jupyter_hybrid._core.RecorderState", sizeof(RecorderState), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  type_object = reinterpret_cast<PyTypeObject*>(type);
  m.attr("RecorderState") = py::reinterpret_borrow<py::object>(type);
}

}  // namespace bind
}  // namespace hybrid
