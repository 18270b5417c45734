#include "kernels/float_check.h"

#include <cstring>
#include <limits>

#include "engine/float_flags.h"

namespace hybrid {
namespace {

// Of elements anywhere. (A template's argument would lose that they need not be aligned.)
template <class T>
struct Wide;
template <>
struct Wide<float> {
  typedef float Vector __attribute__((vector_size(64), aligned(4), may_alias));
};
template <>
struct Wide<double> {
  typedef double Vector __attribute__((vector_size(64), aligned(8), may_alias));
};

// 0 times what is not finite is NaN, and so is every sum with it.
template <class T>
bool all_finite(const void* data, int64_t n) {
  using Vector = typename Wide<T>::Vector;
  constexpr int64_t kLanes = 64 / sizeof(T);
  const T* x = static_cast<const T*>(data);
  Vector sum{};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) sum += *reinterpret_cast<const Vector*>(x + i) * T(0);
  T rest = 0;
  for (; i < n; ++i) rest += x[i] * T(0);
  for (int64_t k = 0; k < kLanes; ++k) rest += sum[k];
  return rest == T(0);
}

template <class T>
bool is_nan(T x) {
  return x != x;
}
template <class T>
bool is_finite(T x) {
  return __builtin_fabs(static_cast<double>(x)) <=
         static_cast<double>(std::numeric_limits<T>::max());
}

// Is a result NaN though no operand is, or infinite though all operands are finite?
template <class T>
bool has_exception(const FloatBlock& block) {
  // Written over an operand: there is nothing to compare with.
  if (block.a == block.out || block.b == block.out) return true;
  const T* a = static_cast<const T*>(block.a);
  const T* b = block.b != nullptr ? static_cast<const T*>(block.b) : a;
  const int64_t step_a = block.one_a ? 0 : 1;
  const int64_t step_b = block.b != nullptr ? (block.one_b ? 0 : 1) : step_a;
  const T* out = static_cast<const T*>(block.out);
  for (int64_t i = 0; i < block.n; ++i) {
    if (is_finite(out[i])) continue;
    const T x = a[i * step_a], y = b[i * step_b];
    if (is_nan(out[i]) ? !is_nan(x) && !is_nan(y) : is_finite(x) && is_finite(y)) return true;
  }
  return false;
}

template <class T>
bool divides_by_zero(const FloatBlock& block) {
  const T* b = static_cast<const T*>(block.b);
  const int64_t count = block.one_b ? 1 : block.n;
  bool found = false;
  for (int64_t i = 0; i < count; ++i) found |= b[i] == T(0);
  return found;
}

bool counts(FloatCheck check, const FloatBlock& block) {
  switch (check) {
    case FloatCheck::none:
    case FloatCheck::met:
      return true;
    case FloatCheck::quiet:
      return false;
    case FloatCheck::raised32:
      return !all_finite<float>(block.out, block.n) && has_exception<float>(block);
    case FloatCheck::raised64:
      return !all_finite<double>(block.out, block.n) && has_exception<double>(block);
    case FloatCheck::divisor8:
      return divides_by_zero<uint8_t>(block);
    case FloatCheck::divisor16:
      return divides_by_zero<uint16_t>(block);
    case FloatCheck::divisor32:
      return divides_by_zero<uint32_t>(block);
    case FloatCheck::divisor64:
      return divides_by_zero<uint64_t>(block);
  }
  return true;
}

}  // namespace

FloatCheck float_check(ElemCode code, DType dtype) {
  const bool real = dtype == DType::float32 || dtype == DType::float64;
  const bool is32 = dtype == DType::float32;
  switch (code) {
    case ElemCode::mod:
    case ElemCode::floor_div:
      if (real || dtype == DType::boolean) break;
      switch (dtype_size(dtype)) {
        case 1:
          return FloatCheck::divisor8;
        case 2:
          return FloatCheck::divisor16;
        case 4:
          return FloatCheck::divisor32;
        default:
          return FloatCheck::divisor64;
      }
    case ElemCode::sign:
    case ElemCode::relu:
    case ElemCode::maximum:
    case ElemCode::minimum:
    case ElemCode::isnan:
    case ElemCode::isinf:
    case ElemCode::isfinite:
    case ElemCode::equal:
    case ElemCode::not_equal:
    case ElemCode::greater:
    case ElemCode::greater_equal:
    case ElemCode::lesser:
    case ElemCode::lesser_equal:
    case ElemCode::logical_and:
    case ElemCode::logical_or:
    case ElemCode::logical_xor:
    case ElemCode::logical_not:
      return real ? FloatCheck::quiet : FloatCheck::none;
    case ElemCode::copy:
    case ElemCode::neg:
    case ElemCode::abs:
    case ElemCode::where:
    case ElemCode::fill:
    case ElemCode::cast:
      return FloatCheck::none;
    default:
      break;
  }
  if (!real) return FloatCheck::none;
  return is32 ? FloatCheck::raised32 : FloatCheck::raised64;
}

uint32_t settle_floats(FloatCheck check, const FloatBlock& block, uint32_t before) {
  const uint32_t now = engine::float_flags();
  if (now == before && check < FloatCheck::divisor8) return before;
  if (before == engine::kFloatFlags) return before;
  const bool met = counts(check, block);
  const uint32_t flags = met ? now | engine::kFloatFlags : before;
  if (engine::float_flags() != flags) engine::set_float_flags(flags);
  return flags;
}

}  // namespace hybrid
