#include "bind/unit_lists.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstring>

#include "bind/unit_types.h"

namespace py = pybind11;

namespace hybrid {
namespace bind {

using units::Array;
using units::Register;

Register register_of(char letter, PyObject* value, Register* imaginary) {
  Register made{};
  if (letter == kComplex) {
    const Py_complex c = PyComplex_AsCComplex(value);
    made.f = c.real;
    imaginary->f = c.imag;
  } else if (letter == kFloat) {
    made.f = PyFloat_AsDouble(value);
  } else if (letter == kBool) {
    made.i = PyObject_IsTrue(value);
  } else {
    const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value));
    made.i = index ? PyLong_AsLongLong(index.ptr()) : -1;
  }
  if (PyErr_Occurred()) throw py::error_already_set();
  return made;
}

py::object object_of(char letter, Register value, Register imaginary) {
  switch (letter) {
    case kInteger:
      return py::int_(value.i);
    case kBool:
      return py::bool_(value.i != 0);
    case kFloat:
      return py::float_(value.f);
    default:
      return py::reinterpret_steal<py::object>(PyComplex_FromDoubles(value.f, imaginary.f));
  }
}

units::Type type_of(char letter) {
  const char* const found = std::strchr(kTypes, letter);
  if (letter == 0 || found == nullptr) throw py::value_error(std::string("dtype ") + letter);
  return static_cast<units::Type>(found - kTypes);
}

namespace {

namespace tags = units::tags;
constexpr int kMayGrow = 1, kRefers = -1;  // of a list that is given

// What an item is, and its value; 0: no number that a register holds.
char read_item(PyObject* item, Register* value) {
  PyTypeObject* const type = Py_TYPE(item);
  if (type == &PyFloat_Type) {
    value->f = PyFloat_AS_DOUBLE(item);
    return tags::kFloat;
  }
  if (type == &PyBool_Type) {
    value->i = item == Py_True;
    return tags::kBool;
  }
  int overflow = 0;
  if (type == &PyLong_Type) {
    value->i = PyLong_AsLongLongAndOverflow(item, &overflow);
    return overflow == 0 ? tags::kInteger : 0;
  }
  const int scalar = type_of_scalar(item);
  if (scalar < 0 || scalar == static_cast<int>(units::Type::c128)) return 0;
  const auto tag = static_cast<char>(1 + scalar);
  if (scalar == static_cast<int>(units::Type::u64)) {
    const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(item));
    value->i = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    return overflow == 0 ? tag : 0;
  }
  const bool is_bool = scalar == static_cast<int>(units::Type::b1);
  *value = register_of(tags::is_float(tag) ? kFloat : is_bool ? kBool : kInteger, item, nullptr);
  return tag;
}

char tag_of(PyObject* item) {
  Register value;
  return read_item(item, &value);
}

}  // namespace

char tag_of_items(PyObject* list) {
  char found = 0;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(list); ++k) {
    found = tag_of(PySequence_Fast_ITEMS(list)[k]);
    if (found == 0) return 0;
  }
  return found;
}

bool is_sequence(PyObject* value) { return PyList_CheckExact(value) || PyTuple_CheckExact(value); }

char tag_of_rows(PyObject* list) {
  char found = 0;
  PyObject* const* const rows = PySequence_Fast_ITEMS(list);
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(list); ++k) {
    PyObject* const row = rows[k];
    if (!is_sequence(row) || Py_TYPE(row) != Py_TYPE(rows[0])) return 0;
    if (PySequence_Fast_GET_SIZE(row) != PySequence_Fast_GET_SIZE(rows[0])) return 0;
    for (Py_ssize_t n = 0; n < PySequence_Fast_GET_SIZE(row); ++n) {
      const char tag = tag_of(PySequence_Fast_ITEMS(row)[n]);
      if (tag == 0 || (found != 0 && tag != found)) return 0;
      found = tag;
    }
  }
  return found;
}

