// Estimated cost of opcodes, measured in cache on one core with AVX2; only ratios matter much.
#include "kernels/elem_table.h"

namespace hybrid {

double elem_cost_ns(ElemCode code, DType dtype) {
  const double wide = dtype == DType::float64 || dtype == DType::int64 ? 2 : 1;
  switch (code) {
    case ElemCode::exp:
    case ElemCode::log: return 0.4 * wide;
    case ElemCode::tanh:
    case ElemCode::sigmoid:
    case ElemCode::erf: return 0.6 * wide;
    case ElemCode::expm1:
    case ElemCode::log2:
    case ElemCode::log10:
    case ElemCode::log1p:
    case ElemCode::sin:
    case ElemCode::cos:
    case ElemCode::tan:
    case ElemCode::sinh:
    case ElemCode::cosh:
    case ElemCode::softrelu: return 1.8 * (wide == 2 ? 1.2 : 1);
    case ElemCode::power: return dtype == DType::float64 ? 20 : dtype == DType::float32 ? 3 : 8;
    case ElemCode::cbrt:
    case ElemCode::arcsin:
    case ElemCode::arccos:
    case ElemCode::arctan:
    case ElemCode::arcsinh:
    case ElemCode::arccosh:
    case ElemCode::arctanh:
    case ElemCode::hypot:
    case ElemCode::arctan2: return 10 * wide;
    case ElemCode::mod:
    case ElemCode::floor_div: return 8;
    case ElemCode::div:
    case ElemCode::sqrt:
    case ElemCode::rsqrt:
    case ElemCode::reciprocal:
    case ElemCode::softsign: return is_floating(dtype) ? 0.35 * wide : 3;
    default: return 0.25 * wide;
  }
}

}  // namespace hybrid
