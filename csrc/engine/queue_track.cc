#include "engine/queue_track.h"

#include <algorithm>

namespace hybrid {
namespace engine {
namespace {

bool same_counts(const trace::Queue& a, const trace::Queue& b) {
  return a.waiting == b.waiting && a.ready == b.ready && a.running == b.running;
}

}  // namespace

trace::Queue QueueTrack::count() const {
  trace::Queue found;
  uint32_t pending = 0;
  for (const Lane* const lane : lanes_) {
    pending += lane->pending;
    found.ready += static_cast<uint32_t>(lane->num_ready.load(std::memory_order_relaxed));
    found.running += lane->running != nullptr;
  }
  found.waiting = pending - found.ready - found.running;
  found.used = pool_.used();
  return found;
}

void QueueTrack::note(uint64_t now) {
  static const uint64_t interval = trace::ticks_of_ns(100000);
  const trace::Queue found = count();
  if (same_counts(found, now_)) return;
  now = std::max(now, since_);  // pushed earlier than the one before, but counted later
  const bool lasted = now - since_ >= interval && !same_counts(now_, told_);
  if (lasted) tell();
  now_ = found;
  since_ = now;
  if (now - last_ >= interval) tell();
}

void QueueTrack::flush(uint64_t now, bool anyway) {
  if (!same_counts(now_, told_)) tell();
  const int64_t used = pool_.used();
  if (!anyway && used == told_.used && pool_.high() <= used) return;
  now_.used = used;
  since_ = std::max(now, since_);
  tell();
}

void QueueTrack::tell() {
  now_.high = std::max(now_.used, pool_.take_high());
  trace::emit(trace::queue_record(since_, lanes_.front()->id, now_));
  told_ = now_;
  last_ = since_;
}

}  // namespace engine
}  // namespace hybrid
