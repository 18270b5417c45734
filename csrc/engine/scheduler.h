// Scheduler: the state behind the engine's functions, and the one lock that guards it.
//
// Every variable has a queue of accesses in program order: reads proceed together, a write alone.
// An operator whose accesses are all granted is ready and goes to its lane. A lane's operators run
// one at a time, by the lane's thread or by a waiting caller that holds the lane's token (`busy`).
#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "core/mutex.h"
#include "engine/errors.h"
#include "engine/lane.h"
#include "engine/operation.h"
#include "engine/queue_track.h"

namespace hybrid {
namespace engine {

// One blocked caller and what it waits for.
struct Waiter {
  enum What : uint8_t { reads, writes, all, room } what;
  Var* var = nullptr;
  int64_t bytes = 0;
  Condition wake;
  Waiter* next = nullptr;
  bool gives_up = false;  // when nothing goes on but operators that wait for further calls
};

class Scheduler {
 public:
  static Scheduler& get();  // never destroyed

  // push.cc
  void enqueue(std::unique_ptr<Task> task, Storage* const* reads, int num_reads,
               Storage* const* writes, int num_writes, const Props& props);
  void run_here(std::unique_ptr<Task> task, Storage* const* reads, int num_reads,
                Storage* const* writes, int num_writes, const Props& props);
  void finished(Var& var);
  ErrorRef run_inline(Task& task, const Props& props);
  void run_modelled(const Props& props, Storage* const* reads, int num_reads,
                    Storage* const* writes, int num_writes);
  ErrorRef run_in_turn(Task& task, const Props& props, const std::vector<Var*>& vars,
                       bool* interrupted);
  void poison(Storage* const* writes, int num_writes, const ErrorRef& error, bool is_new);

  // wait.cc
  void wait(Waiter::What what, Var* var, int64_t bytes = 0);
  void raise_if_poisoned(Var& var);
  void wait_for_what_goes_on();
  void wait_on_clock(Var* var, bool only_writers);  // null: for everything
  bool was_discarded(const Var& var);
  bool not_computed(const Var& var);
  void raise_unreported();
  bool only_meetings() const;  // under the lock
  bool waits_for_others();
  void begin_access(Var& var, bool write);
  void end_access(Var& var, bool write, bool whole_overwrite);

  // run.cc
  void leave_lane();
  void come_back();

  // settings.cc
  Settings settings();
  void set_settings(const Settings& settings);
  bool naive() const { return naive_.load(std::memory_order_relaxed); }
  bool has_room(int64_t bytes) const;

  // describe.cc
  std::string describe(int max_rows);
  void tell_queues(bool anyway);
  int64_t pending() const { return pending_ops_.load(std::memory_order_relaxed); }

  // process.cc
  void cancel_running();
  void shutdown();
  void before_fork();
  void after_fork(bool child);

 private:
  Scheduler();

  // dependencies.cc; all under the lock
  Operation* take_operation();
  void recycle(Operation* op);
  void add_access(Operation* op, Access* access, Var* var, bool write);
  void release(Var& var, bool write);
  void complete(Operation* op, const ErrorRef& error, bool is_new);
  void set_error(Var& var, const ErrorRef& error);
  void clear_error(Var& var);
  ErrorRef inherited_error(const Operation& op) const;
  void link(Operation* op);
  void unlink(Operation* op);
  void drop_pending(const std::string& why, std::vector<std::unique_ptr<Task>>* tasks);

  // run.cc
  Lane& lane_of(Context ctx, LaneKind kind);
  void make_ready(Operation* op);
  void wake(Lane& lane);
  void give_lane(Lane& lane);
  void lane_main(Lane& lane);
  void run_lane(Guard& guard, Lane& lane, const Waiter* waiter);
  bool go_on(const Lane& lane, const Waiter* waiter) const;
  void hold(const std::atomic<bool>& cancel, const Operation* op);
  ErrorRef execute(Operation& op, Lane& lane, uint64_t* end);
  void touch(QueueTrack& queue);
  void note_queues(uint64_t now);

  // wait.cc
  bool satisfied(const Waiter& waiter) const;
  void block(Guard& guard, Waiter& waiter);
  Lane* lane_to_help() const;
  const Operation* last_awaited(const Waiter& waiter) const;
  void notify_waiters();

  Mutex mutex_;
  Settings settings_;
  std::atomic<bool> naive_{false};
  std::atomic<bool> slow_{false};
  std::atomic<int64_t> limit_ops_, limit_bytes_;  // as in settings_, read without the lock
  std::atomic<int64_t> pending_ops_{0}, pending_bytes_{0};
  uint64_t serial_ = 0;
  Operation* first_ = nullptr;  // pending, in order of pushing
  Operation* last_ = nullptr;
  Operation* spare_ = nullptr;
  std::deque<Operation> operations_;  // all there ever were
  std::vector<Lane*> lanes_;
  std::deque<QueueTrack> queues_;  // one a device
  QueueTrack* touched_ = nullptr;  // those whose counts may have changed
  Waiter* waiters_ = nullptr;
  Unreported unreported_;
  std::atomic<int> executors_{0};  // threads inside run_lane
  int frozen_ = 0;                 // forks under way: nothing starts
  bool stopping_ = false;
  Condition quiet_;           // executors_ or here_ fell while frozen or stopping
  Condition hold_;            // slow motion ends early
  Condition thaw_;            // no fork is under way any more
  std::atomic<int> here_{0};  // operators that callers run themselves, naive only
  std::atomic<bool> cancel_here_{false};
};

// This thread is executing an operator: it may push, but neither wait nor be held back.
bool& executing();
// On which lane; null: on none.
Lane*& executing_lane();
// Which one, of a lane's.
Operation*& executed();

constexpr double kLongestHelpNs = 20e6;  // a waiting caller leaves longer operators to the lane

}  // namespace engine
}  // namespace hybrid
