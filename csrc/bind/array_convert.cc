// Methods of NDArray that read it, copy it, convert it or wait for it.
#include "bind/create.h"
#include "bind/invoke.h"
#include "bind/site.h"
#include "core/devices.h"
#include "engine/engine.h"
#include "ops/copy_to_device.h"

namespace hybrid {
namespace bind {

namespace {

const NDArray& value(PyObject* self) { return value_of(as_array(self)); }

PyObject* asnumpy(PyObject* self, PyObject*) {
  return guarded([&] { return to_numpy_number(value(self)).release().ptr(); });
}

PyObject* asscalar(PyObject* self, PyObject*) {
  return guarded([&] {
    const NDArray& array = value(self);
    to_scalar(array);  // checks the size
    return to_numpy(array).attr("reshape")(1)[py::int_(0)].cast<py::object>().release().ptr();
  });
}

PyObject* item(PyObject* self, PyObject*) {
  return guarded([&] { return to_scalar(value(self)).release().ptr(); });
}

PyObject* tolist(PyObject* self, PyObject*) {
  return guarded(
      [&] { return to_numpy(value(self)).attr("tolist")().cast<py::object>().release().ptr(); });
}

PyObject* numpy_protocol(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"dtype", "copy", nullptr};
    PyObject *dtype = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__array__", const_cast<char**>(names),
                                     &dtype, &copy)) {
      return nullptr;
    }
    if (copy == Py_False)
      throw py::value_error("NDArray: its memory is the device's, so a copy is needed");
    py::object array = to_numpy(value(self));
    if (dtype != Py_None) array = array.attr("astype")(py::handle(dtype), py::arg("copy") = false);
    return array.release().ptr();
  });
}

PyObject* astype(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"dtype", "copy", nullptr};
    PyObject* dtype = nullptr;
    int copy = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p:astype", const_cast<char**>(names), &dtype,
                                     &copy)) {
      return nullptr;
    }
    const ArrayRef& ref = ref_of(py::handle(self), "astype");
    const DType to = dtype_from_python(dtype);
    if (to == dtype_of(ref) && copy == 0) {
      Py_INCREF(self);
      return self;
    }
    Attrs attrs(get_op("cast"));
    attrs.set("dtype", static_cast<int64_t>(to));
    return wrap_ref(call_one(*attrs.op(), attrs, {ref}));
  });
}

PyObject* copy(PyObject* self, PyObject*) {
  return guarded([&] {
    const OpDef& op = *get_op("identity");
    return wrap_ref(call_one(op, Attrs(&op), {ref_of(py::handle(self), "copy")}));
  });
}

PyObject* deep_copy(PyObject* self, PyObject*) { return copy(self, nullptr); }

// Recorded as an operator by a cell and by autograd: the cell's program makes the copy, and
// gradients come back to the array's device.
ArrayRef on_device(PyObject* self, Context ctx) {
  const ArrayRef& ref = ref_of(py::handle(self), "copyto");
  devices::check_exists(ctx);
  const bool same = context_of(ref) == ctx;
  const OpDef& op = same ? *get_op("identity") : *copy_to_device_op();
  return call_one(op, same ? Attrs(&op) : copy_to_device_attrs(ctx), {ref});
}

// The one argument of a method, by its place or by its name.
bool one_argument(PyObject* args, PyObject* kwargs, const char* format, const char* name,
                  PyObject** given) {
  const char* names[] = {name, nullptr};
  return PyArg_ParseTupleAndKeywords(args, kwargs, format, const_cast<char**>(names), given) != 0;
}

// copyto(other): an array is written to and returned, a Context gets a new array.
PyObject* copyto(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    PyObject* other = nullptr;
    if (!one_argument(args, kwargs, "O:copyto", "other", &other)) return nullptr;
    if (!is_array(other)) {
      return wrap_ref(on_device(self, context_from_python(py::handle(other))));
    }
    if (self == other) {
      PyErr_WarnEx(PyExc_RuntimeWarning, "copyto: source and target are the same array", 1);
    } else {
      const Shape &from = shape_of(ref_of(self, "copyto")), &to = shape_of(ref_of(other, "copyto"));
      require(from == to, "copyto: source has shape ", from, ", target ", to);
      assign(as_array(other), self);
    }
    Py_INCREF(other);
    return other;
  });
}

PyObject* as_in_context(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    PyObject* ctx = nullptr;
    if (!one_argument(args, kwargs, "O:as_in_context", "context", &ctx)) return nullptr;
    const Context to = context_from_python(py::handle(ctx));
    if (context_of(peek_ref(self)) == to) {
      Py_INCREF(self);
      return self;
    }
    return wrap_ref(on_device(self, to));
  });
}

