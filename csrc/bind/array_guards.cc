// What ndarrays under a cell's names have to be, for the cell to run without its body.
#include <pybind11/numpy.h>

#include <utility>
#include <vector>

#include "bind/common.h"

namespace hybrid {
namespace bind {
namespace {

class ArrayGuards {
 public:
  explicit ArrayGuards(const std::vector<std::pair<py::str, py::array>>& known) {
    for (const auto& [name, array] : known) {
      Known one{name, array.dtype(), {}, {}, array.writeable()};
      one.shape.assign(array.shape(), array.shape() + array.ndim());
      one.strides.assign(array.strides(), array.strides() + array.ndim());
      known_.push_back(std::move(one));
    }
  }

  size_t size() const { return known_.size(); }

  bool hold(const py::dict& names) const {
    for (const Known& known : known_) {
      PyObject* const value = PyDict_GetItemWithError(names.ptr(), known.name.ptr());
      if (value == nullptr || !is_like(known, value)) return false;
    }
    return true;
  }

 private:
  struct Known {
    py::str name;
    py::dtype dtype;
    std::vector<py::ssize_t> shape, strides;
    bool writeable;
  };

  static bool is_like(const Known& known, PyObject* value) {
    static const py::handle exactly =
        py::object(py::module_::import("numpy").attr("ndarray")).release();
    if (reinterpret_cast<PyObject*>(Py_TYPE(value)) != exactly.ptr()) return false;
    const py::array array = py::reinterpret_borrow<py::array>(value);
    const bool aligned = (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
    if (!aligned || array.writeable() != known.writeable) return false;
    if (array.ndim() != static_cast<py::ssize_t>(known.shape.size())) return false;
    for (size_t k = 0; k < known.shape.size(); ++k) {
      const auto axis = static_cast<py::ssize_t>(k);
      if (array.shape(axis) != known.shape[k] || array.strides(axis) != known.strides[k]) {
        return false;
      }
    }
    return array.dtype().is(known.dtype) || array.dtype().equal(known.dtype);
  }

  std::vector<Known> known_;
};

}  // namespace

void bind_array_guards(py::module_& m) {
  py::class_<ArrayGuards>(m, "ArrayGuards", "The dtype, shape, strides and flags of ndarrays.")
      .def(py::init<const std::vector<std::pair<py::str, py::array>>&>(), py::arg("known"),
           "known: names, and arrays that are such.")
      .def("__len__", &ArrayGuards::size)
      .def("hold", &ArrayGuards::hold, py::arg("names"), "Do these names have such arrays?");
}

}  // namespace bind
}  // namespace hybrid
