// The front end's side of in-place writes in a trace.
#pragma once

namespace hybrid {
namespace bind {

// Everything recorded so far is computed and written, naming why.
void leave_trace_for(const char* why);

}  // namespace bind
}  // namespace hybrid
