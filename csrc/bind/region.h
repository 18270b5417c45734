// The window that a basic index (integers, slices, None, ...) selects, as nodes.
#pragma once
#include "bind/traced_array.h"

namespace hybrid {
namespace bind {

struct Region {
  PyObject_HEAD std::vector<int64_t> begin, end, step;  // one per axis, as the operator slice
  std::vector<int> axes;  // which axis a result axis comes from; -1: it is new
  Shape sliced, shape;    // after slicing, every axis kept; of the result
  bool full;              // the whole array, in its own order
  bool scalar;            // every axis taken by an integer, and nothing else said
  PyObject* key;
};
inline Region* as_region(PyObject* o) { return reinterpret_cast<Region*>(o); }
bool is_region(PyObject* o);

// All give new references, null with an error set; NotCovered where errors are for NumPy to raise.
PyObject* make_region(const Shape& shape, PyObject* key);
PyObject* read_region(Region* region, PyObject* handle);
// The node of the whole with the window replaced by a value of its shape.
PyObject* write_region(Region* region, PyObject* handle, PyObject* value);

}  // namespace bind
}  // namespace hybrid
