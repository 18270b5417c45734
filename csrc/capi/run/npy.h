// NumPy's .npy files: read into row-major order, written as version 1. Untrusted when read.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hybrid {

struct NpyArray {
  int dtype = -1;  // of hybrid.h
  std::vector<int64_t> shape;
  std::string data;  // little-endian, row-major
};

// Versions 1 to 3, both orders, little-endian numbers and booleans of at most 8 dimensions; nothing
// is allocated that the file has no bytes for. Throws Error saying what is expected.
NpyArray read_npy(const std::string& bytes);
std::string write_npy(const NpyArray& array);
// The same numbers in another real dtype: floats are rounded to floats; an integer that does not
// fit, and a float for an integer, throw Error.
NpyArray cast_npy(const NpyArray& array, int dtype);
// "(1, 3)", "(4,)", "()"
std::string shape_text(const std::vector<int64_t>& shape);
// The first elements, at most `most`, with spaces between them; "..." when there are more.
std::string elements_text(const NpyArray& array, int64_t most);

}  // namespace hybrid
