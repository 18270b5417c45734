// The trace's clock: raw ticks and their conversion to nanoseconds.
#include <time.h>

#include <mutex>

#include "engine/trace.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hybrid {
namespace trace {
namespace {

bool invariant_tsc() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#else
  return false;
#endif
}

int64_t steady_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// The closest of a few tries: between two reads a thread may have to wait for its processor.
Moment read_both() {
  Moment best;
  uint64_t width = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const uint64_t before = ticks();
    const int64_t ns = steady_ns();
    const uint64_t after = ticks();
    if (after - before < width) {
      width = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

const Moment& process_start() {
  static const Moment start = read_both();
  return start;
}

}  // namespace

const bool kInvariantTsc = invariant_tsc();

namespace {
// Taken when the library is loaded: the longer the base line, the better the factor.
const bool started = (process_start(), true);

double ns_per_tick() {
  static const double factor = [] {
    if (!kInvariantTsc) return 1.0;
    const Moment& start = process_start();
    constexpr int64_t kBaseLine = 20000000;
    const int64_t missing = start.ns + kBaseLine - steady_ns();
    if (missing > 0) {
      const timespec pause{0, missing};
      nanosleep(&pause, nullptr);
    }
    const Moment now = read_both();
    return static_cast<double>(now.ns - start.ns) / static_cast<double>(now.ticks - start.ticks);
  }();
  return factor;
}
}  // namespace

Moment now() { return read_both(); }

int64_t to_ns(uint64_t t) {
  (void)started;
  const auto since = static_cast<int64_t>(t - process_start().ticks);
  return static_cast<int64_t>(static_cast<double>(since) * ns_per_tick());
}

int64_t duration_ns(uint32_t duration) {
  return static_cast<int64_t>(static_cast<double>(duration) * 16 * ns_per_tick());
}

uint64_t ticks_of_ns(int64_t ns) {
  return static_cast<uint64_t>(static_cast<double>(ns) / ns_per_tick());
}

}  // namespace trace
}  // namespace hybrid
