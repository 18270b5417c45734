// The elementwise interpreter: a small opcode program over blocks; one op or a fused chain alike.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"
#include "engine/resources.h"

namespace hybrid {

// A typed window that a kernel reads or writes. Strides in elements; 0 repeats (broadcasting).
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::float32;
  Shape shape;
  Shape strides;
  int64_t size() const { return shape.size(); }
  bool contiguous() const { return strides == contiguous_strides(shape); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

// One opcode, one meaning, per element. Unary use a; binary a, b; `where` a ? b : c.
// clang-format off
#define HYBRID_ELEM_UNARY(X)                                                                       \
  X(copy)                                                                                          \
  X(neg)                                                                                           \
  X(abs) X(sign) X(square) X(sqrt) X(rsqrt) X(cbrt) X(reciprocal) X(exp) X(expm1) X(log) X(log2)   \
      X(log10) X(log1p) X(sin) X(cos) X(tan) X(arcsin) X(arccos) X(arctan) X(sinh) X(cosh) X(tanh) \
          X(arcsinh) X(arccosh) X(arctanh) X(erf) X(gamma) X(gammaln) X(erfinv) X(sigmoid) X(softrelu) X(softsign) X(relu)       \
              X(floor) X(ceil) X(trunc) X(rint) X(round) X(logical_not) X(isnan) X(isinf)          \
                  X(isfinite) X(invert) X(conj) X(real) X(imag) X(angle)
#define HYBRID_ELEM_BINARY(X)                                                                   \
  X(add)                                                                                        \
  X(sub)                                                                                        \
  X(mul) X(div) X(mod) X(floor_div) X(power) X(maximum) X(minimum) X(hypot) X(arctan2) X(polygamma) X(equal) \
      X(not_equal) X(greater) X(greater_equal) X(lesser) X(lesser_equal) X(logical_and)         \
          X(logical_or) X(logical_xor) X(bit_and) X(bit_or) X(bit_xor) X(shift_left) X(shift_right)
// clang-format on
// cast: a converted from src_dtype to dtype; fill: the immediate; where: a (bool) ? b : c.
#define HYBRID_ELEM_OTHER(X) X(cast) X(fill) X(where)

enum class ElemCode : uint8_t {
#define HYBRID_X(name) name,
  HYBRID_ELEM_UNARY(HYBRID_X) HYBRID_ELEM_BINARY(HYBRID_X) HYBRID_ELEM_OTHER(HYBRID_X)
#undef HYBRID_X
};
const char* elem_code_name(ElemCode code);

// An operand: an input of the program (0..), the result of an earlier instruction, or immediate.
struct ElemOperand {
  enum Kind : uint8_t { none, input, temp, immediate } kind = none;
  int16_t index = 0;  // input number or instruction number
};

struct ElemInstr {
  ElemCode code = ElemCode::copy;
  DType dtype = DType::float32;      // computed in; comparisons: the operands' type
  DType out_dtype = DType::float32;  // of the result: differs for comparisons, cast, isnan...
  ElemOperand a, b, c;
  double imm = 0;       // immediate operand, floats
  int64_t imm_int = 0;  // immediate operand, integers and bool
};

// MXNet rules that kernels keep: integer div by zero gives 0 (never a signal), int mod likewise;
// float mod and floor_div follow Python's sign; power of ints wraps, negative exponent gives 0;
// shifts by less than 0 or by the width and more leave 0 (-1: a negative number to the right).
// Complex numbers follow NumPy: the plain product, Smith's quotient; abs, real, imag and angle give
// the real type. polygamma takes its order, a whole number, as b.
struct ElemProgram {
  std::vector<DType> inputs;      // dtype of every input
  std::vector<ElemInstr> instrs;  // in order; instruction i's result is temp i
  std::vector<int16_t> outputs;   // which temps are written, one per output view
};

// Every input broadcasts to the outputs' common shape (strides prepared by the caller: rank equal
// to the output's, 0 where repeated). Outputs contiguous or strided; an output may be the same
// memory as an input of the same layout. Result per element does not depend on block borders,
// threads, or on which other instructions are in the program.
void run_elementwise(const ElemProgram& program, const TensorView* inputs,
                     const TensorView* outputs, Resources& resources);
// Estimated ns for one element of one instruction on one core.
double elem_cost_ns(ElemCode code, DType dtype);

}  // namespace hybrid
