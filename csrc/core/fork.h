// Fork: what is held while the process is copied, so that the child finds every lock free.
#pragma once
#include <mutex>

namespace hybrid {

// In the order in which a fork takes them. A thread that holds one takes only later ones. Before
// them all comes the lock of whoever pushes from Python (bind/push.cc): its holder may need the
// GIL, which the thread in fork() has.
enum class ForkStage { objects, scheduler, meetings, workers, model, held, pools, trace, names };
constexpr int kForkStages = 9;

struct ForkHandlers {
  void (*before)();
  void (*after)(bool child);
};
// Once a stage, when the program is loaded. Returns true, to initialize a variable with.
bool hold_over_fork(ForkStage stage, ForkHandlers handlers);

// The lock of one object among many, such as a compiled graph. During a fork nobody holds one: who
// wants one then waits, except operators, whose end the fork waits for next.
class ObjectMutex {
 public:
  void lock();
  void unlock();

 private:
  std::mutex mutex_;
};
using ObjectGuard = std::lock_guard<ObjectMutex>;

}  // namespace hybrid
