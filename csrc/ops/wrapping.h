// Number types for sums of products: complex pairs, and integers that wrap.
#pragma once
#include "core/error.h"
#include "ops/op.h"

namespace hybrid {

// Complex numbers as NumPy adds and multiplies them: no rescue of infinities.
template <class T>
struct Pair {
  T re, im;
  Pair operator+(Pair o) const { return {re + o.re, im + o.im}; }
  Pair operator*(Pair o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
};

// Calls body(T{}). Integer sums and products wrap: they run on unsigned numbers of the same size.
template <class Body>
void dispatch_wrapping(DType dtype, const char* op, Body&& body) {
  switch (dtype) {
    case DType::float32:
      return body(float{});
    case DType::float64:
      return body(double{});
    case DType::complex64:
      return body(Pair<float>{});
    case DType::complex128:
      return body(Pair<double>{});
    case DType::int8:
    case DType::uint8:
      return body(uint8_t{});
    case DType::int16:
    case DType::uint16:
      return body(uint16_t{});
    case DType::int32:
    case DType::uint32:
      return body(uint32_t{});
    case DType::int64:
    case DType::uint64:
      return body(uint64_t{});
    default:
      fail(op, ": has no kernel for ", dtype_name(dtype));
  }
}

}  // namespace hybrid
