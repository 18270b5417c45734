// The trace's rings: one writer each (its thread), any number of readers with cursors.
#include "engine/trace.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "core/fork.h"
#include "core/mutex.h"

namespace hybrid {
namespace trace {

namespace {

constexpr uint64_t kCapacity = 16384;  // records a thread keeps
constexpr uint16_t kNoLane = UINT16_MAX;
constexpr int kWords = sizeof(Record) / sizeof(uint64_t);

// A record that one thread writes while others read it: words, each atomic. Stores are releases
// and loads acquires, so that seeing a new word implies seeing what was stored before it.
struct Slot {
  std::atomic<uint64_t> words[kWords];
  void store(const Record& record) {
    uint64_t raw[kWords];
    std::memcpy(raw, &record, sizeof raw);
    for (int i = 0; i < kWords; ++i) words[i].store(raw[i], std::memory_order_release);
  }
  Record load() const {
    uint64_t raw[kWords];
    for (int i = 0; i < kWords; ++i) raw[i] = words[i].load(std::memory_order_acquire);
    Record record;
    std::memcpy(static_cast<void*>(&record), raw, sizeof raw);
    return record;
  }
};

// What a thread executes now; version is odd while it changes, `active` false when nothing.
struct LiveSlot {
  std::atomic<uint32_t> version{0};
  std::atomic<bool> active{false};
  Slot slot;
  Record own;  // the writer's copy
  void set(const Record& record) {
    own = record;
    const uint32_t v = version.load(std::memory_order_relaxed);
    version.store(v + 1, std::memory_order_release);
    slot.store(record);
    active.store(true, std::memory_order_release);
    version.store(v + 2, std::memory_order_release);
  }
  bool read(Record* record) const {
    for (int tries = 0; tries < 8; ++tries) {
      const uint32_t before = version.load(std::memory_order_acquire);
      if (before & 1) continue;
      if (!active.load(std::memory_order_acquire)) return false;
      *record = slot.load();
      if (version.load(std::memory_order_acquire) == before) return true;
    }
    return false;
  }
};

// A run of small operators not yet written out. The lock is almost always uncontended: 2 ns.
struct Run {
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  Record record;
  uint64_t busy = 0;
  uint64_t last_end = 0;
  void acquire() {
    while (lock.test_and_set(std::memory_order_acquire)) cpu_pause();
  }
  void release() { lock.clear(std::memory_order_release); }
  // The run as a record; false when there is none. Under the lock.
  bool take(Record* out) {
    if (record.value == 0) return false;
    record.duration = pack_duration(busy);
    if (record.value > 1) record.flags |= kCoalesced;
    *out = record;
    record.value = 0;
    return true;
  }
};

struct Ring {
  alignas(64) std::atomic<uint64_t> head{0};  // records ever written
  std::unique_ptr<Slot[]> slots{new Slot[kCapacity]};
  LiveSlot span, wait;
  alignas(64) Run run;
  uint16_t lane = kNoLane;  // executed for now
  size_t number = 0;        // of the ring, from 1
  bool in_use = true;       // guarded by the registry

