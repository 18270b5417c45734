// A full device on the modelled clock. csrc/model defines this.
#pragma once
#include <cstdint>

#include "core/context.h"

namespace hybrid {
namespace model {

// Before a block is taken the host waits until the device has done with what fills it.
void wait_for_memory(Context gpu, int64_t bytes, int64_t limit);

}  // namespace model
}  // namespace hybrid
