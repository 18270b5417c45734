// Pushing: into the queue, or run at once by the caller (small work, naive mode).
#include <optional>

#include "core/storage.h"
#include "engine/callers.h"
#include "engine/interrupt.h"
#include "engine/modelled.h"
#include "engine/scheduler.h"
#include "engine/section.h"
#include "engine/trace.h"

namespace hybrid {
namespace engine {

namespace {

// Who wrote what is read there, if that was an operator of the queue.
void note_producer(const Var& var, trace::Origin* origin) {
  const auto version = static_cast<uint32_t>(var.version.load(std::memory_order_relaxed));
  if (var.writer == 0 || var.written_version != version) return;
  for (uint32_t& producer : origin->producers) {
    if (producer == var.writer) return;
    if (producer == 0) {
      producer = var.writer;
      return;
    }
  }
  ++origin->more;
}

}  // namespace

void Scheduler::enqueue(std::unique_ptr<Task> task, Storage* const* reads, int num_reads,
                        Storage* const* writes, int num_writes, const Props& props) {
  if (!executing()) Callers::note();
  uint64_t now = trace::ticks();
  const uint16_t pusher = trace::current_lane();
  Guard guard(mutex_);
  if (!has_room(props.bytes) && !executing()) {
    Waiter waiter{Waiter::room, nullptr, props.bytes, {}, nullptr, true};
    block(guard, waiter);
    now = trace::ticks();
  }
  Operation* const op = take_operation();
  op->task = std::move(task);
  op->props = props;
  op->lane = &lane_of(props.ctx, props.lane);
  op->serial = ++serial_;
  op->pushed_at = push_mark(props.recorded);
  op->origin = {};
  op->origin.serial = static_cast<uint32_t>(op->serial);
  op->origin.pusher = pusher;
  op->origin.pushed = now;
  op->state = State::waiting;
  op->ungranted = 0;
  const int most = num_reads + num_writes;
  if (most > Operation::kInPlace) op->many.resize(static_cast<size_t>(most));
  Access* const accesses = op->accesses();
  int n = 0;
  // The mark drops a variable named twice, which would wait for itself for ever.
  for (int i = 0; i < num_writes; ++i) {
    Var& var = writes[i]->var;
    if (var.mark == op->serial) continue;
    var.mark = op->serial;
    // A program does not tell which of its writes are updates.
    if (!props.whole_overwrite && !props.traces_itself) note_producer(var, &op->origin);
    const uint64_t version = var.version.load(std::memory_order_relaxed) + 1;
    var.version.store(version, std::memory_order_relaxed);
    var.writer = op->origin.serial;
    var.written_version = static_cast<uint32_t>(version);
    add_access(op, &accesses[n++], &var, true);
  }
  for (int i = 0; i < num_reads; ++i) {
    Var& var = reads[i]->var;
    if (var.mark == op->serial) continue;
    var.mark = op->serial;
    note_producer(var, &op->origin);
    add_access(op, &accesses[n++], &var, false);
  }
  op->num_accesses = n;
  link(op);
  op->modelled = model::on() && !executing();
  if (op->modelled) {
    model::pushed(props, reads, num_reads, writes, num_writes, op->origin.serial);
  }
  op->props.kernels = nullptr;  // these were for the clock alone
  op->props.exchange = nullptr;
  op->props.meets = nullptr;
  op->props.finished_after = nullptr;
  touch(*op->lane->queue);
  if (op->ungranted == 0) make_ready(op);
  note_queues(now);
}

void Scheduler::poison(Storage* const* writes, int num_writes, const ErrorRef& error, bool is_new) {
  Guard guard(mutex_);
  for (int i = 0; i < num_writes; ++i) set_error(writes[i]->var, error);
  if (is_new) unreported_.add(error);
}

void Scheduler::run_here(std::unique_ptr<Task> task, Storage* const* reads, int num_reads,
                         Storage* const* writes, int num_writes, const Props& props) {
  const bool in_turn = naive();  // else small and idle: inlined
  bool poisoned = false;
  for (int i = 0; i < num_reads; ++i) {
    if (in_turn && reads[i]->var.pending_writes.load() && !executing()) {
      wait(Waiter::reads, &reads[i]->var);
    }
    poisoned = poisoned || reads[i]->var.poisoned.load(std::memory_order_acquire);
  }
  bool stale = false;  // an output holds an error that this operator may clear
  for (int i = 0; i < num_writes; ++i) {
    Var& var = writes[i]->var;
    if (in_turn && !var.idle() && !executing()) wait(Waiter::writes, &var);
    var.version.store(var.version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    stale = stale || var.poisoned.load(std::memory_order_acquire);
  }
  ErrorRef error;
  const bool skipped = model::skips(props.ctx);  // needs no values
  if (poisoned || (stale && !props.whole_overwrite)) {
    Guard guard(mutex_);
    const auto inherit = [&](Storage* const* from, int count) {
      for (int i = 0; i < count && !error; ++i) {
        error = from[i]->var.error;
        if (skipped && error && error->not_computed) error = nullptr;
      }
    };
    inherit(reads, num_reads);
    inherit(writes, num_writes);
  }
  if (in_turn && model::on() && !props.ctx.is_cpu() && !executing()) {
    run_modelled(props, reads, num_reads, writes, num_writes);
    if (skipped && !error) return poison(writes, num_writes, not_computed_error(props), false);
  }
  const bool is_new = !error;
  bool interrupted = false;
  if (!error) {
    std::vector<Var*> vars;
    if (!props.ctx.is_cpu()) {
      for (int i = 0; i < num_reads; ++i) vars.push_back(&reads[i]->var);
      for (int i = 0; i < num_writes; ++i) vars.push_back(&writes[i]->var);
    }
    error = in_turn ? run_in_turn(*task, props, vars, &interrupted) : run_inline(*task, props);
  }
  if (__builtin_expect(error || stale, false)) {
    if (error) {
      // Naive mode raises now, so wait_all() need not.
      if (in_turn) error->reported = true;
      std::vector<Storage*> failed;
      for (int i = 0; i < num_writes; ++i) {
        if (!task->left_alone(writes[i]->var)) failed.push_back(writes[i]);
      }
      poison(failed.data(), static_cast<int>(failed.size()), error, is_new && !in_turn);
      if (in_turn && !interrupted) throw Error(error->message);
    } else {
      Guard guard(mutex_);
      for (int i = 0; i < num_writes; ++i) clear_error(writes[i]->var);
    }
  }
  if (interrupted) throw_interrupted();
}

// In naive mode the host waits for every operator.
void Scheduler::run_modelled(const Props& props, Storage* const* reads, int num_reads,
                             Storage* const* writes, int num_writes) {
  {
    Guard guard(mutex_);
    const auto serial = static_cast<uint32_t>(++serial_);
    model::pushed(props, reads, num_reads, writes, num_writes, serial);
    model::computed(serial);
  }
  for (int i = 0; i < num_writes; ++i) model::wait_for(writes[i]->var, false);
}

ErrorRef Scheduler::run_inline(Task& task, const Props& props) {
  Resources& resources = Resources::current();
  ErrorRef error;
  const uint64_t start = trace::ticks();
  try {
    task.run(resources);
  } catch (...) {
    error = make_error(props, current_exception_message());
  }
  const uint64_t end = trace::ticks();
  if (!executing()) resources.reset_workspace();
  if (!props.traces_itself) {
    trace::coalesce(props.name, props.site, props.node,
                    static_cast<uint8_t>(trace::kInline | (error ? trace::kError : 0)), start, end);
  }
  return error;
}

// Naive mode: as a lane would run it, but now and here.
ErrorRef Scheduler::run_in_turn(Task& task, const Props& props, const std::vector<Var*>& vars,
                                bool* interrupted) {
  if (executing()) return run_inline(task, props);  // pushed by a task
  uint16_t lane = 0;
  {
    Guard guard(mutex_);
    while (frozen_) thaw_.wait(mutex_);
    here_.fetch_add(1);
    lane = lane_of(props.ctx, props.lane).id;
  }
  struct Here {
    Scheduler& scheduler;
    uint16_t lane_before = trace::current_lane();
    explicit Here(Scheduler& s) : scheduler(s) { executing() = true; }
    ~Here() {
      executing() = false;
      trace::set_current_lane(lane_before);
      Guard guard(scheduler.mutex_);
      if (scheduler.here_.fetch_sub(1) == 1) scheduler.cancel_here_.store(false);
      if (scheduler.frozen_) scheduler.quiet_.notify_all();
    }
  } here(*this);
  trace::set_current_lane(lane);
  std::optional<model::Pause> pause;  // a GPU's work is not the host's
  if (model::on() && !props.ctx.is_cpu()) pause.emplace();
  Resources& resources = Resources::current();
  resources.start_operator(&cancel_here_, true);
  if (props.discardable) resources.discard_after(push_mark(props.recorded));
  trace::Record record;
  record.start = trace::ticks();
  record.name = props.name;
  record.site = props.site;
  record.node = props.node;
  record.lane = lane;
  record.value = 1;
  const bool slow = slow_.load(std::memory_order_relaxed);
  if (slow) record.flags |= trace::kArtificial;
  if (!props.traces_itself || slow) trace::begin_span(record);
  ErrorRef error;
  bool on_gpu = false;
  try {
    if (slow) {
      hold(cancel_here_, nullptr);
      const uint64_t now = trace::ticks();
      trace::begin_work(now);
      if (props.traces_itself) trace::end_span(now);
    }
    if (!resources.was_cancelled()) {
      cuda::Section gpu(props.ctx, props.lane, resources);
      on_gpu = gpu.active();
      for (Var* const var : vars) gpu.use(*var);
      gpu.begin();
      task.run(resources);
      gpu.end(props.traces_itself ? nullptr : &record, true);
    }
    if (resources.was_cancelled()) throw Error(resources.why_cancelled());
  } catch (...) {
    error = make_error(props, current_exception_message());
  }
  *interrupted = resources.was_interrupted();
  resources.finish_operator();
  if (on_gpu && !error) trace::drop_span();
  trace::end_span(trace::ticks(), error ? trace::kError : 0);
  return error;
}

}  // namespace engine
}  // namespace hybrid