PyObject* wait_to_read(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    wait_ready(value(self), false);
    Py_RETURN_NONE;
  });
}

PyObject* wait_to_write(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    Storage* storage = value(self).storage.get();
    mark_site();
    {
      const MaybeReleaseGil gil(true);
      engine::wait_to_write(storage);
    }
    Py_RETURN_NONE;
  });
}

PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    const NDArray& array = value(self);
    if (array.dtype == DType::bfloat16) {
      return py::make_tuple(
                 py::module_::import("jupyter_hybrid._core").attr("array"),
                 py::make_tuple(to_numpy(array), context_to_python(array.ctx()), "bfloat16"))
          .release()
          .ptr();
    }
    return py::make_tuple(py::module_::import("jupyter_hybrid._core").attr("from_numpy"),
                          py::make_tuple(to_numpy(array), true, context_to_python(array.ctx())))
        .release()
        .ptr();
  });
}

int truth(PyObject* self) {
  return guarded_int([&]() -> int {
    const Shape& shape = shape_of(peek_ref(self));
    if (shape.size() == 0) return 0;
    if (shape.size() != 1) {
      throw py::value_error("the truth value of an array of shape " + shape.str() +
                            " is ambiguous, expected one element");
    }
    return PyObject_IsTrue(to_scalar(value(self)).ptr());
  });
}

PyObject* to_float(PyObject* self) {
  return guarded([&] { return PyNumber_Float(to_scalar(value(self)).ptr()); });
}

PyObject* to_int(PyObject* self) {
  return guarded([&] { return PyNumber_Long(to_scalar(value(self)).ptr()); });
}

PyObject* to_index(PyObject* self) {
  return guarded([&] {
    const DType dtype = dtype_of(peek_ref(self));
    if (!is_integer(dtype)) {
      throw py::type_error(
          std::string("only integer arrays of one element can be an index, this is ") +
          dtype_name(dtype));
    }
    return to_scalar(value(self)).release().ptr();
  });
}

}  // namespace

void add_convert_methods(std::vector<PyMethodDef>* methods) {
  const auto add = [&](const char* name, PyCFunction function, int flags, const char* doc) {
    methods->push_back({name, function, flags, doc});
  };
  const auto keywords = [](PyCFunctionWithKeywords f) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
  };
  const int named = METH_VARARGS | METH_KEYWORDS;
  add("asnumpy", &asnumpy, METH_NOARGS, "asnumpy($self)\n--\n\nA NumPy copy; waits for the value.");
  add("asscalar", &asscalar, METH_NOARGS,
      "asscalar($self)\n--\n\nThe one element as a NumPy scalar; waits for it.");
  add("item", &item, METH_NOARGS,
      "item($self)\n--\n\nThe one element as a Python number; waits for it.");
  add("tolist", &tolist, METH_NOARGS,
      "tolist($self)\n--\n\nNested lists of Python numbers; waits for the value.");
  add("__array__", keywords(&numpy_protocol), named, "NumPy's array protocol.");
  add("astype", keywords(&astype), named,
      "astype($self, dtype, copy=True)\n--\n\nThe same values in another dtype; floats go toward 0 "
      "to integers.");
  add("copy", &copy, METH_NOARGS, "copy($self)\n--\n\nA copy on the same device.");
  add("__copy__", &copy, METH_NOARGS, "A copy on the same device.");
  add("__deepcopy__", &deep_copy, METH_O, "A copy on the same device.");
  add("copyto", keywords(&copyto), named,
      "copyto($self, other)\n--\n\nWrites into an array of the same shape, or makes one on a "
      "Context.");
  add("as_in_context", keywords(&as_in_context), named,
      "as_in_context($self, context)\n--\n\nItself when already there, else a copy on that "
      "device.");
  add("as_in_ctx", keywords(&as_in_context), named,
      "as_in_ctx($self, context)\n--\n\nAlias of as_in_context.");
  add("wait_to_read", &wait_to_read, METH_NOARGS,
      "wait_to_read($self)\n--\n\nWaits until the value is there; raises the error of the operator "
      "that failed to make it.");
  add("wait_to_write", &wait_to_write, METH_NOARGS,
      "wait_to_write($self)\n--\n\nWaits until nobody reads or writes the array.");
  add("__reduce__", &reduce, METH_NOARGS, "For pickle and copy.");
}

void add_convert_slots(Slots* slots) {
  const auto slot = [&](int id, auto* function) {
    slots->push_back({id, reinterpret_cast<void*>(function)});
  };
  slot(Py_nb_bool, &truth);
  slot(Py_nb_float, &to_float);
  slot(Py_nb_int, &to_int);
  slot(Py_nb_index, &to_index);
}

}  // namespace bind
}  // namespace hybrid
