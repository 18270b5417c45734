// Waiting: until a variable, everything, or room in the queue; helping lanes meanwhile.
#include <algorithm>
#include <optional>

#include "core/storage.h"
#include "engine/callers.h"
#include "engine/interrupt.h"
#include "engine/meeting.h"
#include "engine/modelled.h"
#include "engine/run_time.h"
#include "engine/scheduler.h"
#include "engine/trace.h"
#include "engine/workers.h"

namespace hybrid {
namespace engine {
namespace {

thread_local uint64_t waited_ticks = 0;

// A thread that has pushed nothing yet, and sleeps somewhere, gets so long to call.
constexpr double kPatienceS = 10;

// Meetings that hold up a wait while nothing else goes on, for some time now; false: another thread
// may still call.
bool end_endless_meetings(double seconds) {
  if (!awaits_calls()) {
    end_meetings("devices must call what meets in the same order");
    return true;
  }
  // Python is asked once: whatever interrupts it there is nobody's error.
  if (seconds == 0 ? others_may_call() : seconds < kPatienceS || Callers::one_is_free()) {
    return false;
  }
  end_meetings("the other devices' calls can't come while this is waited for");
  return true;
}

}  // namespace

int64_t waited_ns() { return trace::to_ns(waited_ticks) - trace::to_ns(0); }

bool Scheduler::satisfied(const Waiter& w) const {
  switch (w.what) {
    case Waiter::reads:
      return w.var->pending_writes.load(std::memory_order_acquire) == 0;
    case Waiter::writes:
      return w.var->pending.load(std::memory_order_acquire) == 0;
    // Executors count too: what they still hold is released when they have left.
    case Waiter::all:
      return pending_ops_.load(std::memory_order_acquire) == 0 &&
             executors_.load(std::memory_order_acquire) == 0;
    case Waiter::room:
      return has_room(w.bytes);
  }
  return true;
}

void Scheduler::notify_waiters() {
  for (Waiter* w = waiters_; w; w = w->next) {
    if (satisfied(*w)) w->wake.notify_one();
  }
}

// A host lane that nobody executes and whose next operator is short.
Lane* Scheduler::lane_to_help() const {
  if (frozen_ || stopping_ || settings_.slow_seconds > 0) return nullptr;
  for (Lane* lane : lanes_) {
    if (!lane->helped || lane->empty() || lane->busy.load(std::memory_order_relaxed)) continue;
    const double cost = lane->peek()->props.cost_ns;
    if (cost > 0 && cost < kLongestHelpNs) return lane;
  }
  return nullptr;
}

// The operator that it waits for in the end, looked for among the newest; null: it waits for many.
const Operation* Scheduler::last_awaited(const Waiter& waiter) const {
  constexpr int kNewest = 1024;
  int looked_at = 0;
  for (Operation* op = last_; op && waiter.var && looked_at < kNewest; op = op->previous) {
    const Access* const accesses = op->accesses();
    for (int i = 0; i < op->num_accesses; ++i) {
      const bool counts = accesses[i].write || waiter.what == Waiter::writes;
      if (accesses[i].var == waiter.var && counts) return op;
    }
    ++looked_at;
  }
  return nullptr;
}

// Does nothing go on but operators that wait for other devices?
bool Scheduler::only_meetings() const {
  const int waiting = num_meeting();
  if (waiting == 0 || frozen_ || executors_.load(std::memory_order_acquire) != waiting)
    return false;
  return std::all_of(lanes_.begin(), lanes_.end(), [](const Lane* lane) {
    return lane->empty() || lane->busy.load(std::memory_order_relaxed);
  });
}

bool Scheduler::waits_for_others() {
  Guard guard(mutex_);
  return only_meetings();
}

// Until the waiter is satisfied or the user interrupts. The lock is held on entry and on return,
// an exception included.
void Scheduler::block(Guard& guard, Waiter& waiter) {
  require(!executing(), "engine: an operator that is running may not wait for another");
  std::optional<model::Pause> pause;
  if (model::on()) pause.emplace();
  waiter.next = waiters_;
  waiters_ = &waiter;
  trace::Record record;
  record.start = trace::ticks();
  record.site = trace::current_site();
  record.kind = static_cast<uint8_t>(trace::Kind::wait);
  record.lane = trace::current_lane();
  record.flags = trace::kWait;
  if (const Operation* const op = last_awaited(waiter)) {
    record.name = op->props.name;
    record.node = op->props.site;
  }
  const bool main = interruptible();
  const Callers::Waits waits;
  uint64_t alone_since = 0;  // ticks; nothing goes on but meetings
  trace::begin_span(record);
  const uint64_t interval = trace::ticks_of_ns(kInterruptCheckNs);
  uint64_t next_check = record.start + interval;
  bool spun = false, interrupted = false;
  while (!satisfied(waiter)) {
    if (main && trace::ticks() >= next_check) {
      guard.unlock();  // the check may run signal handlers
      interrupted = interrupt_pending();
      guard.lock();
      if (interrupted) break;
      next_check = trace::ticks() + interval;
    } else if (Lane* const lane = lane_to_help()) {
      run_lane(guard, *lane, &waiter);
    } else if (!spun) {
      spun = true;
      guard.unlock();
      for (int i = 0; i < kSpinPauses && !satisfied(waiter); ++i) cpu_pause();
      guard.lock();
    } else if (waiter.gives_up && only_meetings()) {
      break;
    } else if (waiter.wake.wait_ns(mutex_, kInterruptCheckNs) || !only_meetings()) {
      alone_since = 0;
    } else {
      const bool begins = alone_since == 0;
      const uint64_t now = trace::ticks();
      if (begins) alone_since = now;
      const int64_t alone_ns = begins ? 0 : 1 + trace::to_ns(now) - trace::to_ns(alone_since);
      guard.unlock();
      end_endless_meetings(static_cast<double>(alone_ns) * 1e-9);
      guard.lock();
    }
  }
  Waiter** at = &waiters_;
  while (*at != &waiter) at = &(*at)->next;
  *at = waiter.next;
  const uint64_t end = trace::ticks();
  trace::end_wait(end);
  waited_ticks += end - record.start;
  if (interrupted) throw_interrupted();
}

void Scheduler::wait(Waiter::What what, Var* var, int64_t bytes) {
  Waiter waiter{what, var, bytes, {}, nullptr};
  if (satisfied(waiter)) return;
  Guard guard(mutex_);
  if (!satisfied(waiter)) block(guard, waiter);
}

void Scheduler::raise_if_poisoned(Var& var) {
  if (__builtin_expect(!var.poisoned.load(std::memory_order_acquire), true)) return;
  Guard guard(mutex_);
  const ErrorRef error = var.error;
  guard.unlock();
  if (!error) return;
  error->reported = true;
  throw Error(error->message);
}

// For those who need memory.
void Scheduler::wait_for_what_goes_on() {
  Waiter waiter{Waiter::all, nullptr, 0, {}, nullptr, true};
  if (satisfied(waiter)) return;
  Guard guard(mutex_);
  if (!satisfied(waiter)) block(guard, waiter);
}

// What holds it up on the modelled clock holds up the engine too, unless that leaves out the work.
void Scheduler::wait_on_clock(Var* var, bool only_writers) {
  const bool finite = var ? model::wait_for(*var, only_writers) : model::wait_for_all();
  if (finite || !model::skips_arithmetic.load() || !end_endless_meetings(0)) return;
  fail("a device waits for another one, which did not call what meets there");
}

bool Scheduler::was_discarded(const Var& var) {
  if (!var.poisoned.load(std::memory_order_acquire)) return false;
  Guard guard(mutex_);
  return var.error && var.error->discarded;
}

void Scheduler::raise_unreported() {
  Guard guard(mutex_);
  const ErrorRef error = unreported_.take();
  guard.unlock();
  if (error) throw Error(error->message);
}

bool Scheduler::not_computed(const Var& var) {
  if (!var.poisoned.load(std::memory_order_acquire)) return false;
  Guard guard(mutex_);
  return var.error && var.error->not_computed;
}

void Scheduler::begin_access(Var& var, bool write) {
  if (write ? var.modelled_uses() : var.modelled_writes()) wait_on_clock(&var, !write);
  Guard guard(mutex_);
  Waiter waiter{write ? Waiter::writes : Waiter::reads, &var, 0, {}, nullptr};
  while (!satisfied(waiter)) block(guard, waiter);
  Operation nobody;
  Access access;
  add_access(&nobody, &access, &var, write);  // granted at once: nobody is in its way
  if (write) var.version.fetch_add(1, std::memory_order_relaxed);
}

void Scheduler::end_access(Var& var, bool write, bool whole_overwrite) {
  Guard guard(mutex_);
  if (write && whole_overwrite) clear_error(var);
  release(var, write);
  if (waiters_) notify_waiters();
}

}  // namespace engine
}  // namespace hybrid
