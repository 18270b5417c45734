// Softmax along an axis and its gradient, shared by threads.
#include <algorithm>

#include "kernels/by_dtype.h"
#include "kernels/device_kernels.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "kernels/softmax_table.h"

namespace hybrid {

namespace base {
extern const SoftmaxTable softmax_table;
}
namespace avx2 {
extern const SoftmaxTable softmax_table;
}

namespace {

const SoftmaxTable& table() {
#if defined(__x86_64__)
  return use_avx2() ? avx2::softmax_table : base::softmax_table;
#else
  return base::softmax_table;
#endif
}
const SoftmaxFns<float>& functions(float) { return table().f32; }
const SoftmaxFns<double>& functions(double) { return table().f64; }

template <class F>
void each_item(int64_t outer, int64_t axis, int64_t inner, Resources& resources, F body) {
  constexpr int64_t kChunkElements = 1 << 14;
  const int64_t items =
      inner == 1 ? outer : outer * ((inner + kSoftmaxColumns - 1) / kSoftmaxColumns);
  const int64_t item_elements = axis * std::min(inner, kSoftmaxColumns);
  if (items == 0 || axis == 0) return;
  const int64_t grain = std::max<int64_t>(1, kChunkElements / item_elements);
  if (items <= grain) return body(int64_t{0}, items);
  resources.parallel(items, grain, body);
}

}  // namespace

void softmax(DType dtype, int64_t outer, int64_t axis, int64_t inner, const void* x, void* y,
             double temperature, bool log, Resources& resources) {
  if (DeviceKernels* const device = resources.device()) {
    return device->softmax(dtype, outer, axis, inner, x, y, temperature, log);
  }
  for_float(dtype, "softmax", [&](auto zero) {
    using T = decltype(zero);
    each_item(outer, axis, inner, resources, [&](int64_t begin, int64_t end) {
      functions(T(0)).forward(begin, end, axis, inner, static_cast<const T*>(x), static_cast<T*>(y),
                              static_cast<T>(temperature), log);
    });
  });
}

void softmax_grad(DType dtype, int64_t outer, int64_t axis, int64_t inner, const void* dy,
                  const void* y, void* dx, double temperature, bool log, Resources& resources) {
  if (DeviceKernels* const device = resources.device()) {
    return device->softmax_grad(dtype, outer, axis, inner, dy, y, dx, temperature, log);
  }
  for_float(dtype, "softmax gradient", [&](auto zero) {
    using T = decltype(zero);
    each_item(outer, axis, inner, resources, [&](int64_t begin, int64_t end) {
      functions(T(0)).backward(begin, end, axis, inner, static_cast<const T*>(dy),
                               static_cast<const T*>(y), static_cast<T*>(dx),
                               static_cast<T>(temperature), log);
    });
  });
}

}  // namespace hybrid
