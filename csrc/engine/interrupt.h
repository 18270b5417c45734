// Interrupts: asking, on the main thread, whether the user wants a wait to end.
#pragma once
#include <cstdint>

namespace hybrid {
namespace engine {

constexpr int64_t kInterruptCheckNs = 50000000;

bool interruptible();      // this is the main thread and a check is set
bool interrupt_pending();  // calls the check; only when interruptible()
[[noreturn]] void throw_interrupted();

// What programs and loops look at, which may run for ever: has the user ended a wait, or the
// process the engine, since they were pushed? Other operators finish, as a later wait may want
// their values. The user's interrupts are the main thread's, and end what it has pushed; taking
// back ends what is recorded still.
using PushMark = uint64_t;
PushMark push_mark(bool recorded);  // of what this thread pushes now
bool ended_since(PushMark mark);
void count_ending();  // of the process

}  // namespace engine
}  // namespace hybrid
