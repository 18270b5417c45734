// Reductions on a GPU: stages as on the CPU (kernels/reduce_shape.h), sums joined in trees that
// follow from the shape and the GPU alone.
#include <algorithm>

#include "cuda/elem_source.h"
#include "cuda/kernels.h"
#include "cuda/modules.h"
#include "cuda/reduce_source.h"
#include "kernels/reduce_shape.h"

namespace hybrid {
namespace cuda {
namespace {

constexpr int64_t kLeastChunk = 4096;  // elements of a row that one block sums
constexpr int64_t kLeastRows = 64;     // the same of columns
constexpr int64_t kColumns = 32;

void run(Kernels& kernels, const ReduceKernel& k, const ReduceStage& g, int64_t chunks,
         const void* x, void* out) {
  const bool rows = g.inner == 1;
  const int64_t chunk = (g.size + chunks - 1) / chunks;
  const Handle function =
      function_of(kernels.device(), reduce_source(k), rows ? "reduce_rows" : "reduce_columns");
  std::vector<uint64_t> arguments{address_of(x), address_of(out)};
  for (const int64_t v : {g.outer, g.size, g.inner, chunks, chunk}) {
    arguments.push_back(static_cast<uint64_t>(v));
  }
  const int64_t at_once = rows_a_block(k.size);
  const int64_t blocks = rows ? (g.outer * chunks + at_once - 1) / at_once
                              : g.outer * chunks * ((g.inner + kColumns - 1) / kColumns);
  kernels.launch(function, kernels.blocks_for(blocks), 256, arguments);
}

// So many that the whole GPU has work, of at least some size each; none is empty.
int64_t chunks_of(const ReduceStage& g, int processors) {
  const bool rows = g.inner == 1;
  const int64_t items = g.outer * (rows ? 1 : (g.inner + kColumns - 1) / kColumns);
  const int64_t wanted = (4 * static_cast<int64_t>(processors) + items - 1) / items;
  const int64_t most = g.size / (rows ? kLeastChunk : kLeastRows);
  const int64_t chunks = std::max<int64_t>(1, std::min(wanted, most));
  const int64_t chunk = (g.size + chunks - 1) / chunks;
  return g.size == 0 ? 1 : (g.size + chunk - 1) / chunk;
}

}  // namespace

void Kernels::reduce(Reduction kind, const TensorView& x, uint32_t axes_mask,
                     const TensorView& out) {
  const std::vector<ReduceStage> stages = reduce_stages(x.shape, axes_mask);
  const int64_t count = stages.back().outer * stages.back().inner;
  if (count == 0) return;
  const bool searches = kind == Reduction::argmax || kind == Reduction::argmin;
  const bool chooses = searches || kind == Reduction::max || kind == Reduction::min;
  require(!chooses || x.size() > 0, "reduce: given data of shape ", x.shape,
          ", expected at least one element to choose from");
  device_type(x.dtype);
  device_type(out.dtype);
  const void* data = x.data;
  if (!x.contiguous() && x.size() > 0) {
    TensorView packed = x;
    packed.strides = contiguous_strides(x.shape);
    packed.data = workspace(static_cast<size_t>(x.size()) * dtype_size(x.dtype));
    copy_here(x, packed);
    data = packed.data;
  }
  if (searches) return search(kind == Reduction::argmax, x.dtype, stages[0], data, out);
  const bool flip = x.dtype == DType::uint64 && chooses;
  const DType wide = accumulator_of(x.dtype);
  DType in = x.dtype;
  for (size_t i = 0; i < stages.size(); ++i) {
    ReduceStage g = stages[i];
    const bool last = i + 1 == stages.size();
    const DType made = last ? out.dtype : wide;
    const int64_t chunks = chunks_of(g, device_.processors);
    bool first = i == 0;
    if (chunks > 1) {  // parts, then they are joined
      void* const parts = workspace(static_cast<size_t>(g.outer * chunks * g.inner) * 8);
      run(*this, {first ? kind : joined(kind), in, wide, flip && first, false, g.size / chunks}, g,
          chunks, data, parts);
      g.size = chunks;
      data = parts;
      in = wide;
      first = false;
    }
    void* const to = last ? out.data : workspace(static_cast<size_t>(g.outer * g.inner) * 8);
    run(*this, {first ? kind : joined(kind), in, made, flip && first, flip && last, g.size}, g, 1,
        data, to);
    data = to;
    in = wide;
  }
}

void Kernels::search(bool largest, DType dtype, const ReduceStage& g, const void* x,
                     const TensorView& out) {
  require(out.dtype == DType::int64, "argmax, argmin: given a result of ", dtype_name(out.dtype),
          ", expected int64");
  std::vector<uint64_t> arguments{address_of(x), address_of(out.data)};
  for (const int64_t v : {g.outer, g.size, g.inner}) {
    arguments.push_back(static_cast<uint64_t>(v));
  }
  const int64_t items = g.outer * g.inner;
  const int64_t at_once = rows_a_block(g.size);
  launch(function_of(device_, search_source(largest, dtype, g.size), "arg_reduce"),
         blocks_for((items + at_once - 1) / at_once), 256, arguments);
}

}  // namespace cuda
}  // namespace hybrid
