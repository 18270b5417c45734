// Properties and methods of NDArray: shape, reshape, gradients; and its printed form.
#include "array/trace_writes.h"
#include "bind/create.h"
#include "bind/invoke.h"
#include "bind/mx_call.h"
#include "bind/site.h"
#include "bind/trace_writes.h"
#include "engine/engine.h"
#include "launch/thread_state.h"
#include "tape/autograd.h"
#include "tape/tape.h"
#include "trace/trace_gradient.h"
#include "trace/trace_op.h"

namespace hybrid {
namespace bind {

namespace {

const ArrayRef& ref(PyObject* self) { return ref_of(py::handle(self), "NDArray"); }
const ArrayRef& seen(PyObject* self) { return peek_ref(self); }

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return shape_to_python(shape_of(seen(self))).release().ptr(); });
}
PyObject* get_dtype(PyObject* self, void*) {
  return guarded([&] { return dtype_to_python(dtype_of(seen(self))).release().ptr(); });
}
PyObject* get_size(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLongLong(shape_of(seen(self)).size()); });
}
PyObject* get_ndim(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLong(shape_of(seen(self)).ndim()); });
}
PyObject* get_context(PyObject* self, void*) {
  return guarded([&] { return context_to_python(context_of(seen(self))).release().ptr(); });
}
PyObject* get_stype(PyObject*, void*) { return PyUnicode_FromString("default"); }
PyObject* get_grad(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    const ArrayRef& r = seen(self);
    if (!r.extra || !r.extra->grad.defined()) Py_RETURN_NONE;
    return wrap_array(NDArray(r.extra->grad));
  });
}
PyObject* get_fresh_grad(PyObject* self, void*) {
  return guarded(
      [&] { return PyBool_FromLong(seen(self).extra && seen(self).extra->has_fresh_grad); });
}
int set_fresh_grad(PyObject* self, PyObject* value, void*) {
  return guarded_int([&] {
    if (seen(self).extra && value != nullptr) {
      as_array(self)->ref.extra->has_fresh_grad = PyObject_IsTrue(value) == 1;
    }
    return 0;
  });
}
PyObject* get_traced(PyObject* self, void*) {
  return guarded([&] { return PyBool_FromLong(!seen(self).array.defined()); });
}
// Reads no element and waits for nothing.
PyObject* get_storage(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    const Storage* storage = seen(self).array.storage.get();
    if (storage == nullptr) Py_RETURN_NONE;
    return storage_facts(*storage).release().ptr();
  });
}
PyObject* get_version(PyObject* self, void*) {
  return guarded([&] {
    const NDArray& array = seen(self).array;
    return PyLong_FromUnsignedLongLong(array.defined() ? array.storage->var.version.load() : 0);
  });
}
PyObject* get_transposed(PyObject* self, void*) {
  return guarded([&] {
    const MxCall call = mx_call("transpose");
    return wrap_ref(call_one(*call.op, call.attrs, {ref(self)}));
  });
}

// reshape((2, 3)), reshape(2, 3), reshape(shape=(2, 3), reverse=False), with MXNet's codes.
PyObject* reshape(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    py::object shape = py::reinterpret_borrow<py::object>(args);
    MxCall call = mx_call("Reshape");
    if (PyTuple_GET_SIZE(args) == 1)
      shape = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(args, 0));
    if (kwargs != nullptr) {
      for (const auto& pair : py::reinterpret_borrow<py::dict>(kwargs)) {
        const std::string name = pair.first.cast<std::string>();
        if (name == "shape") {
          shape = py::reinterpret_borrow<py::object>(pair.second);
        } else if (name == "reverse") {
          set_mx_attr(&call, "reverse", pair.second);
        } else {
          throw py::type_error("reshape() got an unexpected keyword argument '" + name + "'");
        }
      }
    }
    set_mx_attr(&call, "shape", shape);
    const FlagScope windows(&thread_state().windows, true);
    return wrap_ref(call_one(*call.op, call.attrs, {ref(self)}));
  });
}

ArrayExtra::Req grad_req_of(const std::string& text) {
  if (text == "write") return ArrayExtra::write;
  if (text == "add") return ArrayExtra::add;
  if (text == "null") return ArrayExtra::null;
  fail("grad_req: given '", text, "', expected write, add or null");
}

// Is it a window on another array, or another one a window on it?
bool shares_recorded_memory(const PyArray* a) {
  const SymEntry& entry = a->ref.extra->entry;
  const SymNode* memory = memory_of(entry).node.get();
  if (memory != entry.node.get()) return true;
  for (const py::object& other : live_traced_arrays()) {
    const SymEntry& e = as_array(other.ptr())->ref.extra->entry;
    if (as_array(other.ptr()) != a && memory_of(e).node.get() == memory) return true;
  }
  return false;
}

