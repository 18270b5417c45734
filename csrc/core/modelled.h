// What memory and the engine know of the modelled clock. csrc/model defines all of this.
#pragma once
#include <atomic>

#include "core/context.h"

namespace hybrid {
namespace engine {
struct Var;
}
namespace model {

extern std::atomic<bool> is_on, skips_arithmetic;
inline bool on() { return __builtin_expect(is_on.load(std::memory_order_relaxed), false); }
// Are operators of this device left out, their results marked as not computed?
inline bool skips(Context ctx) {
  return __builtin_expect(skips_arithmetic.load(std::memory_order_relaxed), false) && !ctx.is_cpu();
}
void forget(engine::Var& var);  // it ceases to exist

}  // namespace model
}  // namespace hybrid
