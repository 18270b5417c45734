// Does everything fit below a capacity? A depth-first search with proofs, after the skyline's idea.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "plan/place.h"

namespace hybrid {
namespace place {

// Which buffer a search places next: the least of offset + slack_weight * slack of its tightest
// section; ties by key, largest first.
struct Preference {
  double slack_weight = 1.0;
  std::vector<double> key;
};

// States that were proven to be impossible, by hash: open addressing, full at three quarters.
class FailedStates {
 public:
  bool contains(uint64_t hash) const;
  void insert(uint64_t hash);
  void clear();

 private:
  std::vector<uint64_t> slots_;
  size_t count_ = 0;
};

// Every solution can be pushed down until each buffer lies at zero or upon another, its support.
// So a buffer is either placed at its lowest offset, which what is placed supports, or, once that
// was tried in vain, it waits above the lowest top of a buffer that is still to come.
class CapacitySearch {
 public:
  enum class Outcome { fits, impossible, stopped };

  explicit CapacitySearch(const Problem& problem);  // needs neighbours
  // Can sizes be counted in 32 bits (in units of their common divisor)?
  bool possible() const { return unit_ > 0; }
  int64_t unit() const { return unit_; }
  // `work` is counted in steps of about a nanosecond; `go_on` is asked now and then. What was
  // proven serves later runs with the same or a smaller capacity.
  Outcome run(int64_t capacity, const Preference& preference, int64_t work,
              const std::function<bool()>& go_on = {});
  int64_t work_done() const { return work_; }
  Placement placement() const;  // after Outcome::fits

 private:
  struct Saved {
    int32_t offset, floor;
    bool waits;
  };
  bool place_all(const int32_t* group, int32_t count);  // splits where no buffer crosses
  bool place_connected(const int32_t* group, int32_t count);
  int32_t choose(const int32_t* group, int32_t count);
  void put(int32_t buffer);
  void take_back(int32_t buffer);
  bool raise_waiting(const int32_t* group, int32_t count);
  bool bound_holds(const int32_t* group, int32_t count);
  bool out_of_work();
  void save(const int32_t* group, int32_t count, std::vector<Saved>* to) const;
  void restore(const int32_t* group, int32_t count, const std::vector<Saved>& from);
  uint64_t hash(const int32_t* group, int32_t count) const;

  const Problem& p_;
  const Preference* preference_ = nullptr;
  const std::function<bool()>* go_on_ = nullptr;
  int64_t unit_ = 0;
  int32_t capacity_ = 0;
  int64_t work_ = 0, limit_ = 0, ask_at_ = 0;
  bool stopped_ = false;
  std::vector<int32_t> size_, load_;     // in units
  std::vector<int32_t> offset_, floor_;  // lowest offset known; top of what is placed below
  std::vector<uint8_t> placed_, waits_, open_;
  std::vector<int32_t> order_;               // what is placed, the latest last
  std::vector<int32_t> remaining_, lowest_;  // by section: to come; lowest offset of these
  std::vector<int32_t> support_;             // scratch of raise_waiting
  std::vector<std::pair<int32_t, int32_t>> heap_;
  std::vector<int32_t> waiting_;
  int64_t proven_at_ = 0;
  FailedStates failed_;
};

}  // namespace place
}  // namespace hybrid
