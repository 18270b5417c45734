// Random draws: uniform, normal, whole numbers, dropout's mask; parallel, the same for any number
// of threads.
#include <algorithm>

#include "kernels/by_dtype.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "kernels/random_table.h"

namespace hybrid {

namespace base {
extern const RandomTable random_table;
}
namespace avx2 {
extern const RandomTable random_table;
}

namespace {

const RandomTable& table() {
#if defined(__x86_64__)
  return use_avx2() ? avx2::random_table : base::random_table;
#else
  return base::random_table;
#endif
}

constexpr int64_t kGrain = int64_t{1} << 14;  // a multiple of kRandomGroup

template <class F>
void in_parallel(int64_t n, Resources& resources, F body) {
  if (n <= kGrain) {
    if (n > 0) body(int64_t{0}, n);
    return;
  }
  resources.parallel(n, kGrain, body);
}

void draw(const char* name, DrawFn<float> fn32, DrawFn<double> fn64, DType dtype, uint64_t key,
          double a, double b, int64_t n, void* out, Resources& resources) {
  require(dtype == DType::float32 || dtype == DType::float64, name, ": given ", dtype_name(dtype),
          ", expected float32 or float64");
  in_parallel(n, resources, [&](int64_t begin, int64_t end) {
    if (dtype == DType::float32) {
      fn32(key, begin, end, a, b, static_cast<float*>(out) + begin);
    } else {
      fn64(key, begin, end, a, b, static_cast<double*>(out) + begin);
    }
  });
}

}  // namespace

void random_uniform(DType dtype, uint64_t key, double low, double high, int64_t n, void* out,
                    Resources& resources) {
  draw("random uniform", table().uniform_f32, table().uniform_f64, dtype, key, low, high, n, out,
       resources);
}

void random_normal(DType dtype, uint64_t key, double loc, double scale, int64_t n, void* out,
                   Resources& resources) {
  draw("random normal", table().normal_f32, table().normal_f64, dtype, key, loc, scale, n, out,
       resources);
}

void dropout_mask(DType dtype, uint64_t key, double p, int64_t n, void* out, Resources& resources) {
  draw("dropout mask", table().mask_f32, table().mask_f64, dtype, key, p, 0, n, out, resources);
}

void random_int(DType dtype, uint64_t key, int64_t low, int64_t high, int64_t n, void* out,
                Resources& resources) {
  require(low < high, "random int: given low ", low, " and high ", high,
          ", expected low below high");
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  for_number(dtype, "random int", [&](auto zero) {
    using T = decltype(zero);
    in_parallel(n, resources, [&](int64_t begin, int64_t end) {
      T* to = static_cast<T*>(out) + begin;
      uint64_t words[512];
      for (int64_t i = begin; i < end; i += 512) {
        const int64_t count = std::min<int64_t>(512, end - i);
        table().bits64(key, i, i + count, words);
        for (int64_t j = 0; j < count; ++j) {
          // The high half of the product: uneven by less than range / 2^64.
          const auto product = static_cast<unsigned __int128>(words[j]) * range;
          *to++ = static_cast<T>(static_cast<int64_t>(static_cast<uint64_t>(low) +
                                                      static_cast<uint64_t>(product >> 64)));
        }
      }
    });
  });
}

}  // namespace hybrid
