// Recorded programs that are under way: what they compute stays recorded until they are done, so
// that what an interruption ends is pending again.
#pragma once
#include "bind/array_object.h"
#include "launch/thread_state.h"

namespace hybrid {
namespace bind {

// Around the submission of one program of recorded work. One that an interruption does not end is
// submitted when nothing is under way whose end would reach it.
class Submission {
 public:
  explicit Submission(OnInterrupt on_interrupt);
  ~Submission() { thread_state().on_interrupt = before_; }
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;
  void made(const std::vector<NDArray>& results) const;

 private:
  OnInterrupt before_;
};

// A traced object has got this value. True when it is under way: what it is computed from is then
// forgotten later, where `forgets` says so.
bool keep_until_done(PyArray* array, const NDArray& value, bool forgets);
void forget_done();                          // lets go of what programs that are done have used
void wait_until_done(const NDArray& value);  // when it is under way; raises nothing of its own
// Waits for what is under way. Values that an interruption has ended are pending again, if all that
// they are computed from is as it was.
void take_back_discarded();

}  // namespace bind
}  // namespace hybrid
