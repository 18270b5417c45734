// The engine's public functions.
#include "engine/engine.h"

#include <cstdlib>

#include "core/devices.h"
#include "core/held_blocks.h"
#include "core/storage.h"
#include "engine/meeting.h"
#include "engine/modelled.h"
#include "engine/scheduler.h"
#include "engine/section.h"
#include "engine/trace.h"

namespace hybrid {
namespace engine {

extern std::atomic<double> inline_below;  // settings.cc

Scheduler::Scheduler() : limit_ops_(settings_.limit_ops), limit_bytes_(settings_.limit_bytes) {
  std::atexit([] { engine::shutdown(); });
  held::set_hooks({trace::current_site, trace::describe_site, [] {
                     if (!executing()) Scheduler::get().wait_for_what_goes_on();
                   }});
}

Scheduler& Scheduler::get() {
  static Scheduler* const scheduler = new Scheduler;
  return *scheduler;
}

namespace {

inline bool idle_for(Storage* const* reads, int num_reads, Storage* const* writes, int num_writes) {
  for (int i = 0; i < num_writes; ++i) {
    if (!writes[i]->var.idle() || writes[i]->var.modelled_uses()) return false;
  }
  for (int i = 0; i < num_reads; ++i) {
    const Var& var = reads[i]->var;
    if (var.pending_writes.load(std::memory_order_acquire) != 0 || var.modelled_writes()) {
      return false;
    }
  }
  return true;
}

// What a GPU was given for this memory is done on return; an error of the GPU's stays in it.
void finish_on_gpu(Storage* storage) {
  if (__builtin_expect(storage->var.block == nullptr, true)) return;
  std::string message;
  try {
    cuda::finish(storage->var);
    return;
  } catch (const Error& error) {
    message = error.what();
  }
  auto error = std::make_shared<StoredError>();
  error->message = message;
  error->reported = true;
  Scheduler::get().poison(&storage, 1, error, false);
}

}  // namespace

void push(std::unique_ptr<Task> task, Storage* const* reads, int num_reads, Storage* const* writes,
          int num_writes, const Props& props) {
  Scheduler& scheduler = Scheduler::get();
  if (scheduler.naive() ||
      (may_inline(props.cost_ns, props.ctx) && idle_for(reads, num_reads, writes, num_writes))) {
    scheduler.run_here(std::move(task), reads, num_reads, writes, num_writes, props);
  } else {
    scheduler.enqueue(std::move(task), reads, num_reads, writes, num_writes, props);
  }
}

bool may_inline(double cost_ns, Context ctx) {
  return cost_ns > 0 && cost_ns < inline_below.load(std::memory_order_relaxed) && ctx.is_cpu();
}

void finished(Storage* result) { Scheduler::get().finished(result->var); }

void note_inline(const Props& props, uint64_t start_ticks, uint64_t end_ticks) {
  trace::coalesce(props.name, props.site, props.node, trace::kInline, start_ticks, end_ticks);
}

void fail_inline(Storage* const* writes, int num_writes, const Props& props,
                 const std::string& message) {
  Scheduler& scheduler = Scheduler::get();
  const ErrorRef error = make_error(props, message);
  const bool raise = scheduler.naive();
  if (raise) error->reported = true;
  scheduler.poison(writes, num_writes, error, !raise);
  if (raise) throw Error(error->message);
}

bool would_block(const Props& props) {
  Scheduler& scheduler = Scheduler::get();
  return scheduler.naive() ? !may_inline(props.cost_ns, props.ctx)
                           : !scheduler.has_room(props.bytes);
}

void wait_until_written(Storage* storage) {
  if (storage->var.modelled_writes()) Scheduler::get().wait_on_clock(&storage->var, true);
  if (storage->var.pending_writes.load(std::memory_order_acquire) != 0) {
    const StorageRef keep(storage);
    Scheduler::get().wait(Waiter::reads, &storage->var);
  }
  finish_on_gpu(storage);
}

void wait_to_read(Storage* storage) {
  wait_until_written(storage);
  Scheduler::get().raise_if_poisoned(storage->var);
}

void wait_until_over(Storage* storage) {
  wait_until_written(storage);
  if (!Scheduler::get().not_computed(storage->var)) {
    Scheduler::get().raise_if_poisoned(storage->var);
  }
}

bool has_values(const Storage& storage) { return !Scheduler::get().not_computed(storage.var); }

void wait_to_write(Storage* storage) {
  Scheduler& scheduler = Scheduler::get();
  if (storage->var.modelled_uses()) scheduler.wait_on_clock(&storage->var, false);
  if (!storage->var.idle()) {
    const StorageRef keep(storage);
    scheduler.wait(Waiter::writes, &storage->var);
  }
  finish_on_gpu(storage);
  if (!scheduler.not_computed(storage->var)) scheduler.raise_if_poisoned(storage->var);
}

void wait_for_what_goes_on() { Scheduler::get().wait_for_what_goes_on(); }

bool only_meetings() { return Scheduler::get().waits_for_others(); }

void wait_all() {
  if (model::on()) Scheduler::get().wait_on_clock(nullptr, false);
  Scheduler::get().wait(Waiter::all, nullptr);
  Scheduler::get().raise_unreported();
  cuda::finish_all();
}

ReadAccess::ReadAccess(Storage* storage) : storage_(storage) {
  Scheduler::get().begin_access(storage->var, false);
  if (storage->var.poisoned.load(std::memory_order_acquire)) {
    Scheduler::get().end_access(storage->var, false, false);
    Scheduler::get().raise_if_poisoned(storage->var);
  }
}
ReadAccess::~ReadAccess() { Scheduler::get().end_access(storage_->var, false, false); }

WriteAccess::WriteAccess(Storage* storage, bool whole_overwrite)
    : storage_(storage), whole_overwrite_(whole_overwrite) {
  Scheduler::get().begin_access(storage->var, true);
}
WriteAccess::~WriteAccess() { Scheduler::get().end_access(storage_->var, true, whole_overwrite_); }

bool was_discarded(const Storage& storage) { return Scheduler::get().was_discarded(storage.var); }

void cancel_running() { Scheduler::get().cancel_running(); }
Settings settings() { return Scheduler::get().settings(); }
void set_settings(const Settings& wanted) { Scheduler::get().set_settings(wanted); }
int64_t pending() { return Scheduler::get().pending(); }
void tell_queues(bool anyway) { Scheduler::get().tell_queues(anyway); }
std::string describe_pending(int max_rows) { return Scheduler::get().describe(max_rows); }
void shutdown() { Scheduler::get().shutdown(); }

void set_virtual_gpus(int n) {
  if (n == devices::num_virtual_gpus()) return;
  Scheduler::get().wait(Waiter::all, nullptr);
  devices::declare_virtual_gpus(n);
}

int num_virtual_gpus() { return devices::num_virtual_gpus(); }
bool is_virtual(Context ctx) { return devices::is_virtual(ctx); }

}  // namespace engine
}  // namespace hybrid
