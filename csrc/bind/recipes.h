// What calls of NumPy's functions have recorded, to record it again without Python: the nodes of a
// reduction or a np.where follow from the kinds, shapes and plain values of its arguments alone.
#pragma once
#include <functional>

#include "bind/traced_array.h"

namespace hybrid {
namespace bind {

// The result of a call, by its recipe if there is one, else by `call`, which gives a new reference.
// `function` is kept by somebody; `form` tells apart ways to call it. Null: an error is set.
PyObject* record_again(PyObject* function, char form, PyObject* const* args, Py_ssize_t count,
                       PyObject* names, const std::function<PyObject*()>& call);

}  // namespace bind
}  // namespace hybrid
