// strided_copy: transposes in tiles, whole rows by memcpy, everything else element by element.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "kernels/device_kernels.h"
#include "kernels/kernels.h"
#include "kernels/transpose_tile.h"

namespace hybrid {
namespace {

constexpr int64_t kChunkBytes = int64_t{1} << 18;

// Dimensions in the order of dst's memory, adjacent ones merged, those of size 1 dropped.
struct Layout {
  int ndim = 0;
  int64_t size[kMaxDims + 1], from[kMaxDims + 1], to[kMaxDims + 1];  // strides in elements

  void add(int64_t n, int64_t step_from, int64_t step_to) {
    size[ndim] = n;
    from[ndim] = step_from;
    to[ndim++] = step_to;
  }
  void remove(int d) {
    for (--ndim; d < ndim; ++d) {
      size[d] = size[d + 1];
      from[d] = from[d + 1];
      to[d] = to[d + 1];
    }
  }
};

Layout layout_of(const TensorView& src, const TensorView& dst) {
  Layout all;
  for (int d = 0; d < src.shape.ndim(); ++d) {
    if (src.shape[d] == 1) continue;
    all.add(src.shape[d], src.strides[d], dst.strides[d]);
    for (int i = all.ndim - 1; i > 0 && std::abs(all.to[i - 1]) < std::abs(all.to[i]); --i) {
      std::swap(all.size[i - 1], all.size[i]);
      std::swap(all.from[i - 1], all.from[i]);
      std::swap(all.to[i - 1], all.to[i]);
    }
  }
  Layout merged;
  for (int d = 0; d < all.ndim; ++d) {
    const int last = merged.ndim - 1;
    if (last >= 0 && merged.from[last] == all.from[d] * all.size[d] &&
        merged.to[last] == all.to[d] * all.size[d]) {
      merged.size[last] *= all.size[d];
      merged.from[last] = all.from[d];
      merged.to[last] = all.to[d];
    } else {
      merged.add(all.size[d], all.from[d], all.to[d]);
    }
  }
  if (merged.ndim == 0) merged.add(1, 1, 1);
  return merged;
}

// Calls body(offset from, offset to, index in the last dimension) for items [begin, end).
template <class F>
void walk(const Layout& outer, int64_t begin, int64_t end, F body) {
  int64_t index[kMaxDims + 1], from = 0, to = 0, rest = begin;
  for (int d = outer.ndim - 1; d >= 0; --d) {
    index[d] = rest % outer.size[d];
    rest /= outer.size[d];
    from += index[d] * outer.from[d];
    to += index[d] * outer.to[d];
  }
  for (int64_t i = begin; i < end; ++i) {
    body(from, to, outer.ndim > 0 ? index[outer.ndim - 1] : 0);
    for (int d = outer.ndim - 1; d >= 0; --d) {
      from += outer.from[d];
      to += outer.to[d];
      if (++index[d] < outer.size[d]) break;
      index[d] = 0;
      from -= outer.size[d] * outer.from[d];
      to -= outer.size[d] * outer.to[d];
    }
  }
}

template <class F>
void in_parallel(const Layout& outer, int64_t item_bytes, Resources& resources, F body) {
  int64_t n = 1;
  for (int d = 0; d < outer.ndim; ++d) n *= outer.size[d];
  const int64_t grain = std::max<int64_t>(1, kChunkBytes / std::max<int64_t>(1, item_bytes));
  if (n <= grain) return walk(outer, 0, n, body);
  resources.parallel(n, grain, [&](int64_t begin, int64_t end) { walk(outer, begin, end, body); });
}

template <class U>
void copy_row(const U* from, int64_t step_from, U* to, int64_t step_to, int64_t n) {
  if (step_from == 1 && step_to == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(U));
  } else if (step_from == 0 && step_to == 1) {
    std::fill(to, to + n, *from);
  } else if (step_to == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * step_from];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * step_to] = from[i * step_from];
  }
}

