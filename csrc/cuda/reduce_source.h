// Sources of the kernels that are not elementwise: what csrc/cuda/device holds, with types.
#pragma once
#include <string>

#include "kernels/kernels.h"

namespace hybrid {
namespace cuda {

// One kernel of a reduction; `size`: elements that one result comes from. flip: uint64 in the order
// of int64, at the beginning and back at the end.
struct ReduceKernel {
  Reduction kind;
  DType in, out;
  bool flip, flip_back;
  int64_t size;
};
std::string reduce_source(const ReduceKernel& kernel);
Reduction joined(Reduction kind);  // how results of parts become one
DType accumulator_of(DType dtype);
std::string search_source(bool largest, DType dtype, int64_t size);
std::string softmax_source(DType dtype, int64_t size, bool log, bool cooled);
std::string layer_norm_source(DType dtype, int64_t size);
std::string images_source(DType dtype);  // convolution's columns, pooling
std::string gather_source(DType dtype, DType index, bool wraps);

// Rows that one block of 256 threads reduces at once: short ones have 32 threads each.
int64_t rows_a_block(int64_t size);
// Threads of one row. Softmax's exponentials take registers: its long rows have more threads.
int softmax_threads(int64_t size);
int norm_threads(int64_t size);

}  // namespace cuda
}  // namespace hybrid
