// Estimated cost of opcodes, measured in the second-level cache on one core with AVX2.
#include "kernels/elem_table.h"

namespace hybrid {

double elem_cost_ns(ElemCode code, DType dtype) {
  const bool wide = dtype_size(dtype) >= 8;
  if (is_complex(dtype)) {
    switch (code) {
      case ElemCode::div:
      case ElemCode::reciprocal:
        return 4;
      case ElemCode::abs:
        return 1.5;
      default:
        return code >= ElemCode::sqrt && code <= ElemCode::arctanh ? 60
               : code == ElemCode::power                           ? 40
                                                                   : 0.5;
    }
  }
  const auto cost = [wide](double narrow_ns, double wide_ns) { return wide ? wide_ns : narrow_ns; };
  switch (code) {
    case ElemCode::exp:
      return cost(0.3, 0.85);
    case ElemCode::expm1:
      return cost(0.35, 1);
    case ElemCode::log:
      return cost(0.45, 1.25);
    case ElemCode::log1p:
      return cost(0.65, 1.8);
    case ElemCode::tanh:
    case ElemCode::sigmoid:
      return cost(0.45, 1.2);
    case ElemCode::erf:
      return cost(0.75, 2.3);
    case ElemCode::softrelu:
      return cost(1.2, 3.5);
    case ElemCode::sin:
    case ElemCode::cos:
    case ElemCode::tan:
      return 1.5;
    case ElemCode::log2:
    case ElemCode::log10:
      return 1.8;
    case ElemCode::sinh:
      return 2.3;
    case ElemCode::cosh:
      return 1.2;
    case ElemCode::power:
      return is_floating(dtype) ? cost(4.8, 10) : 6;
    case ElemCode::hypot:
      return cost(3, 5);
    case ElemCode::arcsin:
    case ElemCode::arccos:
    case ElemCode::arctan:
      return 6;
    case ElemCode::cbrt:
    case ElemCode::arccosh:
    case ElemCode::arctanh:
      return 8;
    case ElemCode::arcsinh:
    case ElemCode::arctan2:
      return 11;
    case ElemCode::gamma:
    case ElemCode::gammaln:
      return 40;
    case ElemCode::erfinv:
    case ElemCode::polygamma:
      return 120;
    case ElemCode::mod:
    case ElemCode::floor_div:
      return 4.5;
    case ElemCode::div:
    case ElemCode::reciprocal:
    case ElemCode::softsign:
      return is_floating(dtype) ? cost(0.15, 0.35) : 3;
    case ElemCode::sqrt:
    case ElemCode::rsqrt:
      return cost(0.25, 0.8);
    default:
      return cost(0.12, 0.25);
  }
}

}  // namespace hybrid
