// Attribute values between Python and the core.
#include "bind/invoke.h"

namespace hybrid {
namespace bind {

namespace {

[[noreturn]] void bad_value(const OpDef& op, const AttrDef& def, py::handle value) {
  fail(op.name, ": attribute '", def.name, "': given ",
       py::repr(value).cast<std::string>().substr(0, 100), ", expected ", attr_type_name(def.type));
}

bool integer_of(PyObject* value, int64_t* out) {
  if (!PyIndex_Check(value)) return false;
  PyObject* index = PyNumber_Index(value);
  if (index == nullptr) {
    PyErr_Clear();
    return false;
  }
  int overflow = 0;
  *out = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  return overflow == 0;
}

bool is_numpy_bool(PyObject* value) {
  static const std::string name = "numpy.bool_";
  const char* type = Py_TYPE(value)->tp_name;
  return name == type || std::string("numpy.bool") == type;
}

// "(2, None, -1)": a number, or a sequence of numbers and None.
bool ints_of(py::handle value, std::vector<int64_t>* out) {
  int64_t one = 0;
  if (integer_of(value.ptr(), &one)) {
    out->push_back(one);
    return true;
  }
  if (!PySequence_Check(value.ptr()) || PyUnicode_Check(value.ptr())) return false;
  for (const py::handle item : py::reinterpret_borrow<py::sequence>(value)) {
    if (item.is_none()) {
      one = kNoneInt;
    } else if (!integer_of(item.ptr(), &one)) {
      return false;
    }
    out->push_back(one);
  }
  return true;
}

// "(0.5, 1)": a number, or a sequence of numbers.
bool reals_of(py::handle value, std::vector<double>* out) {
  const auto add = [&](py::handle item) {
    if (is_array(item.ptr()) || !is_number(item.ptr())) return false;
    out->push_back(PyFloat_AsDouble(item.ptr()));
    if (PyErr_Occurred()) throw py::error_already_set();
    return true;
  };
  if (add(value)) return true;
  if (!PySequence_Check(value.ptr()) || PyUnicode_Check(value.ptr())) return false;
  for (const py::handle item : py::reinterpret_borrow<py::sequence>(value)) {
    if (!add(item)) return false;
  }
  return true;
}

}  // namespace

AttrValue number_value(PyObject* number) {
  int64_t integer = 0;
  if (PyBool_Check(number) || is_numpy_bool(number)) return int64_t{PyObject_IsTrue(number) == 1};
  if (!PyFloat_Check(number) && integer_of(number, &integer)) return integer;
  const double real = PyFloat_AsDouble(number);
  if (real == -1.0 && PyErr_Occurred()) throw py::error_already_set();
  return real;
}

AttrValue attr_from_python(const OpDef& op, const AttrDef& def, py::handle value) {
  if (value.is_none()) return {};
  PyObject* o = value.ptr();
  if (PyUnicode_Check(o) && def.type != AttrType::string && def.type != AttrType::dtype) {
    return parse_attr(def.type, value.cast<std::string>(),
                      std::string(op.name) + ": attribute '" + def.name + "'");
  }
  int64_t integer = 0;
  std::vector<int64_t> ints;
  std::vector<double> reals;
  switch (def.type) {
    case AttrType::boolean:
      if (PyBool_Check(o) || is_numpy_bool(o)) return PyObject_IsTrue(o) == 1;
      if (integer_of(o, &integer) && (integer == 0 || integer == 1)) return integer == 1;
      break;
    case AttrType::integer:
      if (integer_of(o, &integer)) return integer;
      break;
    case AttrType::real:
    case AttrType::scalar:
      if (is_array(o)) break;
      if (is_number(o)) return number_value(o);
      break;
    case AttrType::string:
      if (PyUnicode_Check(o)) return value.cast<std::string>();
      break;
    case AttrType::ints:
      if (ints_of(value, &ints)) return ints;
      break;
    case AttrType::reals:
      if (reals_of(value, &reals)) return reals;
      break;
    case AttrType::dtype:
      return static_cast<int64_t>(dtype_from_python(value));
    case AttrType::graph:  // only control flow has these, made from recorded arrays
      break;
  }
  bad_value(op, def, value);
}

py::object attr_to_python(AttrType type, const AttrValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return py::bool_(*flag);
  if (const int64_t* integer = std::get_if<int64_t>(&value)) {
    if (type == AttrType::dtype) return py::str(dtype_name(static_cast<DType>(*integer)));
    return py::int_(*integer);
  }
  if (const double* real = std::get_if<double>(&value)) return py::float_(*real);
  if (const std::string* text = std::get_if<std::string>(&value)) return py::str(*text);
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&value)) {
    py::tuple result(ints->size());
    for (size_t i = 0; i < ints->size(); ++i) {
      result[i] = (*ints)[i] == kNoneInt ? py::object(py::none()) : py::int_((*ints)[i]);
    }
    return result;
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    return py::tuple(py::cast(*reals));
  }
  if (const SubgraphRef* graph = std::get_if<SubgraphRef>(&value)) {
    return py::str(graph->body->summary());
  }
  return py::none();
}

}  // namespace bind
}  // namespace hybrid
