// Arrays from Python objects and NumPy arrays, and back.
#pragma once
#include "bind/array_object.h"

namespace hybrid {
namespace bind {

// MXNet's nd.array(): float32 unless `dtype` is given or the source is an NDArray; always a copy.
NDArray array_from_python(py::handle source, Context ctx, DType dtype);
// A NumPy array's elements as they are, copied.
NDArray array_from_numpy(const py::object& numpy_array, Context ctx);
// Shares the memory of a writable, contiguous NumPy array, which is kept alive.
NDArray share_numpy(const py::object& numpy_array);
py::object to_numpy(const NDArray& value);
// The same; one element in one dimension or more converts to a Python number (one_element.py).
py::object to_numpy_number(const NDArray& value);
// The memory of an array that only `value` sees as an ndarray's own, else a copy; waits.
py::object taken_ndarray(const NDArray& value);
// An ndarray's memory where it can be shared, else a copy of its elements.
NDArray shared_or_copied(const py::object& numpy_array, Context ctx);
// An ndarray that owns the memory of an array that nobody else will write.
py::object owned_ndarray(const NDArray& value);
// (its number, bytes, device, does the device's pool own it).
py::object storage_facts(const Storage& storage);
// The same of the memory that an ndarray of `owned_ndarray` has at this address; else None.
py::object owned_storage_facts(uintptr_t address);

// The right-hand side of an assignment: an NDArray of the dtype and device asked for (traced while
// a cell is traced), from an array, a NumPy array, a sequence or a number.
ArrayRef as_value(py::handle given, DType dtype, Context ctx);
ArrayRef cast(const ArrayRef& ref, DType dtype);
// One element as a Python number; waits. Throws ValueError unless the array has one element.
py::object to_scalar(const NDArray& value);
// Waits with the GIL released, if there is something to wait for. For the values themselves, or for
// their being over: then what is modelled only is no error.
void wait_ready(const NDArray& value, bool for_values = true);

}  // namespace bind
}  // namespace hybrid
