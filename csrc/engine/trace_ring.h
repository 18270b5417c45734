// One thread's ring of the trace: that thread writes it, any number of others read.
#pragma once
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/mutex.h"
#include "engine/trace.h"

namespace hybrid {
namespace trace {

constexpr uint64_t kCapacity = 32768;  // records a thread keeps
constexpr size_t kChunk = 256;
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

// What a live record has done by now. While slow motion holds it, its extent is 0; then the hold.
inline void set_times(Record* record, uint64_t now) {
  const uint32_t length = now > record->start ? pack_duration(now - record->start) : 0;
  const uint32_t held = record->extent;
  record->duration = length;
  if (!(record->flags & kArtificial)) return;
  record->extent = length;
  record->duration = held == 0 || held > length ? 0 : length - held;
}

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
    record.extent = pack_duration(last_end - record.start);
    if (record.value > 1) record.flags |= kCoalesced;
    *out = record;
    record.value = 0;
    return true;
  }
};

// A count for every lane, of which one thread writes and others read.
class Counts {
 public:
  uint32_t get(uint16_t lane) const {
    const Chunk* const chunk = chunks_[lane / kChunk].load(std::memory_order_acquire);
    return chunk ? (*chunk)[lane % kChunk].load(std::memory_order_acquire) : 0;
  }
  void set(uint16_t lane, uint32_t count) {
    std::atomic<Chunk*>& chunk = chunks_[lane / kChunk];
    if (!chunk.load(std::memory_order_relaxed)) chunk.store(new Chunk{}, std::memory_order_release);
    (*chunk.load(std::memory_order_relaxed))[lane % kChunk].store(count, std::memory_order_release);
  }
  // Those that are not zero.
  std::vector<std::pair<uint16_t, uint32_t>> all() const {
    std::vector<std::pair<uint16_t, uint32_t>> found;
    for (size_t c = 0; c < std::size(chunks_); ++c) {
      if (!chunks_[c].load(std::memory_order_acquire)) continue;
      for (size_t i = 0; i < kChunk; ++i) {
        const auto lane = static_cast<uint16_t>(c * kChunk + i);
        if (const uint32_t count = get(lane)) found.emplace_back(lane, count);
      }
    }
    return found;
  }

 private:
  using Chunk = std::array<std::atomic<uint32_t>, kChunk>;
  std::atomic<Chunk*> chunks_[(UINT16_MAX + 1) / kChunk] = {};  // never destroyed, as rings are
};

struct Ring {
  alignas(64) std::atomic<uint64_t> head{0};  // records ever written
  Counts operators;                           // recorded here, by lane
  std::unique_ptr<Slot[]> slots{new Slot[kCapacity]};
  LiveSlot span, wait;
  alignas(64) Run run;
  uint16_t lane = kNoLane;         // executed for now
  const Origin* origin = nullptr;  // of what is executed now
  size_t number = 0;               // of the ring, from 1
  bool in_use = true;              // guarded by the registry

  void write(Record record) {
    const uint64_t h = head.load(std::memory_order_relaxed);
    if (is_span(record)) record.before = operators.get(record.lane);
    slots[h % kCapacity].store(record);
    head.store(h + 1, std::memory_order_release);
    // Who reads this count finds the record.
    if (is_span(record)) operators.set(record.lane, record.before + trace::operators(record));
  }
  void end(LiveSlot& live, uint64_t end_ticks, uint8_t more_flags) {
    if (!live.active.load(std::memory_order_relaxed)) return;
    Record record = live.own;
    set_times(&record, end_ticks);
    record.flags |= more_flags;
    write(record);
    live.active.store(false, std::memory_order_release);
  }
};

std::vector<Ring*> all_rings();
Ring& this_threads_ring();

}  // namespace trace
}  // namespace hybrid