PyObject* attach_grad_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"grad_req", "stype", nullptr};
    const char* req = "write";
    PyObject* stype = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|sO:attach_grad", const_cast<char**>(names),
                                     &req, &stype)) {
      return nullptr;
    }
    if (tracing() && is_traced(as_array(self)) && seen(self).extra->traced) {
      mark_site();
      if (!shares_recorded_memory(as_array(self))) {
        trace_attach_grad(as_array(self)->ref, grad_req_of(req));
        touch_traced();
        Py_RETURN_NONE;
      }
      leave_trace_for("attach_grad() of an array that shares another's memory");
    }
    value_of(as_array(self));
    attach_grad(as_array(self)->ref, grad_req_of(req));
    Py_RETURN_NONE;
  });
}

PyObject* backward_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"out_grad", "retain_graph", "train_mode", nullptr};
    PyObject* out_grad = Py_None;
    int retain = 0, train = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Opp:backward", const_cast<char**>(names),
                                     &out_grad, &retain, &train)) {
      return nullptr;
    }
    std::vector<ArrayRef> head_grads;
    if (out_grad != Py_None) head_grads.push_back(ref_of(py::handle(out_grad), "backward"));
    run_backward({ref(self)}, head_grads, retain != 0, train != 0);
    Py_RETURN_NONE;
  });
}

PyObject* detach(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    PyArray* a = as_array(self);
    // It shares the memory: that which is there, or that of what is recorded or will be written.
    if (tracing() && (is_traced(a) || awaits_write(a->ref.array.storage.get()))) {
      ArrayRef window;
      window.extra = Ref<ArrayExtra>(new ArrayExtra);
      window.extra->entry = traced_window(trace_entry(a->ref));
      window.extra->traced = true;
      return wrap_ref(std::move(window));
    }
    return wrap_array(NDArray(value_of(as_array(self))));
  });
}

}  // namespace

// MXNet's form: the values, then "<NDArray 2x3 @cpu(0)>". Of a device that is modelled only, words
// that there are none.
PyObject* array_repr(PyObject* self) {
  return guarded([&] {
    const NDArray& value = value_of(as_array(self));
    wait_ready(value, false);
    const std::string values = engine::has_values(*value.storage)
                                   ? py::str(to_numpy(value)).cast<std::string>()
                                   : "not computed";
    std::string sizes;
    for (const int64_t size : value.shape)
      sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
    std::string type = Py_TYPE(self)->tp_name;
    type = type.substr(type.rfind('.') == std::string::npos ? 0 : type.rfind('.') + 1);
    const std::string text = "\n" + values + "\n<" + type + " " + sizes +
                             (sizes.empty() ? "@" : " @") + value.ctx().str() + ">";
    return py::str(text).release().ptr();
  });
}

std::vector<PyGetSetDef>& array_properties() {
  static std::vector<PyGetSetDef> properties = {
      {"shape", &get_shape, nullptr, "Sizes of the dimensions.", nullptr},
      {"dtype", &get_dtype, nullptr, "NumPy's type of the elements.", nullptr},
      {"size", &get_size, nullptr, "Number of elements.", nullptr},
      {"ndim", &get_ndim, nullptr, "Number of dimensions.", nullptr},
      {"ctx", &get_context, nullptr, "The device.", nullptr},
      {"context", &get_context, nullptr, "The device.", nullptr},
      {"stype", &get_stype, nullptr, "Storage type: always 'default' (dense).", nullptr},
      {"grad", &get_grad, nullptr, "The gradient array, None before attach_grad().", nullptr},
      {"_fresh_grad", &get_fresh_grad, &set_fresh_grad,
       "Written by backward since it was last used.", nullptr},
      {"T", &get_transposed, nullptr, "With the dimensions in reverse order.", nullptr},
      {"_traced", &get_traced, nullptr, "True while a cell has recorded it but not computed it.",
       nullptr},
      {"_storage", &get_storage, nullptr,
       "(its number, bytes, device, does the device's pool own it): views share one; None while "
       "a cell has recorded the array but not computed it.",
       nullptr},
      {"_version", &get_version, nullptr, "Counts the writes to its memory.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  return properties;
}

void add_shape_methods(std::vector<PyMethodDef>* methods) {
  const auto function = [](PyCFunctionWithKeywords f) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
  };
  methods->push_back(
      {"reshape", function(&reshape), METH_VARARGS | METH_KEYWORDS,
       "reshape($self, *shape, **kwargs)\n--\n\nThe same elements; codes 0 (keep), -1 (infer), -2 "
       "(rest), -3 (merge two), -4 (split); with reverse=True they count from the right."});
}

void add_autograd_methods(std::vector<PyMethodDef>* methods) {
  const auto function = [](PyCFunctionWithKeywords f) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
  };
  methods->push_back({"attach_grad", function(&attach_grad_method), METH_VARARGS | METH_KEYWORDS,
                      "attach_grad($self, grad_req='write', stype=None)\n--\n\nGets a gradient "
                      "array; 'write', 'add' "
                      "or 'null'."});
  methods->push_back(
      {"backward", function(&backward_method), METH_VARARGS | METH_KEYWORDS,
       "backward($self, out_grad=None, retain_graph=False, train_mode=True)\n--\n\nGradients of "
       "this array by everything attached."});
  methods->push_back(
      {"detach", &detach, METH_NOARGS, "detach($self)\n--\n\nThe same value without its history."});
}

}  // namespace bind
}  // namespace hybrid
