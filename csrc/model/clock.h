// The modelled clock: what the engine is given, in the time that the modelled machine would take.
//
// The host's clock advances by its threads' own processor time and by what each push to a GPU
// costs; a wait takes it to the end of what it waits for. GPUs' lanes and links follow the
// simulation. Nothing here computes: the engine runs the operators meanwhile, or leaves them out.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/modelled.h"
#include "model/machine.h"
#include "model/memory_track.h"

namespace hybrid {
namespace model {

// A new clock at 0 for this machine. Nothing is pending in the engine. Throws Error when the
// machine is not well described, and then nothing is changed.
void start(const Machine& machine);
void stop();

enum class SpanKind : uint8_t { kernel, copy, dispatch, wait };
struct Span {  // fixed
  double start_s = 0, seconds = 0;
  double queued_s = 0;  // from its push until it could begin and its lane was free
  double flops = 0, bytes = 0;
  double peak = 0;  // of a kernel: FLOP/s that the device could reach in its type
  uint32_t name = 0, site = 0, node = 0, serial = 0;
  uint16_t lane = 0;
  uint8_t kind = 0;
  uint8_t number = 0;  // of a copy: how many links it crosses
};
struct LaneInfo {
  std::string name, device, kind;  // kind: a LaneKind's name, link or host
};
struct Late {
  uint16_t lane;
  double computed_s;  // up to there everything that this lane has run is really computed
};
struct Seen {
  std::vector<Span> spans;      // in the order of their ends
  std::vector<LaneInfo> lanes;  // all, by number
  std::vector<Late> late;       // of lanes whose operators are not all computed
  double now_s = 0;
  uint64_t first = 0, kept = 0;  // number of the first span that is kept, and how many are
  uint64_t next = 0;             // number of the first span that is still to come
  uint64_t lost = 0;             // of those asked for
  uint64_t clock = 0;            // counts starts
};
// Spans from that number on, at most so many. The numbers begin with the clock.
Seen seen(uint64_t from, size_t most);
// The same of the memory of GPUs: what was held before, and the changes, where they are asked for.
MemorySeen memory_seen(uint64_t from, bool before, bool changes);

}  // namespace model
}  // namespace hybrid
