#include "model/memory_track.h"

#include <algorithm>

namespace hybrid {
namespace model {
namespace {

constexpr size_t kMostChanges = size_t{1} << 18;

}  // namespace

void MemoryTrack::add(const MemoryChange& change) {
  held_[change.device] += change.bytes;
  changes_.push_back(change);
  if (changes_.size() <= kMostChanges) return;
  const MemoryChange& oldest = changes_.front();
  forgotten_[oldest.device][oldest.kind] += oldest.bytes;
  changes_.pop_front();
  ++first_;
}

void MemoryTrack::taken(const Storage& block, uint8_t kind, double time_s) {
  if (block.bytes == 0) return;
  const MemoryChange taken{time_s, static_cast<int64_t>(round_to_64(block.bytes)),
                           static_cast<uint16_t>(block.ctx.id), kind};
  blocks_[&block.var] = {taken, time_s};
  add(taken);
}

void MemoryTrack::is(const Storage& block, uint8_t kind, double time_s) {
  const auto found = blocks_.find(&block.var);
  if (found == blocks_.end()) return;
  MemoryChange& taken = found->second.taken;
  if (taken.kind == kind) return;
  taken.time_s = time_s;
  taken.bytes = -taken.bytes;
  add(taken);
  taken.bytes = -taken.bytes;
  taken.kind = kind;
  add(taken);
}

void MemoryTrack::used(const void* variable, double time_s) {
  const auto found = blocks_.find(variable);
  if (found == blocks_.end()) return;
  found->second.used_s = std::max(found->second.used_s, time_s);
}

bool MemoryTrack::take_out(const Storage& block, double time_s, MemoryChange* given_back) {
  const auto found = blocks_.find(&block.var);
  if (found == blocks_.end()) return false;
  *given_back = found->second.taken;
  given_back->bytes = -given_back->bytes;
  given_back->time_s = std::max(time_s, found->second.used_s);
  blocks_.erase(found);
  return true;
}

MemorySeen MemoryTrack::seen(uint64_t from, bool before, bool changes) const {
  MemorySeen all;
  all.next = first_ + changes_.size();
  all.lost = from < first_ ? first_ - from : 0;
  const auto begin = static_cast<ptrdiff_t>(std::clamp(from, first_, all.next) - first_);
  if (before) all.before = held_at(changes_.begin() + begin);
  if (changes) all.changes.assign(changes_.begin() + begin, changes_.end());
  return all;
}

std::vector<MemoryChange> MemoryTrack::held_at(Place end) const {
  int64_t held[kMaxGpus][held::kKinds];
  std::copy(&forgotten_[0][0], &forgotten_[0][0] + kMaxGpus * held::kKinds, &held[0][0]);
  for (Place at = changes_.begin(); at != end; ++at) held[at->device][at->kind] += at->bytes;
  std::vector<MemoryChange> all;
  for (uint16_t device = 0; device < kMaxGpus; ++device) {
    for (uint8_t kind = 0; kind < held::kKinds; ++kind) {
      if (held[device][kind]) all.push_back({0, held[device][kind], device, kind});
    }
  }
  return all;
}

}  // namespace model
}  // namespace hybrid
