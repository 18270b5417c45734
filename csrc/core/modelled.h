// What memory and the engine know of the modelled clock. csrc/model defines all of this.
#pragma once
#include <atomic>
#include <cstdint>

#include "core/context.h"

namespace hybrid {
struct Storage;
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

// Blocks of a device with a limited memory: one is taken; what it is used for is known now; it is
// given back; one of those who hold it lets it go. kind: a held::Kind.
void memory_taken(const Storage& block, uint8_t kind);
void memory_is(const Storage& block, uint8_t kind);
void memory_freed(const Storage& block);
void memory_let_go(const Storage& block);

}  // namespace model
}  // namespace hybrid
