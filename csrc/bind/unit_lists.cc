#include "bind/unit_lists.h"

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

char letter_of_items(PyObject* list) {
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(list);
  PyObject* const* const items = PySequence_Fast_ITEMS(list);
  if (size == 0) return 0;
  const PyTypeObject* const type = Py_TYPE(items[0]);
  for (Py_ssize_t k = 0; k < size; ++k) {
    if (Py_TYPE(items[k]) != type) return 0;
    int overflow = 0;
    if (type == &PyLong_Type && (PyLong_AsLongLongAndOverflow(items[k], &overflow), overflow)) {
      return 0;
    }
  }
  if (type == &PyLong_Type) return kInteger;
  if (type == &PyFloat_Type) return kFloat;
  return type == &PyBool_Type ? kBool : 0;
}

bool is_sequence(PyObject* value) { return PyList_CheckExact(value) || PyTuple_CheckExact(value); }

char letter_of_rows(PyObject* list) {
  char found = 0;
  PyObject* const* const rows = PySequence_Fast_ITEMS(list);
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(list); ++k) {
    PyObject* const row = rows[k];
    if (!is_sequence(row) || Py_TYPE(row) != Py_TYPE(rows[0])) return 0;
    if (PySequence_Fast_GET_SIZE(row) != PySequence_Fast_GET_SIZE(rows[0])) return 0;
    const char letter = letter_of_items(row);
    if (letter == 0 || (k > 0 && letter != found)) return 0;
    found = letter;
  }
  return found;
}

namespace {

bool has_rows(PyObject* list) {
  return is_sequence(list) && PySequence_Fast_GET_SIZE(list) > 0 &&
         is_sequence(PySequence_Fast_ITEMS(list)[0]);
}

std::unique_ptr<OpenList> open(PyObject* list) {
  std::unique_ptr<OpenList> made(new OpenList{{list}, 0, {}, {}, {}, 0});
  if (has_rows(list)) {
    made->rows.assign(PySequence_Fast_ITEMS(list),
                      PySequence_Fast_ITEMS(list) + PySequence_Fast_GET_SIZE(list));
  }
  made->length = PySequence_Fast_GET_SIZE(made->rows[0]);
  made->letter = letter_of_items(made->rows[0]);
  made->now.reserve(made->rows.size() * made->length);
  for (PyObject* const row : made->rows) {
    for (Py_ssize_t k = 0; k < made->length; ++k) {
      made->now.push_back(register_of(made->letter, PySequence_Fast_ITEMS(row)[k], nullptr));
    }
  }
  made->before = made->now;
  made->tags.assign(made->now.size(), made->letter);
  return made;
}

// Items that were given other numbers. Nothing here runs code of the user's.
void close(const OpenList& open) {
  for (size_t k = 0; k < open.now.size(); ++k) {
    if (open.now[k].i == open.before[k].i && open.tags[k] == open.letter) continue;
    py::object item = object_of(open.tags[k], open.now[k], Register{});
    const auto at = static_cast<Py_ssize_t>(k);
    PyObject* const row = open.rows[at / open.length];
    if (PyList_SetItem(row, at % open.length, item.release().ptr()) != 0) {
      throw py::error_already_set();
    }
  }
}

Array seen(OpenList& open, size_t row) {
  Array made{};
  made.rank = 1;
  made.data = reinterpret_cast<char*>(open.now.data() + row * open.length);
  made.shape[0] = open.length;
  made.stride[0] = sizeof(Register);
  made.tags = open.tags.data() + row * open.length;
  return made;
}

}  // namespace

bool Lists::open_rows(PyObject* list) {
  if (!has_rows(list) || known(list)) return true;
  OpenList& made = add(list);
  if (PyTuple_CheckExact(made.rows[0])) return true;  // nobody writes them
  for (size_t k = 0; k < made.rows.size(); ++k) {
    if (!rows_.emplace(made.rows[k], std::make_pair(&made, k)).second) return false;
  }
  return true;
}

Array Lists::array(PyObject* list) {
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
  return seen(add(list), 0);
}

void Lists::close() const {
  for (const auto& list : lists_) bind::close(*list);
}

OpenList* Lists::known(PyObject* list) const {
  const auto found = with_rows_.find(list);
  return found == with_rows_.end() ? nullptr : found->second;
}

OpenList& Lists::add(PyObject* list) {
  lists_.push_back(open(list));
  if (has_rows(list)) with_rows_[list] = lists_.back().get();
  return *lists_.back();
}

}  // namespace bind
}  // namespace hybrid
