#include "launch/thread_state.h"

#include "engine/trace.h"

namespace hybrid {

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

uint32_t current_site() {
  const uint32_t site = thread_state().site;
  return site ? site : trace::current_site();
}

}  // namespace hybrid
