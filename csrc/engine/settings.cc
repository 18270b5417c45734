// Settings: how the engine runs, changed while it runs.
#include <cmath>

#include "engine/scheduler.h"

namespace hybrid {
namespace engine {

// Estimates below this run on the caller; 0: nothing does.
std::atomic<double> inline_below{Settings().inline_ns};

Settings Scheduler::settings() {
  Guard guard(mutex_);
  return settings_;
}

bool Scheduler::has_room(int64_t bytes) const {
  const int64_t ops = pending_ops_.load(std::memory_order_relaxed);
  const int64_t used = pending_bytes_.load(std::memory_order_relaxed);
  // One operator is always let in, however much it writes.
  return ops == 0 || (ops < limit_ops_.load(std::memory_order_relaxed) &&
                      used + bytes <= limit_bytes_.load(std::memory_order_relaxed));
}

void Scheduler::set_settings(const Settings& wanted) {
  require(wanted.limit_ops >= 1, "engine: limit of ", wanted.limit_ops,
          " pending operators given, expected 1 or more");
  require(wanted.limit_bytes >= 1, "engine: limit of ", wanted.limit_bytes,
          " pending bytes given, expected 1 or more");
  require(
      std::isfinite(wanted.slow_seconds) && wanted.slow_seconds >= 0 && wanted.slow_seconds <= 3600,
      "engine: slow motion of ", wanted.slow_seconds, " s given, expected 0 to 3600");
  require(wanted.inline_ns >= 0, "engine: inline threshold of ", wanted.inline_ns,
          " ns given, expected 0 or more");
  require(!executing(), "engine: settings cannot change inside an operator");
  if (wanted.slow_seconds == 0) slow_.store(false);  // what is held goes on at once
  Guard guard(mutex_);
  settings_.slow_seconds = wanted.slow_seconds;
  hold_.notify_all();
  if (wanted.kind != settings_.kind) {
    Waiter waiter{Waiter::all, nullptr, 0, {}, nullptr};
    if (!satisfied(waiter)) block(guard, waiter);
  }
  settings_ = wanted;
  naive_.store(wanted.kind == Kind::naive);
  slow_.store(wanted.slow_seconds > 0);
  limit_ops_.store(wanted.limit_ops);
  limit_bytes_.store(wanted.limit_bytes);
  inline_below.store(wanted.inline_small && wanted.slow_seconds == 0 ? wanted.inline_ns : 0);
  if (waiters_) notify_waiters();
}

}  // namespace engine
}  // namespace hybrid