  void write(const Record& record) {
    const uint64_t h = head.load(std::memory_order_relaxed);
    slots[h % kCapacity].store(record);
    head.store(h + 1, std::memory_order_release);
  }
  void end(LiveSlot& live, uint64_t end_ticks, uint8_t more_flags) {
    if (!live.active.load(std::memory_order_relaxed)) return;
    Record record = live.own;
    record.duration = pack_duration(end_ticks - record.start);
    record.flags |= more_flags;
    write(record);
    live.active.store(false, std::memory_order_release);
  }
};

struct Registry {
  Mutex mutex;
  std::vector<Ring*> rings;  // never destroyed; a new thread takes over an ended one's
};

Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

thread_local Ring* this_ring = nullptr;

struct RingOwner {
  Ring* ring;
  ~RingOwner() {
    Guard guard(registry().mutex);
    this_ring = nullptr;
    ring->in_use = false;
  }
};

bool on_main_thread() { return syscall(SYS_gettid) == getpid(); }

__attribute__((noinline)) Ring& make_ring() {
  Registry& all = registry();
  Ring* ring = nullptr;
  {
    Guard guard(all.mutex);
    for (Ring* r : all.rings) {
      if (!r->in_use) ring = r;
    }
    if (!ring) {
      ring = new Ring;
      all.rings.push_back(ring);
      ring->number = all.rings.size();
    }
    ring->in_use = true;
    ring->lane = kNoLane;
  }
  this_ring = ring;
  thread_local RingOwner owner{ring};
  return *ring;
}

// Of a thread that has not been told whose lane it executes: a lane of its own.
uint16_t lane_of(Ring& ring) {
  if (__builtin_expect(ring.lane == kNoLane, false)) {
    const std::string name = on_main_thread() ? "main" : "thread " + std::to_string(ring.number);
    ring.lane = register_lane(name, "cpu(0)", "main", false);
  }
  return ring.lane;
}

inline Ring& ring() {
  Ring* const r = this_ring;
  return __builtin_expect(r != nullptr, true) ? *r : make_ring();
}

std::vector<Ring*> all_rings() {
  Guard guard(registry().mutex);
  return registry().rings;
}

}  // namespace

void emit(const Record& record) { ring().write(record); }

void begin_span(const Record& record) {
  Ring& r = ring();
  (record.kind == static_cast<uint8_t>(Kind::wait) ? r.wait : r.span).set(record);
}

void end_span(uint64_t end, uint8_t more_flags) {
  Ring& r = ring();
  r.end(r.span, end, more_flags);
}

Record drop_span() {
  LiveSlot& span = ring().span;
  if (!span.active.load(std::memory_order_relaxed)) return {};
  span.active.store(false, std::memory_order_release);
  return span.own;
}

void end_wait(uint64_t end) {
  Ring& r = ring();
  r.end(r.wait, end, 0);
}

uint16_t current_lane() { return lane_of(ring()); }

void set_current_lane(uint16_t lane) { ring().lane = lane; }

void coalesce(uint32_t name, uint32_t site, uint32_t node, uint8_t flags, uint64_t start,
              uint64_t end) {
  static const uint64_t gap = ticks_of_ns(1000000), longest = ticks_of_ns(10000000);
  Ring& r = ring();
  const uint16_t lane = lane_of(r);
  Run& run = r.run;
  run.acquire();
  Record& open = run.record;
  if (open.value != 0 && open.name == name && open.site == site && open.node == node &&
      open.flags == flags && open.lane == lane && start - run.last_end < gap &&
      end - open.start < longest) {
    ++open.value;
    run.busy += end - start;
    run.last_end = end;
    run.release();
    return;
  }
  Record done;
  const bool any = run.take(&done);
  open = Record();
  open.start = start;
  open.name = name;
  open.site = site;
  open.node = node;
  open.flags = flags;
  open.lane = lane;
  open.value = 1;
  run.busy = end - start;
  run.last_end = end;
  run.release();
  if (any) r.write(done);
}

struct Cursor {
  std::vector<uint64_t> at;  // by ring: records already read
};

Cursor* new_cursor(bool from_oldest) {
  auto* cursor = new Cursor;
  if (!from_oldest) {
    for (Ring* r : all_rings()) cursor->at.push_back(r->head.load(std::memory_order_acquire));
  }
  return cursor;
}

void free_cursor(Cursor* cursor) { delete cursor; }

namespace {

// Copies what a cursor has not seen of one ring; a record overwritten meanwhile counts as lost.
void read_ring(const Ring& r, uint64_t* at, size_t max_records, Drained* out) {
  const uint64_t head = r.head.load(std::memory_order_acquire);
  // The oldest slot may be in the middle of being overwritten: it is never read.
  const uint64_t oldest = head >= kCapacity ? head - kCapacity + 1 : 0;
  if (*at < oldest) {
    out->lost += oldest - *at;
    *at = oldest;
  }
  const size_t first = out->records.size();
  const uint64_t begin = *at;
  while (*at < head && out->records.size() < max_records) {
    out->records.push_back(r.slots[(*at)++ % kCapacity].load());
  }
  const uint64_t now = r.head.load(std::memory_order_acquire);
  const uint64_t valid = now >= kCapacity ? now - kCapacity + 1 : 0;
  if (valid > begin) {
    const uint64_t bad = std::min(valid, *at) - begin;
    const auto from = out->records.begin() + static_cast<std::ptrdiff_t>(first);
    out->records.erase(from, from + static_cast<std::ptrdiff_t>(bad));
    out->lost += bad;
  }
}

void add_running(const LiveSlot& live, uint64_t now, std::vector<Record>* out) {
  Record record;
  if (!live.read(&record)) return;
  record.duration = now > record.start ? pack_duration(now - record.start) : 0;
  record.flags |= kRunning;
  out->push_back(record);
}

}  // namespace

Drained drain(Cursor* cursor, size_t max_records) {
  Drained out;
  // Open runs are written to this thread's ring, since each ring has one writer: the lane in the
  // record says whose they are.
  Ring& own = ring();
  for (Ring* r : all_rings()) {
    Record record;
    r->run.acquire();
    const bool any = r->run.take(&record);
    r->run.release();
    if (any) own.write(record);
  }
  const std::vector<Ring*> rings = all_rings();
  cursor->at.resize(rings.size(), 0);
  for (size_t i = 0; i < rings.size(); ++i) {
    if (rings[i] != &own) read_ring(*rings[i], &cursor->at[i], max_records, &out);
  }
  for (size_t i = 0; i < rings.size(); ++i) {
    if (rings[i] == &own) read_ring(*rings[i], &cursor->at[i], max_records, &out);
  }
  const uint64_t now = ticks();
  for (Ring* r : rings) {
    add_running(r->span, now, &out.running);
    add_running(r->wait, now, &out.running);
  }
  return out;
}

namespace {

void after_fork(bool child) {
  if (child) {  // the other threads are not there any more
    for (Ring* r : registry().rings) {
      if (r == this_ring) continue;
      r->in_use = false;
      r->span.active.store(false);
      r->wait.active.store(false);
      r->run.release();
    }
  }
  registry().mutex.unlock();
}

const bool held_over_fork =
    hold_over_fork(ForkStage::trace, {[] { registry().mutex.lock(); }, after_fork});

}  // namespace

}  // namespace trace
}  // namespace hybrid
