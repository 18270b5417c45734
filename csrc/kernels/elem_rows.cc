#include "kernels/elem_rows.h"

#include <algorithm>
#include <memory>

#include "kernels/elem_plan.h"
#include "kernels/scratch.h"

namespace hybrid {

namespace {

constexpr int64_t kTileElements = 4096;
constexpr double kChunkNs = 1e5;  // of one thread at a time

}  // namespace

void run_elementwise_rows(const ElemProgram& program, const TensorView* inputs, const Shape& shape,
                          Reduction kind, int64_t rows, int64_t size, const TensorView& out,
                          Resources& resources) {
  const DType dtype = program.instrs.at(static_cast<size_t>(program.outputs.at(0))).out_dtype;
  const TensorView made{nullptr, dtype, shape, contiguous_strides(shape)};
  // On the heap: a library loaded at run time gets little static thread-local memory.
  thread_local const std::unique_ptr<ElemPlan> owner(new ElemPlan());
  ElemPlan& plan = *owner;
  plan.build(program, inputs, &made, false);
  const ElemPlan& shared = plan;
  const int64_t tile = std::max<int64_t>(1, kTileElements / size);
  const double tile_ns = (shared.cost_ns() + 0.5) * static_cast<double>(tile * size);
  const int64_t grain = tile * std::max<int64_t>(1, static_cast<int64_t>(kChunkNs / tile_ns));
  resources.parallel(rows, grain, [&](int64_t begin, int64_t end) {
    thread_local ThreadScratch scratch;
    void* const made_here = scratch.get(static_cast<size_t>(tile * size) * dtype_size(dtype));
    for (int64_t row = begin; row < end; row += tile) {
      const int64_t n = std::min(tile, end - row);
      shared.run(row * size, (row + n) * size, made_here);
      reduce_rows(kind, dtype, made_here, n, size, out, row);
    }
  });
}

}  // namespace hybrid
