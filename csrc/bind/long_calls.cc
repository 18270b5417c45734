#include "bind/long_calls.h"

#include "bind/invoke.h"
#include "bind/site.h"
#include "bind/trace_writes.h"
#include "symbol/symbol.h"
#include "trace/pending.h"

namespace hybrid {
namespace bind {

namespace {

// A library's forward pass, or one step of its training, is worth a graph whatever its size; steps
// that repeat are not, nor is what is so small that recording it never pays.
constexpr int64_t kFewOperators = 256, kManyOperators = 1024, kMostOperators = 4096;
constexpr int kManySteps = 3;
constexpr double kSmallNs = 20e3;  // what recording and compiling an operator takes
constexpr int64_t kNever = INT64_MAX;

struct Call {
  int64_t since = 0;  // the last serial before
  double ns = 0;      // recorded before
  int steps = 0;      // calls of backward()
  int64_t look_at = kFewOperators;
  SeenPlace place;  // of the cell's code, once it is put aside
};
thread_local Call call;

bool has_enough(int64_t operators) {
  if (call.steps >= kManySteps || operators >= kMostOperators) return true;
  const double each_ns = (recorded_ns() - call.ns) / static_cast<double>(operators);
  return operators >= kManyOperators && each_ns < kSmallNs;
}

}  // namespace

void note_call() {
  call = Call();
  call.since = last_serial();
  call.ns = recorded_ns();
}

void note_call_backward() { ++call.steps; }

bool leaves_call() {
  ThreadState& state = thread_state();
  if ((state.mode & kRecording) != 0) return false;
  const int64_t operators = last_serial() - call.since;
  if (operators < call.look_at) return false;
  call.look_at = operators + kFewOperators / 4;
  if (!has_enough(operators)) return false;
  const uint32_t site = state.site;
  if (!put_trace_aside(operators, call.steps)) {
    call.look_at = kNever;
    return false;
  }
  state.site = site;
  state.mode &= ~static_cast<uint32_t>(kTracing);
  state.aside = true;
  call.place = seen_place();
  return true;
}

bool returned_from_call() {
  const SeenPlace here = seen_place();
  if (here.code == nullptr || here == call.place) return false;
  thread_state().aside = false;
  thread_state().mode |= kTracing;
  note_call();
  return true;
}

void bind_long_calls(py::module_& m) {
  m.def("note_call", &note_call,
        "The cell's own code calls something, or goes on in a loop of its own.");
}

}  // namespace bind
}  // namespace hybrid
