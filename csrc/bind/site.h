// Push sites: the line of the user's code that is running now.
#pragma once
#include <cstdint>

namespace hybrid {
namespace bind {

// Interned site of the innermost Python frame that is not library code; 0 when there is none.
// A dictionary look-up a call; decoded to line and column at the first use of an instruction.
uint32_t user_site();
// Also sets it as the site of what this thread pushes, records and traces next.
uint32_t mark_site();

}  // namespace bind
}  // namespace hybrid
