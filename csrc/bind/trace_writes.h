// The front end's side of in-place writes in a trace.
#pragma once
#include <cstdint>

namespace hybrid {
namespace bind {

// Everything recorded so far is computed and written, naming why.
void leave_trace_for(const char* why);
// A call has recorded so many operators, and called backward() so often: computes everything and
// returns true where its rest is to run imperatively.
bool put_trace_aside(int64_t operators, int steps);

}  // namespace bind
}  // namespace hybrid
