#include "kernels/arg_reduce.h"

#include <algorithm>
#include <vector>

#include "kernels/by_dtype.h"
#include "kernels/reduce_table.h"

namespace hybrid {
namespace {

const ReduceFns<float>& functions(float) { return reduce_table().f32; }
const ReduceFns<double>& functions(double) { return reduce_table().f64; }
const ReduceFns<int32_t>& functions(int32_t) { return reduce_table().i32; }
const ReduceFns<int64_t>& functions(int64_t) { return reduce_table().i64; }
const ReduceFns<uint8_t>& functions(uint8_t) { return reduce_table().u8; }

template <class A>
bool better(bool greatest, A x, A best) {
  if (best != best) return false;
  return x != x || (greatest ? x > best : x < best);
}

// The block with the greatest element first, then the element in it.
template <class T>
int64_t of_row(bool greatest, const T* x, int64_t n) {
  const auto fn = functions(T()).row[static_cast<int>(greatest ? Reduction::max : Reduction::min)];
  int64_t block = 0;
  Accumulator<T> best{};
  for (int64_t i = 0; i < n; i += kBlockElements) {
    Accumulator<T> value;
    fn(x + i, std::min(kBlockElements, n - i), &value);
    if (i == 0 || better(greatest, value, best)) {
      best = value;
      block = i;
    }
  }
  int64_t i = block;
  if (best != best) {
    while (x[i] == x[i]) ++i;
  } else {
    while (static_cast<Accumulator<T>>(x[i]) != best) ++i;
  }
  return i;
}

template <class T>
void of_columns(bool greatest, const T* x, int64_t size, int64_t inner, int64_t width,
                int64_t* out) {
  std::vector<T> best(x, x + width);
  std::fill(out, out + width, int64_t{0});
  for (int64_t a = 1; a < size; ++a) {
    const T* const row = x + a * inner;
    for (int64_t j = 0; j < width; ++j) {
      if (better(greatest, row[j], best[static_cast<size_t>(j)])) {
        best[static_cast<size_t>(j)] = row[j];
        out[j] = a;
      }
    }
  }
}

}  // namespace

void arg_reduce(bool greatest, const TensorView& x, const ReduceStage& s, const TensorView& out,
                Resources& resources) {
  constexpr int64_t kChunkElements = 1 << 15, kColumns = 256;
  int64_t* const to = out.as<int64_t>();
  require(out.dtype == DType::int64, "argmax, argmin: given a result of ", dtype_name(out.dtype),
          ", expected int64");
  for_lane(x.dtype, "argmax, argmin", [&](auto from) {
    using T = decltype(from);
    if (s.inner == 1) {
      const int64_t grain = std::max<int64_t>(1, kChunkElements / s.size);
      resources.parallel(s.outer, grain, [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) {
          to[o] = of_row(greatest, x.as<T>() + o * s.size, s.size);
        }
      });
      return;
    }
    const int64_t tiles = (s.inner + kColumns - 1) / kColumns;
    const int64_t grain =
        std::max<int64_t>(1, kChunkElements / (s.size * std::min(s.inner, kColumns)));
    resources.parallel(s.outer * tiles, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t o = i / tiles, column = i % tiles * kColumns;
        of_columns(greatest, x.as<T>() + o * s.size * s.inner + column, s.size, s.inner,
                   std::min(kColumns, s.inner - column), to + o * s.inner + column);
      }
    });
  });
}

}  // namespace hybrid
