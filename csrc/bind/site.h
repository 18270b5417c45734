// Push sites: the line of the user's code that is running now.
#pragma once
#include <Python.h>

#include <cstdint>

namespace hybrid {
namespace bind {

// Interned site of the innermost Python frame that is not library code; 0 when there is none.
// A dictionary look-up a call; decoded to line and column at the first use of an instruction.
uint32_t user_site();
// The line alone, for small operators that would take as long as that look-up: three calls where
// the line before runs on. 0 in library code, too, and while lines take turns so often that a
// record of each operator would cost as much as itself: then the trace has one of all. `now`: in
// ticks.
uint32_t line_of_run(uint32_t name, uint64_t now);
// Where the innermost frame that is not library code is, if that is a recorded cell's: a rewritten
// one. Its code is borrowed.
struct SeenPlace {
  PyCodeObject* code = nullptr;
  int instruction = 0;
  bool operator==(const SeenPlace& other) const {
    return code == other.code && instruction == other.instruction;
  }
};
SeenPlace seen_place();
// Also sets it as the site of what this thread pushes, records and traces next.
uint32_t mark_site();

}  // namespace bind
}  // namespace hybrid
