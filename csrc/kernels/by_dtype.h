// Calls a generic lambda with the C++ type of a dtype.
#pragma once
#include "core/dtype.h"
#include "core/error.h"

namespace hybrid {

template <class F>
void for_float(DType dtype, const char* kernel, F&& body) {
  switch (dtype) {
    case DType::float32:
      return body(float{});
    case DType::float64:
      return body(double{});
    default:
      fail(kernel, ": given ", dtype_name(dtype), ", expected float32 or float64");
  }
}

// bool elements are uint8_t of 0 and 1.
template <class F>
void for_number(DType dtype, const char* kernel, F&& body) {
  switch (dtype) {
    case DType::float32:
      return body(float{});
    case DType::float64:
      return body(double{});
    case DType::int8:
      return body(int8_t{});
    case DType::int16:
      return body(int16_t{});
    case DType::int32:
      return body(int32_t{});
    case DType::int64:
      return body(int64_t{});
    case DType::uint8:
    case DType::boolean:
      return body(uint8_t{});
    case DType::uint16:
      return body(uint16_t{});
    case DType::uint32:
      return body(uint32_t{});
    case DType::uint64:
      return body(uint64_t{});
    default:
      fail(kernel, ": has no kernel for ", dtype_name(dtype));
  }
}

// The types with loops of their own in the reductions; reduce_lane gives one for every other type.
template <class F>
void for_lane(DType dtype, const char* kernel, F&& body) {
  switch (dtype) {
    case DType::float32:
      return body(float{});
    case DType::float64:
      return body(double{});
    case DType::int32:
      return body(int32_t{});
    case DType::int64:
      return body(int64_t{});
    case DType::uint8:
    case DType::boolean:
      return body(uint8_t{});
    default:
      fail(kernel, ": has no kernel for ", dtype_name(dtype));
  }
}

}  // namespace hybrid
