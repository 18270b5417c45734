// Interrupts: asking, on the main thread, whether the user wants a wait to end.
#pragma once
#include <cstdint>

namespace hybrid {
namespace engine {

constexpr int64_t kInterruptCheckNs = 50000000;

bool interruptible();      // this is the main thread and a check is set
bool interrupt_pending();  // calls the check; only when interruptible()
[[noreturn]] void throw_interrupted();

}  // namespace engine
}  // namespace hybrid
