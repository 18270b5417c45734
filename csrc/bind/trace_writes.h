// The front end's side of in-place writes in a trace.
#pragma once
#include <cstdint>

namespace hybrid {
namespace bind {

// Everything recorded so far is computed and written, naming why.
void leave_trace_for(const char* why);
// The same, and nothing more is recorded: the rest of the cell runs as written.
void end_trace_for(const char* why);
// Why that is done where devices meet: a recorded cell waits for all that it has pushed, which for
// an operator of one device would be for ever.
constexpr const char* kMeets = "operators of several devices wait for each other";
// A call has recorded so many operators, and called backward() so often: computes everything and
// returns true where its rest is to run imperatively.
bool put_trace_aside(int64_t operators, int steps);

}  // namespace bind
}  // namespace hybrid
