#include "launch/thread_state.h"

#include "core/held_blocks.h"
#include "engine/trace.h"

namespace hybrid {
namespace {

const bool told = [] {
  held::set_recording([] { return (thread_state().mode & kRecording) != 0; });
  return true;
}();

}  // namespace

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

uint32_t current_site() {
  const uint32_t site = thread_state().site;
  return site ? site : trace::current_site();
}

}  // namespace hybrid
