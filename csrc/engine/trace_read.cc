// Readers of the trace's rings: what is new for each, and what was overwritten before it came.
#include <algorithm>
#include <unordered_map>

#include "engine/trace_ring.h"

namespace hybrid {
namespace trace {

struct LaneSeen {
  uint32_t operators = 0;  // with those in gaps
  uint64_t end = 0;        // ticks: the last one's
};

// What a reader has seen of a ring.
struct Seen {
  uint64_t at = 0;  // records
  std::unordered_map<uint16_t, LaneSeen> lanes;
};

struct Cursor {
  std::vector<Seen> rings;
  uint64_t began = ticks();
};

namespace {

// Copies what was recorded since `at` of a ring, as far as it is still there. Is any of it not?
bool read_ring(const Ring& r, uint64_t* at, std::vector<Record>* out) {
  const uint64_t head = r.head.load(std::memory_order_acquire);
  // The oldest slot may be in the middle of being overwritten: it is never read.
  const auto oldest = [](uint64_t h) { return h >= kCapacity ? h - kCapacity + 1 : 0; };
  const uint64_t begin = std::max(*at, oldest(head));
  const bool late = begin > *at;
  out->reserve(head - begin);
  for (uint64_t i = begin; i < head; ++i) out->push_back(r.slots[i % kCapacity].load());
  *at = head;
  const uint64_t valid = oldest(r.head.load(std::memory_order_acquire));
  if (valid <= begin) return late;
  const uint64_t bad = std::min(valid, head) - begin;  // overwritten meanwhile
  out->erase(out->begin(), out->begin() + static_cast<std::ptrdiff_t>(bad));
  return late || bad > 0;
}

// So many operators of a lane are behind the reader: those that it has not seen are a gap.
void add_gap(uint16_t lane, LaneSeen* seen, uint32_t count, uint64_t began, uint64_t until,
             std::vector<Gap>* gaps) {
  const auto missing = static_cast<int32_t>(count - seen->operators);
  if (missing <= 0) return;
  seen->operators = count;
  const uint64_t from = seen->end ? seen->end : began;
  gaps->push_back({lane, static_cast<uint32_t>(missing), std::min(from, until), until});
}

void read_new(const Ring& r, Seen* seen, uint64_t began, Drained* out) {
  const auto counts = r.operators.all();
  std::vector<Record> found;
  const bool any_lost = read_ring(r, &seen->at, &found);
  for (const Record& record : found) {
    if (!is_span(record)) continue;
    LaneSeen& lane = seen->lanes[record.lane];
    if (any_lost) add_gap(record.lane, &lane, record.before, began, record.start, &out->gaps);
    lane.operators = record.before + operators(record);
    lane.end = std::max(lane.end, record.start + (uint64_t{extent_of(record)} << 4));
  }
  out->records.insert(out->records.end(), found.begin(), found.end());
  if (!any_lost) return;
  for (const auto& [lane, count] : counts) {  // of some lanes perhaps nothing is left
    add_gap(lane, &seen->lanes[lane], count, began, ticks(), &out->gaps);
  }
}

void add_running(const LiveSlot& live, uint64_t now, std::vector<Record>* out) {
  Record record;
  if (!live.read(&record)) return;
  set_times(&record, now);
  record.flags |= kRunning;
  out->push_back(record);
}

}  // namespace

Cursor* new_cursor(bool from_oldest) {
  auto* cursor = new Cursor;
  if (from_oldest) {
    cursor->began -=
        ticks_of_ns(to_ns(cursor->began));  // what is not there any more ran since then
    return cursor;
  }
  for (Ring* r : all_rings()) {
    Seen seen{r->head.load(std::memory_order_acquire), {}};
    for (const auto& [lane, count] : r->operators.all()) seen.lanes[lane].operators = count;
    cursor->rings.push_back(std::move(seen));
  }
  return cursor;
}

void free_cursor(Cursor* cursor) { delete cursor; }

Drained drain(Cursor* cursor) {
  Drained out;
  // Open runs are written to this thread's ring, since each ring has one writer: the lane in the
  // record says whose they are.
  Ring& own = this_threads_ring();
  for (Ring* r : all_rings()) {
    Record record;
    r->run.acquire();
    const bool any = r->run.take(&record);
    r->run.release();
    if (any) own.write(record);
  }
  const std::vector<Ring*> rings = all_rings();
  cursor->rings.resize(rings.size());
  for (const bool is_own : {false, true}) {
    for (size_t i = 0; i < rings.size(); ++i) {
      if ((rings[i] == &own) == is_own) {
        read_new(*rings[i], &cursor->rings[i], cursor->began, &out);
      }
    }
  }
  const uint64_t now = ticks();
  for (Ring* r : rings) {
    add_running(r->span, now, &out.running);
    add_running(r->wait, now, &out.running);
  }
  return out;
}

}  // namespace trace
}  // namespace hybrid
