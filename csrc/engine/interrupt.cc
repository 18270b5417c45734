#include "engine/interrupt.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "engine/engine.h"

namespace hybrid {
namespace engine {
namespace {

std::atomic<bool (*)()> check{nullptr};
std::atomic<uint64_t> num_interrupts{0};  // endings of the process included
std::atomic<uint64_t> num_endings{0};
constexpr PushMark kOtherThread = PushMark{1} << 63;

enum class Where : int8_t { unknown, main, other };
thread_local Where where = Where::unknown;

bool on_main_thread() {
  if (where == Where::unknown) {
    // After a fork the child's only thread is its main thread.
    static const int once = pthread_atfork(nullptr, nullptr, [] { where = Where::unknown; });
    (void)once;
    where = syscall(SYS_gettid) == getpid() ? Where::main : Where::other;
  }
  return where == Where::main;
}

}  // namespace

void set_interrupt_check(bool (*function)()) { check.store(function); }

bool interruptible() { return check.load(std::memory_order_relaxed) && on_main_thread(); }

bool interrupt_pending() {
  bool (*const ask)() = check.load();
  return ask && ask();
}

void throw_interrupted() {
  num_interrupts.fetch_add(1);
  throw Interrupted("interrupted");
}

PushMark push_mark() {
  return on_main_thread() ? num_interrupts.load() : kOtherThread | num_endings.load();
}

bool ended_since(PushMark mark) {
  const bool other = mark & kOtherThread;
  return (other ? num_endings.load() : num_interrupts.load()) != (mark & ~kOtherThread);
}

void count_ending() {
  num_endings.fetch_add(1);
  num_interrupts.fetch_add(1);
}

}  // namespace engine
}  // namespace hybrid
