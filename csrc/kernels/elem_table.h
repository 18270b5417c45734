// Elem table: the block function of every opcode and dtype, for the instruction set in use.
#pragma once
#include <cstdint>

#include "kernels/elementwise.h"

namespace hybrid {

// Applies one opcode to n contiguous elements; `out` may be an operand's own memory.
using BlockFn = void (*)(const void* a, const void* b, const void* c, void* out, int64_t n);

// Which operand of a binary opcode is a single element, repeated.
enum class Repeat : uint8_t { none, right, left };

constexpr int kNumElemCodes = static_cast<int>(ElemCode::where) + 1;
constexpr int kNumElemTypes = 15;

// Position of a dtype in the tables; -1: no elementwise code for it.
constexpr int elem_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return 0;
    case DType::float64:
      return 1;
    case DType::int32:
      return 2;
    case DType::int64:
      return 3;
    case DType::uint8:
      return 4;
    case DType::boolean:
      return 5;
    case DType::int8:
      return 6;
    case DType::int16:
      return 7;
    case DType::uint16:
      return 8;
    case DType::uint32:
      return 9;
    case DType::uint64:
      return 10;
    case DType::complex64:
      return 11;
    case DType::complex128:
      return 12;
    case DType::float16:
      return 13;
    case DType::bfloat16:
      return 14;
    default:
      return -1;
  }
}

// nullptr: the dtype has no such opcode; halves are copied and converted, all else is float32's.
// Unary opcodes and `where` (a: bool, b, c) ignore Repeat.
struct ElemTable {
  BlockFn code[kNumElemCodes][kNumElemTypes][3];
  BlockFn cast[kNumElemTypes][kNumElemTypes];  // [from][to]
  BlockFn repeat[17];                          // [element size]: all elements are a[0]
};
const ElemTable& elem_table();

// True when the opcode's own result is bool, whatever it computes in.
constexpr bool gives_bool(ElemCode code) {
  return code == ElemCode::logical_not || code == ElemCode::isnan || code == ElemCode::isinf ||
         code == ElemCode::isfinite || (code >= ElemCode::equal && code <= ElemCode::logical_xor);
}
// True when a complex operand gives a result of its real type.
constexpr bool gives_real(ElemCode code) {
  return code == ElemCode::abs || code == ElemCode::real || code == ElemCode::imag ||
         code == ElemCode::angle;
}
// The dtype that a block function writes.
inline DType elem_result(ElemCode code, DType dtype) {
  if (gives_bool(code)) return DType::boolean;
  return gives_real(code) ? real_part(dtype) : dtype;
}
constexpr bool is_unary(ElemCode code) { return code < ElemCode::add || code == ElemCode::cast; }

}  // namespace hybrid
