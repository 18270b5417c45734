#include "kernels/elem_blocks.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace hybrid {

StridedBlock::StridedBlock(void* memory, DType dtype, const Shape& shape, const Shape& strides)
    : data(static_cast<char*>(memory)), item(static_cast<int64_t>(dtype_size(dtype))) {
  for (int d = shape.ndim() - 1; d >= 0; --d) {
    if (shape[d] == 1) continue;
    if (ndim > 0 && strides[d] == stride[ndim - 1] * size[ndim - 1]) {
      size[ndim - 1] *= shape[d];
    } else {
      size[ndim] = shape[d];
      stride[ndim++] = strides[d];
    }
  }
}

namespace {

struct Pair {  // an element of 16 bytes
  uint64_t low, high;
};

template <class T>
void load_run(char* to, const char* from, int64_t n, int64_t stride) {
  T* out = reinterpret_cast<T*>(to);
  const T* in = reinterpret_cast<const T*>(from);
  if (stride == 0) {
    const T x = *in;
    for (int64_t i = 0; i < n; ++i) out[i] = x;
  } else if (stride == 1) {
    if (n < 16) {
      for (int64_t i = 0; i < n; ++i) out[i] = in[i];
    } else {
      std::memcpy(out, in, static_cast<size_t>(n) * sizeof(T));
    }
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = in[i * stride];
  }
}
template <class T>
void save_run(char* to, const char* from, int64_t n, int64_t stride) {
  T* out = reinterpret_cast<T*>(to);
  const T* in = reinterpret_cast<const T*>(from);
  if (stride == 1) {
    std::memcpy(out, in, static_cast<size_t>(n) * sizeof(T));
  } else {
    for (int64_t i = 0; i < n; ++i) out[i * stride] = in[i];
  }
}

// Calls run(contiguous, strided, n) for every stretch of the innermost dimension.
template <class Run>
void walk(const StridedBlock& s, int64_t begin, int64_t n, char* contiguous, char* array, Run run) {
  int64_t at[kMaxDims];
  int64_t rest = begin, offset = 0;
  for (int d = 0; d < s.ndim; ++d) {
    at[d] = rest % s.size[d];
    rest /= s.size[d];
    offset += at[d] * s.stride[d];
  }
  while (n > 0) {
    const int64_t length = s.ndim == 0 ? n : std::min(n, s.size[0] - at[0]);
    run(contiguous, array + offset * s.item, length);
    contiguous += length * s.item;
    n -= length;
    if (n == 0) break;
    offset -= at[0] * s.stride[0];
    at[0] = 0;
    for (int d = 1; d < s.ndim; ++d) {
      offset += s.stride[d];
      if (++at[d] < s.size[d]) break;
      offset -= at[d] * s.stride[d];
      at[d] = 0;
    }
  }
}

template <class T>
void load_as(const StridedBlock& s, int64_t begin, int64_t n, void* to, char* array) {
  const int64_t stride = s.ndim == 0 ? 0 : s.stride[0];
  char* out = static_cast<char*>(to);
  // A row repeated over the outer dimension (a bias): after one period, copy what is there.
  if (s.ndim == 2 && s.stride[1] == 0 && n > 2 * s.size[0]) {
    const int64_t period = s.size[0] * s.item;
    walk(s, begin, s.size[0], out, array,
         [&](char* c, const char* p, int64_t m) { load_run<T>(c, p, m, stride); });
    for (int64_t done = period, total = n * s.item; done < total;) {
      const int64_t more = std::min(done, total - done);
      std::memcpy(out + done, out, static_cast<size_t>(more));
      done += more;
    }
    return;
  }
  walk(s, begin, n, out, array,
       [&](char* c, const char* p, int64_t m) { load_run<T>(c, p, m, stride); });
}
template <class T>
void save_as(const StridedBlock& s, int64_t begin, int64_t n, const void* from, char* array) {
  const int64_t stride = s.ndim == 0 ? 1 : s.stride[0];
  char* in = const_cast<char*>(static_cast<const char*>(from));
  walk(s, begin, n, in, array, [&](char* c, char* p, int64_t m) { save_run<T>(p, c, m, stride); });
}

}  // namespace

void StridedBlock::load(int64_t begin, int64_t n, void* to, char* array) const {
  switch (item) {
    case 1:
      return load_as<uint8_t>(*this, begin, n, to, array);
    case 2:
      return load_as<uint16_t>(*this, begin, n, to, array);
    case 4:
      return load_as<uint32_t>(*this, begin, n, to, array);
    case 8:
      return load_as<uint64_t>(*this, begin, n, to, array);
    case 16:
      return load_as<Pair>(*this, begin, n, to, array);
    default:
      fail("elementwise: elements of ", item, " bytes");
  }
}

void StridedBlock::save(int64_t begin, int64_t n, const void* from, char* array) const {
  switch (item) {
    case 1:
      return save_as<uint8_t>(*this, begin, n, from, array);
    case 2:
      return save_as<uint16_t>(*this, begin, n, from, array);
    case 4:
      return save_as<uint32_t>(*this, begin, n, from, array);
    case 8:
      return save_as<uint64_t>(*this, begin, n, from, array);
    case 16:
      return save_as<Pair>(*this, begin, n, from, array);
    default:
      fail("elementwise: elements of ", item, " bytes");
  }
}

void copy_past_cache(void* to, const void* from, int64_t bytes) {
#ifdef __SSE2__
  char* out = static_cast<char*>(to);
  const char* in = static_cast<const char*>(from);
  const int64_t head = std::min<int64_t>(-reinterpret_cast<intptr_t>(out) & 63, bytes);
  std::memcpy(out, in, static_cast<size_t>(head));
  int64_t i = head;
  for (; i + 64 <= bytes; i += 64) {
    const __m128i* p = reinterpret_cast<const __m128i*>(in + i);
    __m128i* q = reinterpret_cast<__m128i*>(out + i);
    const __m128i a = _mm_loadu_si128(p), b = _mm_loadu_si128(p + 1), c = _mm_loadu_si128(p + 2),
                  d = _mm_loadu_si128(p + 3);
    _mm_stream_si128(q, a);
    _mm_stream_si128(q + 1, b);
    _mm_stream_si128(q + 2, c);
    _mm_stream_si128(q + 3, d);
  }
  std::memcpy(out + i, in + i, static_cast<size_t>(bytes - i));
#else
  std::memcpy(to, from, static_cast<size_t>(bytes));
#endif
}

void finish_past_cache() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

int64_t last_level_cache_bytes() {
  static const int64_t bytes = [] {
    long size = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    size = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return size > 0 ? static_cast<int64_t>(size) : int64_t{32} << 20;
  }();
  return bytes;
}

}  // namespace hybrid
