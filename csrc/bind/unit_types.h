// Letters of the dtypes that units know, in the order of the machine's types.
#pragma once
#include <pybind11/pybind11.h>

namespace hybrid {
namespace bind {

constexpr char kTypes[] = "?bhilBHILfdD";

// Of one of NumPy's type numbers; 0: units don't know it.
char letter_of_number(int number);
// The number of a NumPy scalar's type among these; -1: it is none of them.
int type_of_scalar(PyObject* value);

// What a run has to be sure of before it begins, each as fast as a call from Python can be.
void bind_unit_kinds(pybind11::module_& part);
void bind_unit_signals(pybind11::module_& part);

}  // namespace bind
}  // namespace hybrid
