// Kinds of values for units (capture/units/kinds.py says what they are): those of numbers and of
// NumPy's arrays and scalars. All that a loop's names hold is looked at before each run.
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NO_IMPORT_ARRAY
#include <numpy/ndarraytypes.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind/unit_types.h"
#include "units/numbers.h"

namespace hybrid {
namespace bind {

char letter_of_number(int number) {
  switch (number) {
    case NPY_BOOL:
      return '?';
    case NPY_BYTE:
      return 'b';
    case NPY_SHORT:
      return 'h';
    case NPY_INT:
      return 'i';
    case NPY_LONG:
      return 'l';
    case NPY_UBYTE:
      return 'B';
    case NPY_USHORT:
      return 'H';
    case NPY_UINT:
      return 'I';
    case NPY_ULONG:
      return 'L';
    case NPY_FLOAT:
      return 'f';
    case NPY_DOUBLE:
      return 'd';
    case NPY_CDOUBLE:
      return 'D';
    default:
      return 0;
  }
}

namespace {

namespace py = pybind11;

// What Python has told; it lives as long as the process.
struct Told {
  std::unordered_map<PyTypeObject*, PyObject*> of_type;  // kinds; null: an object by itself
  std::unordered_map<PyTypeObject*, int> scalars;        // of NumPy's: their numbers in kTypes
  PyTypeObject *array, *large;  // NumPy's array, and its integer that may need more than 63 bits
  PyObject *nothing, *other, *others;  // no value, the kind of what is unknown, and who knows more
};
Told told;

// May two elements of an array share memory?
bool may_overlap(const PyArrayObject* array, npy_intp item) {
  const int rank = PyArray_NDIM(array);
  std::vector<std::pair<npy_intp, npy_intp>> axes(rank);
  for (int k = 0; k < rank; ++k) {
    const npy_intp stride = PyArray_STRIDES(array)[k];
    axes[k] = {stride < 0 ? -stride : stride, PyArray_DIMS(array)[k]};
  }
  std::sort(axes.begin(), axes.end());
  npy_intp reach = item;
  for (const auto& [stride, length] : axes) {
    if (length > 1 && stride < reach) return true;
    reach = std::max(reach, stride * length);
  }
  return false;
}

// One object for each kind of array, so that comparing them is quick.
PyObject* kind_of_arrays(int type, int rank, bool writeable) {
  static PyObject* made[units::kNumTypes][units::kMaxRank][2];
  PyObject*& found = made[type][rank - 1][writeable];
  if (found == nullptr) {
    found = Py_BuildValue("(sCiO)", "array", kTypes[type], rank, writeable ? Py_True : Py_False);
  }
  return Py_XNewRef(found);
}

PyObject* kind_of_array(const PyArrayObject* array) {
  const int flags = PyArray_FLAGS(array), rank = PyArray_NDIM(array);
  const PyArray_Descr* const dtype = PyArray_DESCR(array);
  const char letter = letter_of_number(dtype->type_num);
  if (letter == 0 || !PyArray_ISNBO(dtype->byteorder) || rank == 0 || rank > units::kMaxRank ||
      !(flags & NPY_ARRAY_ALIGNED) || flags & NPY_ARRAY_WRITEBACKIFCOPY) {
    return Py_NewRef(told.other);
  }
  const auto type = static_cast<int>(std::strchr(kTypes, letter) - kTypes);
  const bool writeable = flags & NPY_ARRAY_WRITEABLE;
  if (writeable && !(flags & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)) &&
      may_overlap(array, units::size_of(static_cast<units::Type>(type)))) {
    return Py_NewRef(told.other);
  }
  return kind_of_arrays(type, rank, writeable);
}

PyObject* kind_of(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "kind_of(): expected a value and a number of steps");
    return nullptr;
  }
  PyObject* const value = args[0];
  PyTypeObject* const type = Py_TYPE(value);
  if (value == told.nothing) Py_RETURN_NONE;
  if (type == told.array) return kind_of_array(reinterpret_cast<PyArrayObject*>(value));
  const auto found = told.of_type.find(type);
  if (found == told.of_type.end()) {
    if (told.others != nullptr) return PyObject_Vectorcall(told.others, args, 2, nullptr);
    PyErr_SetString(PyExc_RuntimeError, "kind_of(): nothing has been told by tell_kinds()");
    return nullptr;
  }
  if (type == &PyLong_Type || type == told.large) {
    PyObject* const number = PyNumber_Index(value);
    if (number == nullptr) return nullptr;
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(number, &overflow);
    Py_DECREF(number);
    if (overflow != 0) return Py_NewRef(told.other);
  }
  if (found->second == nullptr) return Py_BuildValue("(sO)", "is", value);
  return Py_NewRef(found->second);
}

PyMethodDef kKindOf = {"kind_of", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&kind_of)),
                       METH_FASTCALL,
                       "kind_of(value, steps): the kind of a value. steps: how many a loop takes, "
                       "or -1. None of no value."};

void tell(const py::dict& numbers, const py::iterable& by_itself, py::object array,
          py::object large, py::object nothing, py::object other, py::object others) {
  const auto type_of = [](const py::handle& type) {
    return reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr());
  };
  for (const auto& [type, kind] : numbers) {
    told.of_type[type_of(type)] = kind.inc_ref().ptr();
    const auto name = kind.cast<std::string>();
    if (name[0] != '.') continue;
    told.scalars[type_of(type)] = static_cast<int>(std::strchr(kTypes, name[1]) - kTypes);
  }
  for (const py::handle& type : by_itself) told.of_type[type_of(type)] = nullptr;
  told.array = type_of(array);
  told.large = type_of(large);
  told.nothing = nothing.release().ptr();
  told.other = other.release().ptr();
  told.others = others.release().ptr();
}

}  // namespace

int type_of_scalar(PyObject* value) {
  const auto found = told.scalars.find(Py_TYPE(value));
  return found == told.scalars.end() ? -1 : found->second;
}

void bind_unit_kinds(py::module_& part) {
  part.attr("kind_of") = py::reinterpret_steal<py::object>(PyCFunction_New(&kKindOf, nullptr));
  part.def("tell_kinds", &tell,
           "Kinds by the types of numbers, types of objects by themselves, NumPy's array, its "
           "integer that may be too large, no value, the kind of what is unknown, and what is "
           "called for all other values: (value, steps).");
}

}  // namespace bind
}  // namespace hybrid
