// Interrupts: asking, on the main thread, whether the user wants a wait to end.
#pragma once
#include <cstdint>

namespace hybrid {
namespace engine {

constexpr int64_t kInterruptCheckNs = 50000000;

bool interruptible();      // this is the main thread and a check is set
bool interrupt_pending();  // calls the check; only when interruptible()
[[noreturn]] void throw_interrupted();
// How often the user has ended a wait, or the process the engine. What may run for ever looks at
// it: other operators finish, as a later wait may want their values.
uint64_t interruptions();
void count_interruption();

}  // namespace engine
}  // namespace hybrid
