// The floating-point exceptions that arithmetic of this thread has met: the processor's sticky bits
// of an invalid operand, a division by zero and an overflow.
#pragma once
#include <cstdint>
#ifdef __SSE2__
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace hybrid {
namespace engine {

#ifdef __SSE2__
constexpr uint32_t kFloatFlags = _MM_EXCEPT_INVALID | _MM_EXCEPT_DIV_ZERO | _MM_EXCEPT_OVERFLOW;
inline uint32_t float_flags() { return _mm_getcsr() & kFloatFlags; }
inline void set_float_flags(uint32_t flags) { _mm_setcsr((_mm_getcsr() & ~kFloatFlags) | flags); }
#else
constexpr uint32_t kFloatFlags = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;
inline uint32_t float_flags() {
  return static_cast<uint32_t>(std::fetestexcept(static_cast<int>(kFloatFlags)));
}
inline void set_float_flags(uint32_t flags) {
  std::feclearexcept(static_cast<int>(kFloatFlags));
  if (flags) std::feraiseexcept(static_cast<int>(flags));
}
#endif

// What is met while it lives; the flags are as before afterwards.
class FloatSpan {
 public:
  FloatSpan() : before_(float_flags()) {
    if (before_) set_float_flags(0);
  }
  ~FloatSpan() {
    if (met() != before_) set_float_flags(before_);
  }
  FloatSpan(const FloatSpan&) = delete;
  FloatSpan& operator=(const FloatSpan&) = delete;
  uint32_t met() const { return float_flags(); }

 private:
  const uint32_t before_;
};

}  // namespace engine
}  // namespace hybrid
