// Running: the lanes' threads, executing one operator, slow motion.
#include <algorithm>

#include "core/device_name.h"
#include "core/storage.h"
#include "engine/interrupt.h"
#include "engine/modelled.h"
#include "engine/scheduler.h"
#include "engine/section.h"
#include "engine/threads.h"
#include "engine/trace.h"
#include "engine/workers.h"

namespace hybrid {
namespace engine {
namespace {

thread_local bool is_executing = false;
thread_local Operation* is_executed = nullptr;
thread_local Lane* lane_of_thread = nullptr;

}  // namespace

bool& executing() { return is_executing; }
Operation*& executed() { return is_executed; }
Lane*& executing_lane() { return lane_of_thread; }

Lane& Scheduler::lane_of(Context ctx, LaneKind kind) {
  ctx = worker_of(ctx);
  for (Lane* lane : lanes_) {
    if (lane->ctx == ctx && lane->kind == kind) return *lane;
  }
  auto* const made = new Lane(ctx, kind);  // never destroyed: its thread may outlive main()
  for (const Lane* lane : lanes_) {
    if (lane->ctx == ctx) made->queue = lane->queue;
  }
  if (!made->queue) made->queue = &queues_.emplace_back(pool_of(ctx));
  made->queue->add(made);
  lanes_.push_back(made);
  return *made;
}

void Scheduler::wake(Lane& lane) {
  if (lane.busy.load(std::memory_order_relaxed) || frozen_ || stopping_) return;
  if (lane.threads.size() == lane.away) {
    lane.threads.push_back(new std::thread([this, &lane] { lane_main(lane); }));
  } else if (lane.parked > 0) {
    lane.wake.notify_one();
  }
}

// The operator that this thread executes waits for other devices: its lane runs others meanwhile,
// on which those devices may depend.
void Scheduler::leave_lane() {
  Lane* const lane = executing_lane();
  if (!lane) return;
  Guard guard(mutex_);
  lane->running = nullptr;
  ++lane->away;
  give_lane(*lane);
}

void Scheduler::come_back() {
  Lane* const lane = executing_lane();
  if (!lane) return;
  Guard guard(mutex_);
  ++lane->coming_back;
  while (lane->busy.load(std::memory_order_relaxed)) lane->back.wait(mutex_);
  --lane->coming_back;
  --lane->away;
  lane->busy.store(true, std::memory_order_relaxed);
  lane->running = executed();
}

// To who comes back, or to whoever runs what is ready.
void Scheduler::give_lane(Lane& lane) {
  lane.busy.store(false, std::memory_order_relaxed);
  if (lane.coming_back > 0) {
    lane.back.notify_one();
  } else if (!lane.empty()) {
    wake(lane);
  }
}

void Scheduler::make_ready(Operation* op) {
  op->lane->add(op);
  touch(*op->lane->queue);
  wake(*op->lane);
}

void Scheduler::lane_main(Lane& lane) {
  enter_thread(lane.name);
  trace::set_current_lane(lane.id);
  Guard guard(mutex_);
  bool spun = false;
  while (!stopping_) {
    if (!frozen_ && !lane.empty() && !lane.busy.load(std::memory_order_relaxed)) {
      run_lane(guard, lane, nullptr);
      spun = false;
    } else if (!spun && !frozen_) {
      spun = true;
      guard.unlock();
      for (int i = 0; i < kSpinPauses; ++i) {
        if (!lane.empty() && !lane.busy.load(std::memory_order_relaxed)) break;
        cpu_pause();
      }
      guard.lock();
    } else {
      ++lane.parked;
      lane.wake.wait(mutex_);
      --lane.parked;
      spun = false;
    }
  }
}

bool Scheduler::go_on(const Lane& lane, const Waiter* waiter) const {
  if (lane.empty() || lane.coming_back > 0 || frozen_ || stopping_) return false;
  if (!waiter) return true;
  const double cost = lane.peek()->props.cost_ns;
  return cost > 0 && cost < kLongestHelpNs && settings_.slow_seconds == 0 && !satisfied(*waiter);
}

// The lock is held on entry and on return, never while an operator runs or is destroyed.
void Scheduler::run_lane(Guard& guard, Lane& lane, const Waiter* waiter) {
  lane.busy.store(true, std::memory_order_relaxed);
  executors_.fetch_add(1, std::memory_order_relaxed);
  executing() = true;
  executing_lane() = &lane;
  const uint16_t lane_before = trace::current_lane();
  trace::set_current_lane(lane.id);
  const uint64_t until = waiter ? trace::ticks() + trace::ticks_of_ns(kInterruptCheckNs) : 0;
  std::unique_ptr<Task> done;
  uint64_t now = trace::ticks();
  do {
    Operation* const op = lane.pop();
    op->state = State::running;
    lane.running = op;
    touch(*lane.queue);
    note_queues(now);
    lane.cancel.store(false, std::memory_order_relaxed);
    ErrorRef error = inherited_error(*op);
    const bool is_new = !error;
    guard.unlock();
    done.reset();  // releases what the previous operator held, before the next needs memory
    if (is_new) {
      error = execute(*op, lane, &now);
    } else {
      now = trace::ticks();  // not run: it carries the error of what it depends on
    }
    guard.lock();
    if (is_new && error && error->others_missing) error->last_dependent = serial_;
    lane.running = nullptr;
    complete(op, error, is_new);  // asks the task what it has left alone
    done = std::move(op->task);
    recycle(op);
    touch(*lane.queue);
  } while (go_on(lane, waiter) && (!waiter || now < until));
  note_queues(now);
  guard.unlock();
  done.reset();
  trace::set_current_lane(lane_before);
  guard.lock();
  executing() = false;
  executing_lane() = nullptr;
  give_lane(lane);
  if (executors_.fetch_sub(1, std::memory_order_release) == 1) {
    if (frozen_ || stopping_) quiet_.notify_all();
    if (waiters_) notify_waiters();
  }
}

// Slow motion: keeps an operator for a while before it runs. Without one its caller does, in naive
// mode, who can be interrupted. Takes the lock.
void Scheduler::hold(const std::atomic<bool>& cancel, const Operation* op) {
  const Resources& resources = Resources::current();
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    if (!op && resources.cancelled()) return;  // without the lock: it may run signal handlers
    if (op && op->props.discardable && ended_since(op->pushed_at)) return;
    Guard guard(mutex_);
    if (frozen_ || stopping_ || cancel.load(std::memory_order_relaxed)) return;
    const std::chrono::duration<double, std::nano> held = std::chrono::steady_clock::now() - start;
    const double rest = settings_.slow_seconds * 1e9 - held.count();
    if (rest <= 0) return;
    hold_.wait_ns(mutex_, static_cast<int64_t>(std::min(rest, double{kInterruptCheckNs})) + 1);
  }
}

ErrorRef Scheduler::execute(Operation& op, Lane& lane, uint64_t* end) {
  trace::Record record;
  record.start = trace::ticks();
  record.name = op.props.name;
  record.site = op.props.site;
  record.node = op.props.node;
  record.lane = lane.id;
  record.value = 1;
  const bool slow = slow_.load(std::memory_order_relaxed);
  if (slow) record.flags |= trace::kArtificial;
  const bool traced = !op.props.traces_itself || slow;
  trace::set_origin(&op.origin);
  const uint32_t site_before = trace::current_site();
  trace::set_current_site(op.props.site);  // of the memory that it takes
  if (traced) trace::begin_span(record);
  if (slow) {
    hold(lane.cancel, &op);
    const uint64_t now = trace::ticks();
    trace::begin_work(now);
    if (op.props.traces_itself) trace::end_span(now);
  }
  Resources& resources = Resources::current();
  // Never asks for interrupts: that takes Python's lock, whose holder may be in fork(), waiting.
  resources.start_operator(&lane.cancel, false);
  if (op.props.discardable) resources.discard_after(op.pushed_at);
  ErrorRef error;
  bool on_gpu = false;
  try {
    if (model::skips(lane.ctx)) {
      error = not_computed_error(op.props);
    } else if (!resources.cancelled()) {
      cuda::Section gpu(lane.ctx, lane.kind, resources);
      on_gpu = gpu.active();
      for (int i = 0; on_gpu && i < op.num_accesses; ++i) gpu.use(*op.accesses()[i].var);
      gpu.begin();
      executed() = on_gpu ? nullptr : &op;  // a GPU's stream says when its results are whole
      op.task->run(resources);
      gpu.end(traced ? &record : nullptr, false);
    }
    if (resources.was_cancelled()) throw Error(resources.why_cancelled());
  } catch (...) {
    error = make_error(op.props, current_exception_message());
    // The interrupted wait has told the user: wait_all() is not to say it again.
    if (resources.discarded()) error->discarded = error->reported = true;
    error->others_missing = resources.ended();
    error->reported = error->reported || resources.told();
  }
  executed() = nullptr;
  resources.finish_operator();
  // Of a program that traces itself a span is open only when a kernel threw. A GPU's spans are
  // emitted with its own times.
  *end = trace::ticks();
  if (on_gpu && !error) trace::drop_span();
  trace::end_span(*end, error ? trace::kError : 0);
  trace::set_origin(nullptr);
  trace::set_current_site(site_before);
  return error;
}

void Scheduler::touch(QueueTrack& queue) {
  if (queue.touched) return;
  queue.touched = true;
  queue.next_touched = touched_;
  touched_ = &queue;
}

void Scheduler::note_queues(uint64_t now) {
  for (; touched_; touched_ = touched_->next_touched) {
    touched_->touched = false;
    touched_->note(now);
  }
}

}  // namespace engine
}  // namespace hybrid
