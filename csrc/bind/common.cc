// Conversions between Python's and the core's small values.
#include "bind/common.h"

#include <array>

namespace hybrid {
namespace bind {

py::tuple shape_to_python(const Shape& shape) {
  if (!shape.rank_known()) return py::tuple();
  py::tuple result(static_cast<size_t>(shape.ndim()));
  for (int i = 0; i < shape.ndim(); ++i) {
    PyTuple_SET_ITEM(result.ptr(), i, PyLong_FromLongLong(shape[i]));
  }
  return result;
}

int64_t int_from_python(py::handle object, const char* what) {
  PyObject* index = PyNumber_Index(object.ptr());
  if (index == nullptr) {
    PyErr_Clear();
    throw py::type_error(std::string(what) + ": expected an integer, got " +
                         Py_TYPE(object.ptr())->tp_name);
  }
  const long long value = PyLong_AsLongLong(index);
  Py_DECREF(index);
  if (value == -1 && PyErr_Occurred()) throw py::error_already_set();
  return value;
}

Shape shape_from_python(py::handle object, const char* what) {
  Shape shape;
  if (PyLong_Check(object.ptr()) ||
      (PyIndex_Check(object.ptr()) && !PySequence_Check(object.ptr()))) {
    shape.push_back(int_from_python(object, what));
    return shape;
  }
  if (!PySequence_Check(object.ptr()) || PyUnicode_Check(object.ptr())) {
    throw py::type_error(std::string(what) + ": expected an integer or a tuple of integers, got " +
                         Py_TYPE(object.ptr())->tp_name);
  }
  const py::sequence items = py::reinterpret_borrow<py::sequence>(object);
  require(items.size() <= static_cast<size_t>(kMaxDims), what, ": ", items.size(),
          " dimensions were given, at most ", kMaxDims, " are supported");
  for (const py::handle item : items) shape.push_back(int_from_python(item, what));
  return shape;
}

namespace {

// An attribute of numpy, kept for the life of the process.
PyObject* numpy_object(const char* name) {
  return py::object(py::module_::import("numpy").attr(name)).release().ptr();
}

// numpy.float32 and its fellows by DType, looked up once; kept for the life of the process.
PyObject* scalar_type(DType dtype) {
  static std::array<PyObject*, kNumDTypes> types = [] {
    std::array<PyObject*, kNumDTypes> found{};
    for (int i = 0; i < kNumDTypes; ++i) {
      const auto d = static_cast<DType>(i);
      if (d == DType::bfloat16) continue;
      found[static_cast<size_t>(i)] = numpy_object(d == DType::boolean ? "bool_" : dtype_name(d));
    }
    return found;
  }();
  return types[static_cast<size_t>(dtype)];
}

// numpy.dtype("float32") and its fellows: NumPy has one object of each.
PyObject* native_dtype(DType dtype) {
  static std::array<PyObject*, kNumDTypes> dtypes = [] {
    std::array<PyObject*, kNumDTypes> found{};
    for (size_t i = 0; i < kNumDTypes; ++i) {
      PyObject* type = scalar_type(static_cast<DType>(i));
      if (type == nullptr) continue;
      found[i] = py::module_::import("numpy").attr("dtype")(py::handle(type)).release().ptr();
    }
    return found;
  }();
  return dtypes[static_cast<size_t>(dtype)];
}

}  // namespace

py::object dtype_to_python(DType dtype) {
  if (dtype == DType::unknown) return py::none();
  PyObject* type = scalar_type(dtype);
  if (type == nullptr) return py::str(dtype_name(dtype));
  return py::reinterpret_borrow<py::object>(type);
}

py::object numpy_dtype(DType dtype) {
  PyObject* made = dtype == DType::unknown ? nullptr : native_dtype(dtype);
  require(made != nullptr, "NumPy has no dtype for ",
          dtype == DType::unknown ? "an unknown type" : dtype_name(dtype));
  return py::reinterpret_borrow<py::object>(made);
}

DType dtype_from_python(py::handle object) {
  if (object.is_none()) return DType::float32;
  for (int i = 0; i < kNumDTypes; ++i) {
    if (scalar_type(static_cast<DType>(i)) == object.ptr()) return static_cast<DType>(i);
  }
  for (int i = 0; i < kNumDTypes; ++i) {
    if (native_dtype(static_cast<DType>(i)) == object.ptr()) return static_cast<DType>(i);
  }
  static const py::handle make = numpy_object("dtype");
  if (PyUnicode_Check(object.ptr())) {
    const std::string name = object.cast<std::string>();
    for (int i = 0; i < kNumDTypes; ++i) {
      if (name == dtype_name(static_cast<DType>(i))) return static_cast<DType>(i);
    }
    try {  // NumPy's other names: "half", "double", "f4"
      return dtype_from_name(make(object).attr("name").cast<std::string>());
    } catch (const py::error_already_set&) {
      return dtype_from_name(name);
    }
  }
  // What has an element type stands for it; types and NumPy's dtypes are told by NumPy.
  if (!PyType_Check(object.ptr()) && py::hasattr(object, "dtype")) {
    return dtype_from_python(object.attr("dtype"));
  }
  const py::object dtype = make(object);
  const py::object names = dtype.attr("names");
  if (names.equal(py::make_tuple("bfloat16"))) return DType::bfloat16;  // MXNet's own
  if (!dtype.attr("isnative").cast<bool>()) {
    fail("dtype ", py::str(dtype).cast<std::string>(), " has the other byte order: use ",
         py::str(dtype.attr("newbyteorder")("=")).cast<std::string>());
  }
  return dtype_from_name(dtype.attr("name").cast<std::string>());
}

bool is_number(PyObject* object) {
  if (PyFloat_Check(object) || PyLong_Check(object)) return true;
  static PyObject* generic = numpy_object("number");
  static PyObject* boolean = numpy_object("bool_");
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(generic)) ||
         PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(boolean));
}

}  // namespace bind
}  // namespace hybrid
