#include "core/fork.h"

#include <pthread.h>

#include <atomic>

#include "core/mutex.h"
#include "engine/scheduler.h"
#include "engine/workers.h"

namespace hybrid {
namespace {

ForkHandlers stages[kForkStages];  // filled before main()

void before_fork() {
  for (const ForkHandlers& stage : stages) {
    if (stage.before) stage.before();
  }
}

void after_fork(bool child) {
  for (int i = kForkStages - 1; i >= 0; --i) {
    if (stages[i].after) stages[i].after(child);
  }
}

// How many threads hold object locks, and whether forks wait until none does.
struct Gate {
  std::atomic<int> inside{0};
  std::atomic<int> forks{0};
  Mutex mutex;
  Condition changed;
};

Gate& gate() {
  static Gate* const one = new Gate;  // never destroyed: threads may outlive main()
  return *one;
}

struct Held {
  int locks = 0;
  bool counted = false;
};
thread_local Held held;

void leave(Gate& g) {
  if (g.inside.fetch_sub(1) == 1 && g.forks.load() > 0) {
    Guard guard(g.mutex);
    g.changed.notify_all();
  }
}

void enter(Gate& g) {
  for (;;) {
    g.inside.fetch_add(1);
    if (g.forks.load() == 0) return;
    leave(g);
    Guard guard(g.mutex);
    while (g.forks.load() > 0) g.changed.wait(g.mutex);
  }
}

void close_gate() {
  Gate& g = gate();
  g.mutex.lock();
  g.forks.fetch_add(1);
  const int own = held.counted ? 1 : 0;
  while (g.inside.load() > own) g.changed.wait(g.mutex);
}

void open_gate(bool child) {
  Gate& g = gate();
  if (child) {
    g.inside.store(held.counted ? 1 : 0);
    g.forks.store(0);
    g.changed.reset_after_fork();
  } else {
    g.forks.fetch_sub(1);
    g.changed.notify_all();
  }
  g.mutex.unlock();
}

const bool held_over_fork = hold_over_fork(ForkStage::objects, {close_gate, open_gate});

}  // namespace

bool hold_over_fork(ForkStage stage, ForkHandlers handlers) {
  stages[static_cast<int>(stage)] = handlers;
  return true;
}

void engine::install_fork_handlers() {
  Scheduler::get();
  static const int once =
      pthread_atfork(before_fork, [] { after_fork(false); }, [] { after_fork(true); });
  (void)once;
}

void ObjectMutex::lock() {
  if (held.locks++ == 0) {
    held.counted = !engine::executing() && !Workers::inside_job();
    if (held.counted) enter(gate());
  }
  mutex_.lock();
}

void ObjectMutex::unlock() {
  mutex_.unlock();
  if (--held.locks > 0 || !held.counted) return;
  held.counted = false;
  leave(gate());
}

}  // namespace hybrid
