// What the engine tells the modelled clock, while that is on. csrc/model defines all of this.
#pragma once
#include "core/modelled.h"
#include "engine/engine.h"

namespace hybrid {
namespace model {

// An operator enters the queue, in program order; `serial` as in the trace.
void pushed(const engine::Props& props, Storage* const* reads, int num_reads,
            Storage* const* writes, int num_writes, uint32_t serial);
void computed(uint32_t serial);    // it has really run, or never will
void dismissed(uint64_t meeting);  // it will not be complete: who waits there goes on
void dropped_all();                // nothing that was pushed will run any more
// The calling thread waits for what writes a variable, or for all that uses it; for everything.
// False: that waits for a device which has not called.
bool wait_for(engine::Var& var, bool only_writers);
bool wait_for_all();
// What the calling thread does meanwhile is not the program's own work.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
};

}  // namespace model
}  // namespace hybrid
