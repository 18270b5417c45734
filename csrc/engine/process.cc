// The process: cancelling, the end, and fork().
#include "core/fork.h"
#include "engine/callers.h"
#include "engine/interrupt.h"
#include "engine/meeting.h"
#include "engine/scheduler.h"
#include "engine/workers.h"

namespace hybrid {
namespace engine {
namespace {

// What happens to tasks that never run: destroyed outside the lock, since they free storages.
using Tasks = std::vector<std::unique_ptr<Task>>;

const bool held_over_fork =
    hold_over_fork(ForkStage::scheduler, {[] { Scheduler::get().before_fork(); },
                                          [](bool child) { Scheduler::get().after_fork(child); }});

const char* const kShutDown = "dropped, because the engine was shut down before it ran";

}  // namespace

void Scheduler::cancel_running() {
  Guard guard(mutex_);
  for (Lane* lane : lanes_) {
    if (lane->running) lane->cancel.store(true, std::memory_order_relaxed);
  }
  if (here_.load() > 0) cancel_here_.store(true);
  hold_.notify_all();
  guard.unlock();
  end_meetings("cancelled");
}

void Scheduler::shutdown() {
  require(!executing(), "engine: shutdown inside an operator");
  Tasks dropped;
  std::vector<std::thread*> threads;
  {
    Guard guard(mutex_);
    if (stopping_) return;  // another thread is at it
    stopping_ = true;
    count_ending();
    hold_.notify_all();
    for (Lane* lane : lanes_) lane->wake.notify_all();
    while (executors_.load(std::memory_order_acquire) > 0) {
      quiet_.wait_ns(mutex_, kInterruptCheckNs);
      guard.unlock();  // who waits for other devices would do so for ever
      end_meetings("the engine was shut down");
      guard.lock();
    }
    drop_pending(kShutDown, &dropped);
    for (Lane* lane : lanes_) {
      threads.insert(threads.end(), lane->threads.begin(), lane->threads.end());
    }
  }
  for (std::thread* thread : threads) thread->join();
  Workers::shared().stop();
  Guard guard(mutex_);
  for (Lane* lane : lanes_) {
    for (std::thread* const thread : lane->threads) delete thread;
    lane->threads.clear();
  }
  drop_pending(kShutDown, &dropped);  // pushed by others meanwhile
  stopping_ = false;
  settings_.kind = Kind::naive;  // what is pushed from now on runs on its caller
  naive_.store(true);
  notify_waiters();
  guard.unlock();
  dropped.clear();
}

void Scheduler::before_fork() {
  mutex_.lock();
  ++frozen_;
  hold_.notify_all();
  const int own = executing() ? 1 : 0;  // a signal handler that forks inside an operator
  // Operators that wait for other devices hold nothing, and may do so until after the fork.
  while (executors_.load(std::memory_order_acquire) + here_.load() > own + num_meeting()) {
    quiet_.wait_ns(mutex_, kInterruptCheckNs);
  }
}

void Scheduler::after_fork(bool child) {
  --frozen_;
  if (!child) {
    thaw_.notify_all();
    for (Lane* lane : lanes_) {
      if (!lane->empty()) wake(*lane);
    }
    mutex_.unlock();
    return;
  }
  frozen_ = 0;
  waiters_ = nullptr;
  Callers::after_fork();
  executors_.store(executing() ? 1 : 0);
  quiet_.reset_after_fork();
  hold_.reset_after_fork();
  thaw_.reset_after_fork();
  for (Lane* lane : lanes_) {
    lane->threads.clear();  // these are the parent's
    lane->away = lane->coming_back = lane->parked = 0;
    lane->wake.reset_after_fork();
    lane->back.reset_after_fork();
    if (lane->running && lane->running != executed()) {
      lane->running = nullptr;
      lane->busy.store(false, std::memory_order_relaxed);
    }
  }
  Tasks dropped;
  drop_pending("was pending when the process forked: only the parent computes it", &dropped);
  unreported_.clear();
  settings_.kind = Kind::naive;
  naive_.store(true);
  mutex_.unlock();
}

}  // namespace engine
}  // namespace hybrid
