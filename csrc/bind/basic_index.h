// BasicIndex: integers, slices, None and Ellipsis resolved against a shape.
#pragma once
#include "bind/common.h"
#include "core/ndarray.h"

namespace hybrid {
namespace bind {

struct BasicIndex {
  // By axis of the indexed array. `end` is kNoneInt where a negative step runs through element 0.
  std::vector<int64_t> begin, end, step, length;
  Shape shape;                // of the result; MXNet's rule: never rank 0, a single element is (1,)
  std::vector<int64_t> size;  // of the indexed array
  std::vector<int> kept;      // by axis of the result: the indexed axis, -1 for None
  bool whole = true;          // every element in order
  // MXNet gives a window where the elements follow one another, else a copy.
  bool in_a_row() const;
};

bool is_whole(PyObject* key);  // [:]
// False when the key has arrays, lists or booleans (see nd/_indexing.py). Throws IndexError.
bool parse_index(PyObject* key, const Shape& shape, BasicIndex* index);
// The window on the same memory.
NDArray window(const NDArray& array, const BasicIndex& index);

}  // namespace bind
}  // namespace hybrid
