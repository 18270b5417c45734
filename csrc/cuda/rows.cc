// Softmax, its gradient and layer normalization on a GPU: a row is some threads'.
#include <algorithm>
#include <cstring>

#include "cuda/kernels.h"
#include "cuda/modules.h"
#include "cuda/reduce_source.h"

namespace hybrid {
namespace cuda {
namespace {

void launch_rows(Kernels& kernels, Handle function, int64_t rows, int threads,
                 std::vector<uint64_t>& arguments) {
  const int block = std::max(threads, 256);
  const int64_t at_once = block / threads;
  kernels.launch(function, kernels.blocks_for((rows + at_once - 1) / at_once), block, arguments);
}

uint64_t bits(double value) {
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

void run_softmax(Kernels& kernels, const char* name, DType dtype, int64_t outer, int64_t size,
                 int64_t inner, const void* x, const void* y, void* out, double temperature,
                 bool log) {
  if (outer * size * inner == 0) return;
  std::vector<uint64_t> arguments{address_of(x), address_of(y), address_of(out)};
  for (const int64_t v : {outer, size, inner}) arguments.push_back(static_cast<uint64_t>(v));
  arguments.push_back(bits(temperature));
  const Handle function =
      function_of(kernels.device(), softmax_source(dtype, size, log, temperature != 1), name);
  launch_rows(kernels, function, outer * inner, softmax_threads(size), arguments);
}

}  // namespace

void Kernels::softmax(DType dtype, int64_t outer, int64_t axis, int64_t inner, const void* x,
                      void* y, double temperature, bool log) {
  run_softmax(*this, "softmax", dtype, outer, axis, inner, x, nullptr, y, temperature, log);
}

void Kernels::softmax_grad(DType dtype, int64_t outer, int64_t axis, int64_t inner, const void* dy,
                           const void* y, void* dx, double temperature, bool log) {
  run_softmax(*this, "softmax_grad", dtype, outer, axis, inner, dy, y, dx, temperature, log);
}

void Kernels::layer_norm(DType dtype, int64_t outer, int64_t size, int64_t inner, const void* x,
                         double eps, const void* gamma, const void* beta, void* y, void* mean,
                         void* std) {
  if (outer * size * inner == 0) return;
  std::vector<uint64_t> arguments;
  for (const void* p : {x, gamma, beta, static_cast<const void*>(y), static_cast<const void*>(mean),
                        static_cast<const void*>(std)}) {
    arguments.push_back(address_of(p));
  }
  for (const int64_t v : {outer, size, inner}) arguments.push_back(static_cast<uint64_t>(v));
  arguments.push_back(bits(eps));
  const Handle function = function_of(device_, layer_norm_source(dtype, size), "layer_norm");
  launch_rows(*this, function, outer * inner, norm_threads(size), arguments);
}

}  // namespace cuda
}  // namespace hybrid