char tag_of_lists(PyObject* list) {
  char found = kNoItem;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(list); ++k) {
    PyObject* const row = PySequence_Fast_ITEMS(list)[k];
    if (!PyList_CheckExact(row)) return 0;
    if (PyList_GET_SIZE(row) == 0) continue;
    found = tag_of_items(row);
    if (found == 0) return 0;
  }
  return found;
}

namespace {

bool is_writeable(PyObject* array) { return py::reinterpret_borrow<py::array>(array).writeable(); }

bool has_rows(PyObject* list) {
  return is_sequence(list) && PySequence_Fast_GET_SIZE(list) > 0 &&
         is_sequence(PySequence_Fast_ITEMS(list)[0]);
}

std::unique_ptr<OpenList> open(PyObject* list) {
  std::unique_ptr<OpenList> made(new OpenList{{list}, 0, {}, {}, -1, {}});
  if (has_rows(list)) {
    made->rows.assign(PySequence_Fast_ITEMS(list),
                      PySequence_Fast_ITEMS(list) + PySequence_Fast_GET_SIZE(list));
  }
  made->length = PySequence_Fast_GET_SIZE(made->rows[0]);
  made->now.reserve(made->rows.size() * made->length);
  made->tags.reserve(made->now.capacity());
  for (PyObject* const row : made->rows) {
    for (Py_ssize_t k = 0; k < made->length; ++k) {
      made->now.emplace_back();
      made->tags.push_back(read_item(PySequence_Fast_ITEMS(row)[k], &made->now.back()));
    }
  }
  return made;
}

// Is an item what it was? Until a run ends nobody changes the objects.
bool is_as_given(const OpenList& open, Py_ssize_t row, Py_ssize_t at, char tag, Register value) {
  if (!open.held.empty()) return open.held[at] == std::make_pair(tag, value.i);
  Register given;
  PyObject* const list = open.rows[row];
  return at < PySequence_Fast_GET_SIZE(list) &&
         read_item(PySequence_Fast_ITEMS(list)[at], &given) == tag && given.i == value.i;
}

// Items that were given other numbers, and those that are new or gone. Nothing here runs code of
// the user's.
void close(const OpenList& open, Objects& objects) {
  const char* tags = open.tags.data();
  auto size = static_cast<Py_ssize_t>(open.now.size());
  const Register* now = open.now.data();
  if (open.number >= 0) {
    const Array& array = objects.array(open.number);
    now = reinterpret_cast<const Register*>(array.data);
    tags = array.tags;
    size = array.shape[0];
  }
  const auto before = static_cast<Py_ssize_t>(open.now.size());
  for (Py_ssize_t k = 0; k < std::min(size, before); ++k) {
    const Py_ssize_t row = open.rows.size() == 1 ? 0 : k / open.length, at = k - row * open.length;
    if (is_as_given(open, row, at, tags[k], now[k])) continue;
    py::object item = objects.of_item(tags[k], now[k]);
    if (PyList_SetItem(open.rows[row], at, item.release().ptr()) != 0) {
      throw py::error_already_set();
    }
  }
  if (size == before) return;
  PyObject* const list = open.rows[0];
  if (size < before && PyList_SetSlice(list, size, before, nullptr) != 0) {
    throw py::error_already_set();
  }
  for (Py_ssize_t k = before; k < size; ++k) {
    if (PyList_Append(list, objects.of_item(tags[k], now[k]).ptr()) != 0) {
      throw py::error_already_set();
    }
  }
}

Array seen(OpenList& open, size_t row) {
  Array made{};
  made.rank = 1;
  made.type = units::Type::i64;
  made.data = reinterpret_cast<char*>(open.now.data() + row * open.length);
  made.shape[0] = open.length;
  made.stride[0] = sizeof(Register);
  made.tags = open.tags.data() + row * open.length;
  return made;
}

}  // namespace

bool Given::open_rows(PyObject* list) {
  if (!has_rows(list) || known(list)) return true;
  OpenList& made = add(list);
  if (PyTuple_CheckExact(made.rows[0])) return true;  // nobody writes them
  for (size_t k = 0; k < made.rows.size(); ++k) {
    if (!rows_.emplace(made.rows[k], std::make_pair(&made, k)).second) return false;
  }
  return true;
}

