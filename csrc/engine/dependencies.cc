// Dependencies: the queue of accesses of every variable, and what completion hands on.
#include "core/storage.h"
#include "engine/modelled.h"
#include "engine/scheduler.h"

namespace hybrid {
namespace engine {
namespace {

// The counters are changed under the lock only, and read without it.
template <class T>
void bump(std::atomic<T>& counter, T by, std::memory_order order) {
  counter.store(static_cast<T>(counter.load(std::memory_order_relaxed) + by), order);
}

}  // namespace

Operation* Scheduler::take_operation() {
  if (!spare_) {
    operations_.emplace_back();
    return &operations_.back();
  }
  Operation* const op = spare_;
  spare_ = op->next_ready;
  return op;
}

void Scheduler::recycle(Operation* op) {
  op->many.clear();
  op->next_ready = spare_;
  spare_ = op;
}

void Scheduler::link(Operation* op) {
  op->previous = last_;
  op->next = nullptr;
  (last_ ? last_->next : first_) = op;
  last_ = op;
  ++op->lane->pending;
  bump<int64_t>(pending_ops_, 1, std::memory_order_relaxed);
  bump<int64_t>(pending_bytes_, op->props.bytes, std::memory_order_relaxed);
}

void Scheduler::unlink(Operation* op) {
  (op->previous ? op->previous->next : first_) = op->next;
  (op->next ? op->next->previous : last_) = op->previous;
  --op->lane->pending;
  bump<int64_t>(pending_bytes_, -op->props.bytes, std::memory_order_relaxed);
  bump<int64_t>(pending_ops_, -1, std::memory_order_release);
}

void Scheduler::add_access(Operation* op, Access* access, Var* var, bool write) {
  access->op = op;
  access->var = var;
  access->next = nullptr;
  access->write = write;
  bump<uint32_t>(var->pending, 1, std::memory_order_relaxed);
  if (write) bump<uint32_t>(var->pending_writes, 1, std::memory_order_relaxed);
  access->over = false;
  access->granted = !var->head && !var->active_write && (!write || var->active_reads == 0);
  if (access->granted) {
    write ? void(var->active_write = true) : void(++var->active_reads);
    return;
  }
  (var->tail ? var->tail->next : var->head) = access;
  var->tail = access;
  ++op->ungranted;
}

void Scheduler::release(Var& var, bool write) {
  if (write) {
    var.active_write = false;
    bump<uint32_t>(var.pending_writes, uint32_t(-1), std::memory_order_release);
  } else {
    --var.active_reads;
  }
  bump<uint32_t>(var.pending, uint32_t(-1), std::memory_order_release);
  while (Access* const access = var.head) {
    if (var.active_write || (access->write && var.active_reads > 0)) break;
    var.head = access->next;
    if (!var.head) var.tail = nullptr;
    access->granted = true;
    access->write ? void(var.active_write = true) : void(++var.active_reads);
    if (--access->op->ungranted == 0) make_ready(access->op);
  }
}

void Scheduler::set_error(Var& var, const ErrorRef& error) {
  var.error = error;
  var.poisoned.store(true, std::memory_order_release);
}

void Scheduler::clear_error(Var& var) {
  if (!var.poisoned.load(std::memory_order_relaxed)) return;
  var.poisoned.store(false, std::memory_order_release);
  var.error.reset();
}

ErrorRef Scheduler::inherited_error(const Operation& op) const {
  const bool skipped = model::skips(op.lane->ctx);  // needs no values
  for (int i = 0; i < op.num_accesses; ++i) {
    const Access& a = op.accesses()[i];
    if ((!a.write || !op.props.whole_overwrite) &&
        a.var->poisoned.load(std::memory_order_relaxed) &&
        !(skipped && a.var->error->not_computed)) {
      return a.var->error;
    }
  }
  return nullptr;
}

void Scheduler::complete(Operation* op, const ErrorRef& error, bool is_new) {
  Access* const accesses = op->accesses();
  const bool skipped = error && error->not_computed;
  if (error && is_new && !skipped) unreported_.add(error);
  const bool discarded =
      error && !is_new &&
      ((error->discarded && ended_since(op->pushed_at)) || op->serial <= error->last_dependent);
  for (int i = 0; i < op->num_accesses; ++i) {
    const Access& a = accesses[i];
    if (!a.write || a.over) continue;
    if (error) {
      const bool kept = op->task && !skipped &&
                        (op->task->left_alone(*a.var) || (discarded && op->task->updates(*a.var)));
      if (!kept) set_error(*a.var, error);
    } else if (op->props.whole_overwrite) {
      clear_error(*a.var);
    }
  }
  for (int i = 0; i < op->num_accesses; ++i) {
    if (!accesses[i].over) release(*accesses[i].var, accesses[i].write);
  }
  if (op->modelled) model::computed(op->origin.serial);
  unlink(op);
  if (waiters_) notify_waiters();
}

void Scheduler::finished(Var& var) {
  Operation* const op = executed();
  if (!op) return;
  Guard guard(mutex_);
  for (int i = 0; i < op->num_accesses; ++i) {
    Access& a = op->accesses()[i];
    if (a.var != &var || !a.write || a.over) continue;
    a.over = true;
    clear_error(var);
    release(var, true);
    if (waiters_) notify_waiters();
    return;
  }
}

// Nothing runs. Variables of dropped operators become idle; what was to be written is poisoned.
void Scheduler::drop_pending(const std::string& why, std::vector<std::unique_ptr<Task>>* tasks) {
  for (Lane* lane : lanes_) lane->take_all();
  if (model::on()) model::dropped_all();
  while (Operation* const op = first_) {
    const ErrorRef error = make_error(op->props, why);
    error->reported = true;  // wait_all() is not to raise what was dropped on purpose
    Access* const accesses = op->accesses();
    for (int i = 0; i < op->num_accesses; ++i) {
      if (accesses[i].over) continue;
      Var& var = *accesses[i].var;
      if (accesses[i].write) set_error(var, error);
      var.head = var.tail = nullptr;
      var.active_reads = 0;
      var.active_write = false;
      var.pending_writes.store(0, std::memory_order_release);
      var.pending.store(0, std::memory_order_release);
    }
    unlink(op);
    tasks->push_back(std::move(op->task));
    recycle(op);
  }
}

}  // namespace engine
}  // namespace hybrid
