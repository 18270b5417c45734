// Spans that are too many for one frame: short ones of one name and line that begin in the same
// slice of time become one.
#include <algorithm>
#include <array>
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

constexpr size_t kMostKinds = 8;  // told apart in a slice; what is of others becomes one

// The kinds of spans, those of one name and line, in one slice after the other.
class Slice {
 public:
  struct Found {
    size_t kind;
    bool is_first;
  };

  explicit Slice(size_t most) : most_(most) {}  // kinds told apart

  Found find(const Record& r, int shift) {
    if (size_ && !in_one_slice(*first_[0], r, shift)) size_ = 0;
    for (size_t i = 0; i < std::min(size_, most_); ++i) {
      if (first_[i]->name == r.name && first_[i]->site == r.site) return {i, false};
    }
    if (size_ > most_) return {most_, false};
    first_[size_] = &r;
    return {size_++, true};
  }

 private:
  size_t most_;
  size_t size_ = 0;
  std::array<const Record*, kMostKinds + 1> first_{};
};

// How many they become.
size_t number_of(const std::vector<const Record*>& spans, size_t kinds, int shift) {
  Slice slice(kinds);
  return std::count_if(spans.begin(), spans.end(), [&](const Record* r) {
    return is_long(*r, shift) || slice.find(*r, shift).is_first;
  });
}

void add(Record* to, const Record& r) {
  const uint64_t end = std::max(end_of(*to), end_of(r));
  to->site = to->site == r.site ? r.site : 0;
  to->node = to->node == r.node ? r.node : 0;
  to->name = to->name == r.name ? r.name : 0;
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
  // The shortest slices that make them few enough; kinds are told apart where that is possible.
  size_t kinds = kMostKinds;
  if (number_of(sorted, kinds, kLastShift) > most) kinds = 0;
  int shift = kFirstShift;
  while (shift < kLastShift && number_of(sorted, kinds, shift) > most) ++shift;
  std::vector<Record> merged;
  Slice slice(kinds);
  std::array<size_t, kMostKinds + 1> places{};  // of its kinds
  for (const Record* r : sorted) {
    if (is_long(*r, shift)) {
      merged.push_back(*r);
      continue;
    }
    const auto [kind, is_first] = slice.find(*r, shift);
    if (is_first) {
      places[kind] = merged.size();
      merged.push_back(*r);
    } else {
      add(&merged[places[kind]], *r);
    }
  }
  std::sort(merged.begin(), merged.end(),
            [](const Record& a, const Record& b) { return a.start < b.start; });
  records->erase(spans, records->end());
  records->insert(records->end(), merged.begin(), merged.end());
}

}  // namespace trace
}  // namespace hybrid