int64_t Given::number_of(PyObject* value, bool by_reference) {
  for (size_t known = 0; known < objects_.size(); ++known) {
    if (objects_[known] == value) return static_cast<int64_t>(known);
  }
  const auto number = static_cast<int>(objects_.size());
  objects_.push_back(value);
  arrays_.emplace_back();
  if (!is_sequence(value)) {
    arrays_[number] = array_of(value);
  } else if (!by_reference) {
    arrays_[number] = array_of_list(value, number);
  } else {
    lists_.emplace_back(new OpenList{{value}, PyList_GET_SIZE(value), {}, {}, number, {}});
    OpenList& made = *lists_.back();
    for (Py_ssize_t k = 0; k < made.length; ++k) {
      Register row;
      rows_held_.push_back(py::reinterpret_borrow<py::object>(PyList_GET_ITEM(value, k)));
      row.i = number_of(rows_held_.back().ptr(), false);
      made.now.push_back(row);
    }
    for (Py_ssize_t k = 0; k < made.length; ++k) {
      PyObject* const item = PyList_GET_ITEM(value, k);
      made.tags.push_back(PyList_CheckExact(item)    ? tags::kList
                          : PyTuple_CheckExact(item) ? tags::kTuple
                          : is_writeable(item)       ? tags::kArray
                                                     : tags::kReadOnly);
      made.held.emplace_back(made.tags[k], made.now[k].i);
    }
    arrays_[number] = seen(made, 0);
    arrays_[number].list = kRefers;
  }
  return number;
}

Array Given::array_of_list(PyObject* list, int number) {
  Array made{};
  OpenList* const open = known(list);
  if (open != nullptr) {
    made = seen(*open, 0);
    made.rank = 2;
    made.shape[1] = made.shape[0];
    made.shape[0] = static_cast<int64_t>(open->rows.size());
    made.stride[1] = made.stride[0];
    made.stride[0] *= open->length;
    return made;
  }
  const auto row = rows_.find(list);
  if (row != rows_.end()) return seen(*row->second.first, row->second.second);
  OpenList& alone = add(list);
  made = seen(alone, 0);
  if (PyList_CheckExact(list)) {
    made.list = kMayGrow;
    alone.number = number;
  }
  return made;
}

void Given::close(Objects& objects) const {
  for (const auto& list : lists_) bind::close(*list, objects);
}

OpenList* Given::known(PyObject* list) const {
  const auto found = with_rows_.find(list);
  return found == with_rows_.end() ? nullptr : found->second;
}

OpenList& Given::add(PyObject* list) {
  lists_.push_back(open(list));
  if (has_rows(list)) with_rows_[list] = lists_.back().get();
  return *lists_.back();
}

Array array_of(PyObject* value) {
  Array made{};
  made.rank = 1;
  if (PyUnicode_Check(value)) {
    made.data = static_cast<char*>(PyUnicode_DATA(value));
    made.shape[0] = PyUnicode_GET_LENGTH(value);
    made.stride[0] = PyUnicode_KIND(value);
  } else if (PyBytes_Check(value)) {
    made.data = PyBytes_AS_STRING(value);
    made.shape[0] = PyBytes_GET_SIZE(value);
    made.stride[0] = 1;
  } else {
    if (!py::isinstance<py::array>(value)) throw py::type_error("an array is expected");
    const py::array array = py::reinterpret_borrow<py::array>(value);
    made.data = static_cast<char*>(const_cast<void*>(array.data()));
    made.rank = static_cast<int>(array.ndim());
    made.type = type_of(array.dtype().char_());
    for (int axis = 0; axis < made.rank; ++axis) {
      made.shape[axis] = array.shape(axis);
      made.stride[axis] = array.strides(axis);
    }
  }
  return made;
}

}  // namespace bind
}  // namespace hybrid
