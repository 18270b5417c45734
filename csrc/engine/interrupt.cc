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
std::atomic<uint64_t> num_taken_back{0};
constexpr PushMark kOtherThread = PushMark{1} << 63;
constexpr PushMark kRecorded = PushMark{1} << 62;

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

// So far, of what ends work of this kind; it only grows.
uint64_t endings_of(PushMark kind) {
  const uint64_t ended = kind & kOtherThread ? num_endings.load() : num_interrupts.load();
  return ended + (kind & kRecorded ? num_taken_back.load() : 0);
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

PushMark push_mark(bool recorded) {
  const PushMark kind = (on_main_thread() ? 0 : kOtherThread) | (recorded ? kRecorded : 0);
  return kind | endings_of(kind);
}

bool ended_since(PushMark mark) { return endings_of(mark) != (mark & ~(kOtherThread | kRecorded)); }

void take_back_recorded() { num_taken_back.fetch_add(1); }

void count_ending() {
  num_endings.fetch_add(1);
  num_interrupts.fetch_add(1);
}

}  // namespace engine
}  // namespace hybrid
