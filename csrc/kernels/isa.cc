#include "kernels/isa.h"

#include <cstdlib>
#include <cstring>

namespace hybrid {

bool use_avx2() {
#if defined(__x86_64__)
  static const bool yes = [] {
    const char* wish = std::getenv("HYBRID_ISA");
    if (wish && std::strcmp(wish, "base") == 0) return false;
    // The three features of x86-64-v3 that our units are compiled with.
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c");
  }();
  return yes;
#else
  return false;
#endif
}

}  // namespace hybrid
