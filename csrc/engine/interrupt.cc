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
std::atomic<uint64_t> interruption_count{0};

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
  count_interruption();
  throw Interrupted("interrupted");
}

uint64_t interruptions() { return interruption_count.load(std::memory_order_relaxed); }

void count_interruption() { interruption_count.fetch_add(1, std::memory_order_relaxed); }

}  // namespace engine
}  // namespace hybrid
