// RunTimes in Python: what a segment of a cell has taken on its devices.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "bind/common.h"
#include "core/ndarray.h"
#include "engine/run_time.h"

namespace hybrid {
namespace bind {

// A run that has met floating-point exceptions, or may still meet some, and what it started from.
struct WatchedRun {
  std::shared_ptr<engine::FloatWatch> watch;
  std::vector<NDArray> inputs;
  std::vector<uint64_t> keys;
};

struct PyRunTimes {
  std::vector<WatchedRun> watched;  // to be taken by whoever issues warnings
  std::shared_ptr<engine::RunTimes> own = std::make_shared<engine::RunTimes>();
  std::deque<std::shared_ptr<engine::RunTimes>> taken;  // from others, some of it not over then
};

// While it lives, programs that this thread runs tell `times` how long they take; null: nobody.
class TimedRun {
 public:
  explicit TimedRun(PyRunTimes* times);
  // The run was handed over: what it starts from is kept where that may be asked for.
  void watch(const std::vector<NDArray>& inputs, const std::vector<uint64_t>& keys);

 private:
  PyRunTimes* const times_;
  const std::shared_ptr<engine::FloatWatch> watch_;
  const engine::RunTimeRef time_;
  const engine::RunTimeScope scope_;
};

void bind_run_times(py::module_& m);

}  // namespace bind
}  // namespace hybrid
