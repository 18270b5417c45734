// Transpose tile: a small part of a matrix, turned through a buffer that stays in the first cache.
#pragma once
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace hybrid {

constexpr int64_t kTile = 32;

// to[i * step_to + j] = from[j * step_from + i] for i < height, j < width, both at most kTile.
// Rows of both sides are read and written whole, so strides of a power of two do no harm.
template <class U>
void transpose_tile(const U* from, int64_t step_from, U* to, int64_t step_to, int64_t height,
                    int64_t width) {
  alignas(64) U tile[kTile * kTile];
  int64_t j = 0;
#ifdef __SSE2__
  if constexpr (sizeof(U) == 4) {
    const int64_t whole = height / 4 * 4;
    for (; j + 4 <= width; j += 4) {
      const U* const r = from + j * step_from;
      const auto row = [&](int64_t k, int64_t i) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(r + k * step_from + i));
      };
      for (int64_t i = 0; i < whole; i += 4) {
        const __m128i a = row(0, i), b = row(1, i), c = row(2, i), d = row(3, i);
        const __m128i ab_low = _mm_unpacklo_epi32(a, b), ab_high = _mm_unpackhi_epi32(a, b);
        const __m128i cd_low = _mm_unpacklo_epi32(c, d), cd_high = _mm_unpackhi_epi32(c, d);
        __m128i* const to_four = reinterpret_cast<__m128i*>(tile + i * kTile + j);
        _mm_store_si128(to_four, _mm_unpacklo_epi64(ab_low, cd_low));
        _mm_store_si128(to_four + kTile / 4, _mm_unpackhi_epi64(ab_low, cd_low));
        _mm_store_si128(to_four + 2 * kTile / 4, _mm_unpacklo_epi64(ab_high, cd_high));
        _mm_store_si128(to_four + 3 * kTile / 4, _mm_unpackhi_epi64(ab_high, cd_high));
      }
      for (int64_t i = whole; i < height; ++i) {
        for (int64_t k = 0; k < 4; ++k) tile[i * kTile + j + k] = r[k * step_from + i];
      }
    }
  } else if constexpr (sizeof(U) == 8) {
    const int64_t whole = height / 2 * 2;
    for (; j + 2 <= width; j += 2) {
      const U *const a = from + j * step_from, *const b = a + step_from;
      for (int64_t i = 0; i < whole; i += 2) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i));
        const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i));
        __m128i* const to_pair = reinterpret_cast<__m128i*>(tile + i * kTile + j);
        _mm_store_si128(to_pair, _mm_unpacklo_epi64(x, y));
        _mm_store_si128(to_pair + kTile / 2, _mm_unpackhi_epi64(x, y));
      }
      if (whole < height) {
        tile[whole * kTile + j] = a[whole];
        tile[whole * kTile + j + 1] = b[whole];
      }
    }
  }
#endif
  for (; j < width; ++j) {
    const U* const row = from + j * step_from;
    for (int64_t i = 0; i < height; ++i) tile[i * kTile + j] = row[i];
  }
  for (int64_t i = 0; i < height; ++i) {
    std::memcpy(to + i * step_to, tile + i * kTile, static_cast<size_t>(width) * sizeof(U));
  }
}

}  // namespace hybrid
