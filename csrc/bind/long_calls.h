// Calls of a recorded cell that record on and on: loops of code that nobody rewrote, in a module or
// a library. Their rest runs imperatively, as it would without the cell.
#pragma once
#include "launch/thread_state.h"

namespace hybrid {
namespace bind {

// The cell's own code calls something, or goes on in a loop of its own: what is recorded from here
// on is another call's.
void note_call();
void note_call_backward();  // backward() is recorded
// Before an operator is recorded: has the call recorded so much that the trace was put aside?
bool leaves_call();
// The trace was put aside: has the call come back to the cell's own code, which goes on with it?
bool returned_from_call();

}  // namespace bind
}  // namespace hybrid
