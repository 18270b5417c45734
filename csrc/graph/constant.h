// Constants of a graph: their host bytes, single values and literal text.
#pragma once
#include <string>

#include "graph/graph.h"

namespace hybrid {

// The elements in row-major order, as bytes. Waits for the array; throws its stored error.
std::string constant_bytes(const NDArray& value);
// The one element of a size-1 constant as text: "10", "2.5", "True"; "" for larger constants.
std::string literal_text(const NDArray& value);
// Value of a size-1 constant; false for others and for dtypes without arithmetic.
struct ScalarValue {
  bool is_int = false;  // integers and bool
  int64_t integer = 0;
  double real = 0;  // also set for integers
};
bool scalar_value(const NDArray& value, ScalarValue* out);
// Shortest decimal text that reads back as the same float64 (float32 when `single`).
std::string real_text(double value, bool single);

}  // namespace hybrid
