// Elem path: one number after the other goes through several instructions without leaving
// registers.
#pragma once
#include <cstdint>

namespace hybrid {

enum class PathCode : uint8_t {
  begin,   // with the operand
  add,     // of two NaNs: what there is
  add_to,  // the same sum; of two NaNs: the operand
  sub,
  sub_from,  // the operand less what there is
  mul,       // NaNs: as for add
  mul_by,    // as for add_to
  div,
  div_by,  // the operand divided by what there is
  negative,
  absolute,
  square,
  sqrt,
};
constexpr bool is_unary(PathCode code) { return code >= PathCode::negative; }

struct PathStep {
  PathCode code;
  const void* data = nullptr;  // the operand
  int64_t step = 0;            // in elements, from one to the next
};

// n elements through steps[0..count), the first of which is `begin`, to out. What is written may be
// an operand's own elements, in the same places. As IEEE 754 has it, one rounding each.
struct ElemPath {
  void (*f32)(const PathStep* steps, int count, float* out, int64_t out_step, int64_t n);
  void (*f64)(const PathStep* steps, int count, double* out, int64_t out_step, int64_t n);
};
const ElemPath& elem_path();

}  // namespace hybrid