template <class U>
void copy(Layout layout, const U* from, U* to, Resources& resources) {
  const int inner = layout.ndim - 1;
  const int64_t n = layout.size[inner], step_from = layout.from[inner], step_to = layout.to[inner];
  int across = -1;  // the dimension along which src is contiguous
  for (int d = 0; d < inner; ++d) {
    if (layout.from[d] == 1 && step_from != 1 && step_to == 1 && layout.size[d] >= 4 && n >= 4) {
      across = d;
    }
  }
  Layout outer = layout;
  outer.remove(inner);
  if (across >= 0) {
    const int64_t height = outer.size[across], step = outer.to[across];
    outer.remove(across);
    // Strips of rows of dst are the items: some tiles high, so that a visit to a page of src or dst
    // moves more than one line.
    constexpr int64_t kStrip = 4 * kTile;
    outer.add((height + kStrip - 1) / kStrip, kStrip, kStrip * step);
    const int64_t bytes = std::min(height, kStrip) * n * static_cast<int64_t>(sizeof(U));
    return in_parallel(outer, bytes, resources, [=](int64_t at_from, int64_t at_to, int64_t strip) {
      const int64_t rows = std::min(kStrip, height - strip * kStrip);
      for (int64_t j = 0; j < n; j += kTile) {
        const U* const left = from + at_from + j * step_from;
        // The hardware does not see that the next tile's rows follow.
        for (int64_t k = kTile; k < std::min(2 * kTile, n - j); ++k) {
          for (int64_t i = 0; i < rows; i += 64 / static_cast<int64_t>(sizeof(U))) {
            __builtin_prefetch(left + k * step_from + i);
          }
        }
        for (int64_t i = 0; i < rows; i += kTile) {
          transpose_tile(left + i, step_from, to + at_to + i * step + j, step,
                         std::min(kTile, rows - i), std::min(kTile, n - j));
        }
      }
    });
  }
  const int64_t piece = std::max<int64_t>(1, kChunkBytes / static_cast<int64_t>(sizeof(U)));
  if (n >= 2 * piece) {  // long rows are cut
    outer.add(n / piece, piece * step_from, piece * step_to);
    const int64_t rest = n % piece;
    in_parallel(outer, piece * static_cast<int64_t>(sizeof(U)), resources,
                [=](int64_t at_from, int64_t at_to, int64_t) {
                  copy_row(from + at_from, step_from, to + at_to, step_to, piece);
                });
    if (rest == 0) return;
    --outer.ndim;
    from += (n - rest) * step_from;
    to += (n - rest) * step_to;
    return in_parallel(outer, rest * static_cast<int64_t>(sizeof(U)), resources,
                       [=](int64_t at_from, int64_t at_to, int64_t) {
                         copy_row(from + at_from, step_from, to + at_to, step_to, rest);
                       });
  }
  in_parallel(outer, n * static_cast<int64_t>(sizeof(U)), resources,
              [=](int64_t at_from, int64_t at_to, int64_t) {
                copy_row(from + at_from, step_from, to + at_to, step_to, n);
              });
}

struct Pair {
  uint64_t low, high;
};

}  // namespace

void strided_copy(const TensorView& src, const TensorView& dst, Resources& resources) {
  require(src.shape == dst.shape && src.dtype == dst.dtype, "copy: given ", dtype_name(src.dtype),
          " of shape ", src.shape, " and ", dtype_name(dst.dtype), " of shape ", dst.shape,
          ", expected the same twice");
  if (DeviceKernels* const device = resources.device()) {
    return device->strided_copy(src, dst);
  }
  if (src.size() == 0) return;
  const Layout layout = layout_of(src, dst);
  switch (dtype_size(src.dtype)) {
    case 1:
      return copy(layout, src.as<uint8_t>(), dst.as<uint8_t>(), resources);
    case 2:
      return copy(layout, src.as<uint16_t>(), dst.as<uint16_t>(), resources);
    case 4:
      return copy(layout, src.as<uint32_t>(), dst.as<uint32_t>(), resources);
    case 8:
      return copy(layout, src.as<uint64_t>(), dst.as<uint64_t>(), resources);
    default:
      return copy(layout, src.as<Pair>(), dst.as<Pair>(), resources);
  }
}

}  // namespace hybrid
