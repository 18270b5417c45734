// Lane: a serial executor of a device, with the operators that are ready for it.
#pragma once
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/mutex.h"
#include "engine/operation.h"

namespace hybrid {
namespace engine {

class QueueTrack;

struct Lane {
  Lane(Context ctx, LaneKind kind);

  // By priority, then in the order of becoming ready. All under the scheduler's lock.
  void add(Operation* op);
  Operation* peek() const;
  Operation* pop();
  std::vector<Operation*> take_all();
  bool empty() const { return num_ready.load(std::memory_order_relaxed) == 0; }

  const Context ctx;
  const LaneKind kind;
  const bool helped;  // a waiting caller may run its operators: host lanes only
  std::string name;
  uint16_t id = 0;              // of the trace
  QueueTrack* queue = nullptr;  // of its device
  uint32_t pending = 0;         // operators pushed for it and not done

  std::atomic<int> num_ready{0};  // polled without the lock by the spinning thread
  std::atomic<bool> busy{false};  // the token: somebody executes this lane's operators
  Operation* running = nullptr;
  std::atomic<bool> cancel{false};  // asks the running operator to stop
  // Its threads, one of which executes; those that wait for other devices within an operator, and
  // of them those that would go on; those that sleep and must be woken.
  std::vector<std::thread*> threads;
  size_t away = 0, coming_back = 0, parked = 0;
  Condition wake, back;

 private:
  struct Urgent {
    int priority;
    uint64_t order;
    Operation* op;
    bool operator<(const Urgent& o) const {
      return priority != o.priority ? priority < o.priority : order > o.order;
    }
  };
  Operation* first_ = nullptr;  // priority 0
  Operation* last_ = nullptr;
  std::vector<Urgent> others_;  // heap: every other priority
  uint64_t order_ = 0;
};

const char* lane_kind_name(LaneKind kind);

}  // namespace engine
}  // namespace hybrid
