// How calls of ufuncs are recorded: a plan is found once for (ufunc, kinds of the operands).
#pragma once
#include "bind/traced_array.h"

namespace hybrid {
namespace bind {

struct Ufunc;
// Of NumPy's object; null where it has another number of results than one, or of operands than one
// or two.
Ufunc* ufunc_of(PyObject* function);

// The handle of the result for traced arrays and exact Python numbers. Null without an error: the
// slow road finds the result, or why there is none. `name` is that of the function that was called,
// null for Python's operators.
PyObject* ufunc_node(Ufunc* ufunc, PyObject* const* operands, int count, const char* name);
// The same as a traced array, laid out as NumPy's.
PyObject* record_ufunc(Ufunc* ufunc, PyObject* const* operands, int count, const char* name);
const char* name_of(const Ufunc* ufunc);

// May kernels stand for NumPy's loops here, and later? False: see ufunc_node.
bool floats_are_quiet();
// Does an elementwise result over an operand with these strides lie in C order?
bool leads_to_c_order(PyObject* layout, const Shape& shape);

}  // namespace bind
}  // namespace hybrid
