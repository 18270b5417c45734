// Elements by index on a GPU.
#include "cuda/kernels.h"
#include "cuda/modules.h"
#include "cuda/reduce_source.h"

namespace hybrid {
namespace cuda {
namespace {

void run(Kernels& kernels, const char* name, DType dtype, const IndexedRows& r,
         const TensorView& indices, const void* from, void* to, int64_t threads) {
  if (threads == 0) return;
  if (r.raises || r.size == 0) throw NotOnDevice("an index out of range is an error there");
  if (!indices.contiguous()) throw NotOnDevice("indices that are not contiguous");
  std::vector<uint64_t> arguments{address_of(from), address_of(indices.data), address_of(to)};
  for (const int64_t v : {r.outer, r.size, r.inner, r.count}) {
    arguments.push_back(static_cast<uint64_t>(v));
  }
  const std::string source = gather_source(dtype, indices.dtype, r.wraps);
  kernels.launch(function_of(kernels.device(), source, name),
                 kernels.blocks_for((threads + 255) / 256), 256, arguments);
}

}  // namespace

void Kernels::gather(const IndexedRows& r, const TensorView& data, const TensorView& indices,
                     const TensorView& out) {
  run(*this, "gather", data.dtype, r, indices, data.data, out.data, r.outer * r.count * r.inner);
}

void Kernels::scatter(const IndexedRows& r, const TensorView& grad, const TensorView& indices,
                      const TensorView& out) {
  run(*this, "scatter", grad.dtype, r, indices, grad.data, out.data, r.outer * r.inner);
}

}  // namespace cuda
}  // namespace hybrid
