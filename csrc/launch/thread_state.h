// ThreadState: what a thread's operators go by: their mode, their site, what an interrupt does.
#pragma once
#include <cstdint>

namespace hybrid {

// Per thread. Every front-end slot tests `mode` once.
enum Mode : uint32_t { kEager = 0, kRecording = 1, kTracing = 2 };
// What an interruption does to a program that is submitted: it is discarded; or it is, and what it
// was to compute is recorded again (bind/taken_back.h); or it goes on.
enum class OnInterrupt : uint8_t { discard, take_back, go_on };
struct ThreadState {
  uint32_t mode = kEager;  // bits: recording, tracing
  bool training = false;   // train_mode / predict_mode
  uint32_t site = 0;       // current push site; 0: trace::current_site()
  int32_t segment = 0;     // of a traced cell, given to new nodes
  bool settled = false;    // what reads memory that is overwritten has been computed
  bool aside = false;      // a trace goes on once a call has ended: bind/long_calls.h
  bool awaited = false;    // who submits a program waits for it at once
  bool windows = false;    // an operator that can gives a window on its input, not a copy
  bool updates = false;    // what is written is the next state of what is there
  OnInterrupt on_interrupt = OnInterrupt::discard;
  uint32_t writes = 0;  // in-place writes of this thread's trace that wait: array/trace_writes.h
};
ThreadState& thread_state();

// Sets one of its flags for as long as the scope lasts.
class FlagScope {
 public:
  FlagScope(bool* flag, bool value) : flag_(flag), before_(*flag) { *flag = value; }
  ~FlagScope() { *flag_ = before_; }

 private:
  bool* flag_;
  bool before_;
};

uint32_t current_site();  // of this thread, 0 unknown

}  // namespace hybrid
