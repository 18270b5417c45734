// From a dtype at run time to a C++ type, for the small kernels of the families.
#pragma once
#include "core/error.h"
#include "kernels/elementwise.h"

namespace hybrid {

// Calls body(T{}) with the C++ type of `dtype`; bool elements are uint8_t of 0 and 1.
template <class F>
void dispatch(DType dtype, const char* op, F&& body) {
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
      fail(op, ": has no kernel for ", dtype_name(dtype));
  }
}

struct Bytes16 {
  uint64_t low, high;
};

// Calls body(T{}) with an unsigned type of that many bytes: for kernels that only move elements.
template <class F>
void dispatch_size(size_t bytes, const char* op, F&& body) {
  switch (bytes) {
    case 1:
      return body(uint8_t{});
    case 2:
      return body(uint16_t{});
    case 4:
      return body(uint32_t{});
    case 8:
      return body(uint64_t{});
    case 16:
      return body(Bytes16{});
    default:
      fail(op, ": has no kernel for elements of ", bytes, " bytes");
  }
}

// Indices of any numeric dtype, read as int64 (toward 0).
class IndexReader {
 public:
  explicit IndexReader(const TensorView& view) : view_(view) {}
  int64_t operator[](int64_t i) const {
    switch (view_.dtype) {
      case DType::float32:
        return static_cast<int64_t>(view_.as<float>()[i]);
      case DType::float64:
        return static_cast<int64_t>(view_.as<double>()[i]);
      case DType::int32:
        return view_.as<int32_t>()[i];
      case DType::int64:
        return view_.as<int64_t>()[i];
      case DType::int8:
        return view_.as<int8_t>()[i];
      case DType::int16:
        return view_.as<int16_t>()[i];
      case DType::uint16:
        return view_.as<uint16_t>()[i];
      case DType::uint32:
        return view_.as<uint32_t>()[i];
      case DType::uint64:
        return static_cast<int64_t>(view_.as<uint64_t>()[i]);
      default:
        return view_.as<uint8_t>()[i];
    }
  }

 private:
  const TensorView& view_;
};

// Writes indices in any numeric dtype.
class IndexWriter {
 public:
  explicit IndexWriter(const TensorView& view) : view_(view) {}
  void put(int64_t at, int64_t index) const {
    dispatch(view_.dtype, "indices", [&](auto zero) {
      using I = decltype(zero);
      view_.as<I>()[at] = static_cast<I>(index);
    });
  }

 private:
  const TensorView& view_;
};

// An array seen as (outer, axis, inner): the loops of operators along one axis.
struct AxisView {
  int64_t outer = 1, size = 1, inner = 1;
  AxisView(const Shape& shape, int axis) : size(shape[axis]) {
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.ndim(); ++i) inner *= shape[i];
  }
};

}  // namespace hybrid
