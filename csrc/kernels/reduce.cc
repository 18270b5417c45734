// reduce_lanes: blocks of rows or columns by the reduce table, their results joined in a tree.
// Blocks follow from the shape alone, so neither threads nor strides change a bit.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/arg_reduce.h"
#include "kernels/by_dtype.h"
#include "kernels/kernels.h"
#include "kernels/reduce_shape.h"
#include "kernels/reduce_table.h"
#include "kernels/row_kernel.h"

namespace hybrid {
namespace {

constexpr int64_t kChunkElements = 1 << 16;

const ReduceFns<float>& functions(float) { return reduce_table().f32; }
const ReduceFns<double>& functions(double) { return reduce_table().f64; }
const ReduceFns<int32_t>& functions(int32_t) { return reduce_table().i32; }
const ReduceFns<int64_t>& functions(int64_t) { return reduce_table().i64; }
const ReduceFns<uint8_t>& functions(uint8_t) { return reduce_table().u8; }

template <class F>
void each_item(int64_t items, int64_t item_elements, Resources& resources, F body) {
  const int64_t grain = std::max<int64_t>(1, kChunkElements / std::max<int64_t>(1, item_elements));
  if (items <= grain) return body(int64_t{0}, items);
  resources.parallel(items, grain, body);
}

template <class A>
A join(Reduction kind, A a, A b) {
  switch (kind) {
    case Reduction::prod:
      if constexpr (std::is_floating_point_v<A>)
        return a * b;
      else
        return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case Reduction::max:
      return b > a || b != b ? b : a;
    case Reduction::min:
      return b < a || b != b ? b : a;
    case Reduction::any:
      return a != 0 || b != 0;
    case Reduction::all:
      return a != 0 && b != 0;
    default:
      if constexpr (std::is_floating_point_v<A>)
        return a + b;
      else
        return static_cast<A>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

// Joins `count` blocks of `width` results in a tree: parts[0..width) holds the result.
template <class A>
void join_blocks(Reduction kind, A* parts, int64_t count, int64_t width) {
  for (; count > 1; count = (count + 1) / 2) {
    for (int64_t i = 0; i + 1 < count; i += 2) {
      const A *a = parts + i * width, *b = a + width;
      A* to = parts + i / 2 * width;
      for (int64_t j = 0; j < width; ++j) to[j] = join(kind, a[j], b[j]);
    }
    if (count % 2 == 1) std::copy_n(parts + (count - 1) * width, width, parts + count / 2 * width);
  }
}

// The first block's results of every outer index, moved together.
template <class A>
void join_all(Reduction kind, A* parts, int64_t outer, int64_t count, int64_t width,
              Resources& resources) {
  if (count == 1) return;
  each_item(outer, count * width, resources, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o)
      join_blocks(kind, parts + o * count * width, count, width);
  });
  for (int64_t o = 1; o < outer; ++o) {
    std::copy_n(parts + o * count * width, width, parts + o * width);
  }
}

template <class T>
Accumulator<T>* run_stage(Reduction kind, const ReduceStage& s, const T* x, Resources& resources) {
  using A = Accumulator<T>;
  const auto& fns = functions(T());
  if (s.inner == 1) {
    const auto fn = fns.row[static_cast<int>(kind)];
    const int64_t blocks = std::max<int64_t>(1, (s.size + kBlockElements - 1) / kBlockElements);
    A* const parts =
        static_cast<A*>(resources.workspace(sizeof(A) * static_cast<size_t>(s.outer * blocks)));
    each_item(s.outer * blocks, std::min(s.size, kBlockElements), resources,
              [&](int64_t begin, int64_t end) {
                if (blocks == 1) {
                  for (int64_t i = begin; i < end; ++i) fn(x + i * s.size, s.size, parts + i);
                  return;
                }
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t first = i % blocks * kBlockElements;
                  fn(x + i / blocks * s.size + first, std::min(kBlockElements, s.size - first),
                     parts + i);
                }
              });
    join_all(kind, parts, s.outer, blocks, 1, resources);
    return parts;
  }
  const auto fn = fns.columns[static_cast<int>(kind)];
  const int64_t blocks = std::max<int64_t>(1, (s.size + kBlockRows - 1) / kBlockRows);
  const int64_t tiles = (s.inner + kBlockColumns - 1) / kBlockColumns;
  A* const parts = static_cast<A*>(
      resources.workspace(sizeof(A) * static_cast<size_t>(s.outer * blocks * s.inner)));
  each_item(s.outer * blocks * tiles,
            std::min(s.size, kBlockRows) * std::min(s.inner, kBlockColumns), resources,
            [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                const int64_t column = i % tiles * kBlockColumns, block = i / tiles;
                const int64_t row = block % blocks * kBlockRows;
                fn(x + (block / blocks * s.size + row) * s.inner + column,
                   std::min(kBlockRows, s.size - row), s.inner,
                   std::min(kBlockColumns, s.inner - column), parts + block * s.inner + column);
              }
            });
  join_all(kind, parts, s.outer, blocks, s.inner, resources);
  return parts;
}

template <class A>
void convert(const A* from, const TensorView& out, int64_t n) {
  if (out.dtype == DType::boolean) {
    for (int64_t i = 0; i < n; ++i) out.as<uint8_t>()[i] = from[i] != 0;
    return;
  }
  for_number(out.dtype, "reduce", [&](auto zero) {
    using R = decltype(zero);
    R* const to = out.as<R>();
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<R>)
        to[i] = static_cast<R>(static_cast<int64_t>(from[i]));
      else
        to[i] = static_cast<R>(from[i]);
    }
  });
}

template <class T>
void reduce_typed(Reduction kind, const T* x, const std::vector<ReduceStage>& stages,
                  const TensorView& out, Resources& resources) {
  auto* values = run_stage<T>(kind, stages[0], x, resources);
  if (kind == Reduction::sum_squares || kind == Reduction::nansum) kind = Reduction::sum;
  for (size_t i = 1; i < stages.size(); ++i) {
    values = run_stage<Accumulator<T>>(kind, stages[i], values, resources);
  }
  convert(values, out, stages.back().outer * stages.back().inner);
}

}  // namespace

void reduce_rows(Reduction kind, DType dtype, const void* x, int64_t rows, int64_t size,
                 void* out) {
  for_lane(dtype, "reduce", [&](auto zero) {
    using T = decltype(zero);
    using A = Accumulator<T>;
    const auto fn = functions(T()).row[static_cast<int>(kind)];
    const T* const from = static_cast<const T*>(x);
    T* const to = static_cast<T*>(out);
    if (size <= kBlockElements) {
      for (int64_t i = 0; i < rows; ++i) {
        A value;
        fn(from + i * size, size, &value);
        to[i] = static_cast<T>(value);
      }
      return;
    }
    std::vector<A> parts(static_cast<size_t>((size + kBlockElements - 1) / kBlockElements));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t first = 0; first < size; first += kBlockElements) {
        fn(from + i * size + first, std::min(kBlockElements, size - first),
           &parts[static_cast<size_t>(first / kBlockElements)]);
      }
      join_blocks(kind, parts.data(), static_cast<int64_t>(parts.size()), 1);
      to[i] = static_cast<T>(parts[0]);
    }
  });
}

void reduce_lanes(Reduction kind, DType dtype, const void* x,
                  const std::vector<ReduceStage>& stages, const TensorView& out,
                  Resources& resources) {
  for_lane(dtype, "reduce", [&](auto zero) {
    using T = decltype(zero);
    reduce_typed<T>(kind, static_cast<const T*>(x), stages, out, resources);
  });
}

}  // namespace hybrid
