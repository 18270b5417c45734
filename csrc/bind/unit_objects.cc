#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NO_IMPORT_ARRAY
#include "bind/unit_objects.h"

#include <cstring>
#include <string>

#include "bind/unit_lists.h"
#include "bind/unit_types.h"

namespace py = pybind11;

namespace hybrid {
namespace bind {
namespace {

using units::Array;

py::dtype dtype_of(units::Type type) {
  return py::dtype(std::string(1, kTypes[static_cast<int>(type)]));
}

// The class of NumPy's scalars of that type.
py::handle scalar_of(units::Type type) {
  static py::handle made[units::kNumTypes];
  py::handle& found = made[static_cast<int>(type)];
  if (!found) found = dtype_of(type).attr("type").cast<py::object>().release();
  return found;
}

}  // namespace

py::object Objects::of_item(char tag, units::Register value) {
  if (tag == units::tags::kFloat) return py::float_(value.f);
  if (tag == units::tags::kInteger) return py::int_(value.i);
  if (units::tags::is_reference(tag)) return of(value.i);
  if (!units::tags::is_scalar(tag)) return object_of(tag, value, units::Register{});
  const char plain = units::tags::is_float(tag) ? kFloat : kInteger;
  return scalar_of(static_cast<units::Type>(tag - 1))(object_of(plain, value, units::Register{}));
}

PyObject* Objects::new_item(const Array& list, int64_t at) {
  units::Register value;
  std::memcpy(&value, list.data + at * sizeof value, sizeof value);
  PyObject* const made = list.tags[at] == units::tags::kFloat     ? PyFloat_FromDouble(value.f)
                         : list.tags[at] == units::tags::kInteger ? PyLong_FromLongLong(value.i)
                                                                  : nullptr;
  if (PyErr_Occurred()) throw py::error_already_set();
  return made != nullptr ? made : of_item(list.tags[at], value).release().ptr();
}

py::object Objects::of_list(int64_t number) {
  const Array& array = arrays_[number];
  const auto length = static_cast<Py_ssize_t>(array.shape[0]);
  if (arrays_.is_tuple(number)) {
    py::tuple made(length);
    for (Py_ssize_t k = 0; k < length; ++k) PyTuple_SET_ITEM(made.ptr(), k, new_item(array, k));
    made_[number] = made;
    return std::move(made);
  }
  py::list made(length);
  made_[number] = made;  // who refers to it gets this one
  for (Py_ssize_t k = 0; k < length; ++k) PyList_SET_ITEM(made.ptr(), k, new_item(array, k));
  return std::move(made);
}

py::object Objects::of(int64_t number) {
  if (arrays_.was_given(number)) return py::reinterpret_borrow<py::object>(given_[number]);
  if (made_.empty()) made_.resize(static_cast<size_t>(arrays_.count()));
  if (made_[number]) return made_[number];
  if (arrays_.may_grow(number)) return of_list(number);
  const Array& array = arrays_[number];
  py::object found;
  if (array.memory < 0 && is_sequence(given_[array.from])) {
    const Array& whole = arrays_[array.from];
    const Py_ssize_t row = (array.data - whole.data) / whole.stride[0];
    found = py::reinterpret_borrow<py::object>(PySequence_Fast_ITEMS(given_[array.from])[row]);
  } else if (array.memory < 0) {
    found = seen(array, py::reinterpret_borrow<py::object>(given_[array.from]), array.data);
  } else if (!array.is_view) {
    found = owner(array.memory);
  } else {
    const py::array base = owner(array.memory);
    const ptrdiff_t offset = array.data - arrays_.whole(array.memory).data;
    const char* const data = static_cast<const char*>(base.data());
    found = seen(array, base, const_cast<char*>(data) + offset);
  }
  made_[number] = found;
  return found;
}

py::array Objects::seen(const Array& array, const py::object& base, char* data) {
  return py::array(dtype_of(array.type),
                   std::vector<py::ssize_t>(array.shape, array.shape + array.rank),
                   std::vector<py::ssize_t>(array.stride, array.stride + array.rank), data, base);
}

py::array Objects::owner(int memory) {
  py::object& found = owners_[memory];
  if (!found && arrays_.lender(memory) >= 0) found = lent_[arrays_.lender(memory)];
  if (!found) {
    const Array& whole = arrays_.whole(memory);
    py::array made(dtype_of(whole.type),
                   std::vector<py::ssize_t>(whole.shape, whole.shape + whole.rank),
                   std::vector<py::ssize_t>(whole.stride, whole.stride + whole.rank));
    std::memcpy(made.mutable_data(), whole.data, made.nbytes());
    found = made;
  }
  return py::reinterpret_borrow<py::array>(found);
}

}  // namespace bind
}  // namespace hybrid
