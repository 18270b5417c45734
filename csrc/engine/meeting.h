// Meetings: operators of several devices that wait for each other while they run, and tell each
// other numbers.
//
// The calls of a key pair up in the order in which they are pushed: the first of every device, the
// second of every device and so on. On one device operators that meet run in the order in which
// they were pushed, so that devices never wait for each other crosswise. While one waits its lane
// runs others, on which the other devices may depend.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/context.h"
#include "core/kernel_cost.h"
#include "core/storage.h"

namespace hybrid {

class Resources;

namespace engine {

using Told = std::vector<double>;

struct Meeting;

// What one operator takes part in: its seats are taken when it is pushed. Those that it has not
// used when it is gone stay empty, and whoever waits there gets an error.
class Seats {
 public:
  Seats() = default;
  ~Seats();
  Seats(const Seats&) = delete;
  Seats& operator=(const Seats&) = delete;

  // `devices` in all. `bytes`: that each tells the others, on the modelled clock; `kernel`: which
  // of the operator's. Throws Error in naive mode, where nothing can wait for a later call, and for
  // another number of devices than the others' calls give.
  void take(const std::string& key, int devices, Context device, double bytes, int32_t kernel);
  bool empty() const { return seats_.empty(); }
  // What all operators of a device that meet write, so that they run in order.
  Storage* order() const { return order_.get(); }
  bool is_order(const Var& var) const { return order_.get() && &order_->var == &var; }
  const std::vector<model::Meet>& modelled() const { return modelled_; }

  // Waits at the first seat of this key that is not used yet; what everybody tells, in the order of
  // the devices. Throws Error when somebody will not come.
  std::vector<Told> meet(const std::string& key, Told own, Resources& resources);

 private:
  struct Seat {
    std::shared_ptr<Meeting> meeting;
    size_t place = 0;
    bool used = false;
  };
  std::vector<Seat> seats_;
  std::vector<model::Meet> modelled_;
  Context device_;
  StorageRef order_;
};

// Operators that wait in meetings now.
int num_meeting();
// Is a call of some device still to come?
bool awaits_calls();
// Does nothing go on but operators that wait in meetings?
bool only_meetings();
// Waits for all else.
void wait_for_what_goes_on();
// Could a thread other than the caller's still call? Asked when nothing runs and a wait depends on
// it; the binding sets it. Without one: none could.
void set_callers_check(bool (*others_may_call)());
bool others_may_call();
// Ends all meetings that are not over: those who wait, and who come later, get this error after a
// text that names the meeting.
void end_meetings(const std::string& why);
// Those that lack a call which will not come, as the user knows: wait_all() does not say it.
void end_open_meetings(const std::string& why);

}  // namespace engine
}  // namespace hybrid
