// QueueTrack: tells the trace what a device's queue holds, and how much of its memory is in use.
#pragma once
#include <vector>

#include "core/pool.h"
#include "engine/lane.h"
#include "engine/trace.h"

namespace hybrid {
namespace engine {

// All under the scheduler's lock.
class QueueTrack {
 public:
  explicit QueueTrack(Pool& pool) : pool_(pool) {}
  void add(const Lane* lane) { lanes_.push_back(lane); }
  // The counts of its lanes are so from `now` on. Told at most every 100 us; what stays as it is
  // for longer is told with the time at which it began.
  void note(uint64_t now);
  // Tells what it has not told yet; `anyway`: what it has told, too.
  void flush(uint64_t now, bool anyway);

  bool touched = false;  // its counts may have changed
  QueueTrack* next_touched = nullptr;

 private:
  trace::Queue count() const;
  void tell();

  Pool& pool_;
  std::vector<const Lane*> lanes_;
  trace::Queue now_, told_;
  uint64_t since_ = 0;  // ticks: when now_ began
  uint64_t last_ = 0;   // ticks: the last record's
};

}  // namespace engine
}  // namespace hybrid
