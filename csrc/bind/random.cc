// The random state in Python.
#include "launch/random.h"
#include "bind/common.h"

namespace hybrid {
namespace bind {

void bind_random(py::module_& m) {
  m.def(
      "seed",
      [](const py::object& n) {
        // Any integer: the low 64 bits.
        PyObject* index = PyNumber_Index(n.ptr());
        if (index == nullptr) throw py::error_already_set();
        const unsigned long long value = PyLong_AsUnsignedLongLongMask(index);
        Py_DECREF(index);
        seed(value);
      },
      py::arg("n"), "Makes the draws that follow the same in every run.");
  m.def("random_state", &random_state, "(seed, number of draws so far).");
  m.def("set_random_state", &set_random_state, py::arg("state"));
  m.def("next_keys", &next_keys, py::arg("n"), "Keys of the next n draws, taken in order.");
}

}  // namespace bind
}  // namespace hybrid
