// RunTimes in Python: what a segment of a cell has taken on its devices.
#pragma once
#include <deque>
#include <memory>

#include "bind/common.h"
#include "engine/run_time.h"

namespace hybrid {
namespace bind {

struct PyRunTimes {
  std::shared_ptr<engine::RunTimes> own = std::make_shared<engine::RunTimes>();
  std::deque<std::shared_ptr<engine::RunTimes>> taken;  // from others, some of it not over then
};

// While it lives, programs that this thread runs tell `times` how long they take; null: nobody.
class TimedRun {
 public:
  explicit TimedRun(const PyRunTimes* times);

 private:
  const engine::RunTimeRef time_;
  const engine::RunTimeScope scope_;
};

void bind_run_times(py::module_& m);

}  // namespace bind
}  // namespace hybrid
