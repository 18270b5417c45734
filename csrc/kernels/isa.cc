#include "kernels/isa.h"

#include <cstdlib>
#include <cstring>

namespace hybrid {

namespace {

bool wished(const char* isa) {
  const char* wish = std::getenv("HYBRID_ISA");
  return wish && std::strcmp(wish, isa) == 0;
}

}  // namespace

bool use_avx2() {
#if defined(__x86_64__)
  // The three features of x86-64-v3 that our units are compiled with.
  static const bool yes = !wished("base") && __builtin_cpu_supports("avx2") &&
                          __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  return yes;
#else
  return false;
#endif
}

bool use_avx512() {
#if defined(__x86_64__)
  static const bool yes = use_avx2() && !wished("avx2") && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return yes;
#else
  return false;
#endif
}

}  // namespace hybrid
