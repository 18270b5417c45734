// Spans that are too many for one frame: short ones that begin in the same slice of time become
// one.
#include <algorithm>
#include <tuple>

#include "engine/trace.h"

namespace hybrid {
namespace trace {

namespace {

constexpr int kFirstShift = 14, kLastShift = 63;  // slices of 2^shift ticks, from some us on

bool is_long(const Record& r, int shift) { return (uint64_t{extent_of(r)} << 4) >> shift; }

uint64_t end_of(const Record& r) { return r.start + (uint64_t{extent_of(r)} << 4); }

bool in_one_slice(const Record& a, const Record& b, int shift) {
  return a.lane == b.lane && a.kind == b.kind && a.start >> shift == b.start >> shift;
}

void add(Record* to, uint32_t* longest, const Record& r) {
  const uint64_t end = std::max(end_of(*to), end_of(r));
  to->site = to->site == r.site ? r.site : 0;
  to->node = to->node == r.node ? r.node : 0;
  if (*longest < r.duration) to->name = r.name;
  *longest = std::max(*longest, r.duration);
  to->duration = pack_duration((uint64_t{to->duration} + r.duration) << 4);
  to->extent = pack_duration(end - to->start);
  to->value = operators(*to) + operators(r);
  to->serial = 0;                                 // of several
  constexpr uint8_t kAll = kInline | kCoalesced;  // said only where it is true of all
  to->flags = static_cast<uint8_t>((to->flags & r.flags & kAll) | ((to->flags | r.flags) & ~kAll) |
                                   kMerged);
}

}  // namespace

void merge_spans(std::vector<Record>* records, size_t most) {
  const auto is_other = [](const Record& r) {
    return !is_span(r) && r.kind != static_cast<uint8_t>(Kind::wait);
  };
  const auto spans = std::stable_partition(records->begin(), records->end(), is_other);
  const auto count = static_cast<size_t>(records->end() - spans);
  if (count <= most) return;
  // Pointers move faster than records, and mostly they are in order as they came.
  std::vector<const Record*> sorted;
  sorted.reserve(count);
  for (auto r = spans; r != records->end(); ++r) sorted.push_back(&*r);
  const auto before = [](const Record* a, const Record* b) {
    return std::tie(a->lane, a->kind, a->start) < std::tie(b->lane, b->kind, b->start);
  };
  if (!std::is_sorted(sorted.begin(), sorted.end(), before)) {
    std::sort(sorted.begin(), sorted.end(), before);
  }
  // The shortest slices that make them few enough.
  int shift = kFirstShift;
  for (; shift < kLastShift; ++shift) {
    size_t left = 0;
    const Record* last = nullptr;  // the short one before
    for (const Record* r : sorted) {
      const bool alone = is_long(*r, shift);
      left += alone || !last || !in_one_slice(*last, *r, shift);
      if (!alone) last = r;
    }
    if (left <= most) break;
  }
  std::vector<Record> merged;
  constexpr size_t kNone = SIZE_MAX;
  size_t last = kNone;   // the last short one
  uint32_t longest = 0;  // of those in it
  for (const Record* r : sorted) {
    const bool alone = is_long(*r, shift);
    if (!alone && last != kNone && in_one_slice(merged[last], *r, shift)) {
      add(&merged[last], &longest, *r);
      continue;
    }
    if (!alone) {
      last = merged.size();
      longest = r->duration;
    }
    merged.push_back(*r);
  }
  std::sort(merged.begin(), merged.end(),
            [](const Record& a, const Record& b) { return a.start < b.start; });
  records->erase(spans, records->end());
  records->insert(records->end(), merged.begin(), merged.end());
}

}  // namespace trace
}  // namespace hybrid
