// Row kernel: elementwise programs and reductions in turn, on a few rows at a time.
#pragma once
#include <vector>

#include "kernels/elem_plan.h"
#include "kernels/kernels.h"

namespace hybrid {

// out[i], i < rows, from rows of `size` contiguous elements each, by one thread and bit for bit as
// reduce() does. Not argmax, argmin.
void reduce_rows(Reduction kind, DType dtype, const void* x, int64_t rows, int64_t size, void* out);

// Memory is numbered: first the arrays given to a run, then tiles, which hold the rows at hand.
struct RowTile {
  bool wide = false;  // all elements of the rows, else one element a row
  int64_t item = 0;   // bytes of an element
  int64_t offset = 0;
};

struct RowPhase {
  enum Kind : uint8_t { elementwise, reduction } kind = elementwise;
  // elementwise, bound late: over all elements of the rows, or over one element a row.
  bool wide = true;
  ElemPlan plan;
  std::vector<int> memory;  // of its inputs, then its outputs
  // reduction: wide memory to a tile that is not.
  Reduction reduce = Reduction::sum;
  DType dtype = DType::float32;
  int from = -1, to = -1;
};

struct RowKernel {
  static constexpr int kMaxMemory = 512;
  int64_t rows = 0, size = 0;  // elements [i * size, (i + 1) * size) are row i
  int num_arrays = 0;
  std::vector<RowTile> tiles;
  std::vector<RowPhase> phases;
  int64_t tile_rows = 1;
  int64_t scratch_bytes = 0;
  double cost_ns = 0;  // of one row on one core

  // Chooses tile_rows and lays the tiles out. Call it once phases and tiles are there.
  void finish();
};

// How many rows of this length are worked on at once.
int64_t rows_at_once(int64_t size);

// The result of a row depends on nothing but the row, so on no border and no thread.
void run_row_kernel(const RowKernel& kernel, char* const* arrays, Resources& resources);

}  // namespace hybrid
