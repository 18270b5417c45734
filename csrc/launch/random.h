// Random state: one generator per process, counter-based; a variable of the engine's program order.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace hybrid {

void seed(uint64_t value);
uint64_t next_key();                           // key of the next draw
std::pair<uint64_t, uint64_t> random_state();  // (seed, counter)
void set_random_state(std::pair<uint64_t, uint64_t>);
std::vector<uint64_t> next_keys(int n);  // the next n draws' keys, in order
// Does this use draw? (Dropout outside training does not.)
bool draws_key(const OpDef& op, const Attrs& attrs, bool training);

}  // namespace hybrid
