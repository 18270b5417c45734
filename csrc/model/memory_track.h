// MemoryTrack: what the memory of modelled devices is used for, over modelled time.
//
// A block is taken when the host asks for it, on the host's clock. It is given back when the host
// has let it go and the last operator that uses it has ended: however long the CPU takes to compute
// that, the device would have the memory again by then.
#pragma once
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "core/held_blocks.h"
#include "core/pool.h"

namespace hybrid {
namespace model {

struct MemoryChange {  // fixed
  double time_s = 0;   // a later one may tell of an earlier time
  int64_t bytes = 0;   // more than before; blocks are rounded up to 64
  uint16_t device = 0;
  uint8_t kind = 0;  // a held::Kind
};

struct MemorySeen {
  std::vector<MemoryChange> before;  // what was held before the first change, in one of each kind
  std::vector<MemoryChange> changes;
  uint64_t next = 0;   // number of the first change that is still to come
  uint64_t lost = 0;   // of those asked for
  uint64_t clock = 0;  // counts starts
};

class MemoryTrack {
 public:
  // kind: a held::Kind
  void taken(const Storage& block, uint8_t kind, double time_s);
  void is(const Storage& block, uint8_t kind, double time_s);
  void used(const void* variable, double time_s);  // up to then
  // Forgets the block and tells how it will have been given back: then, or when it was used last.
  // False: it was not known.
  bool take_out(const Storage& block, double time_s, MemoryChange* given_back);
  void add(const MemoryChange& change);
  int64_t held(int device) const { return held_[device]; }
  MemorySeen seen(uint64_t from, bool before, bool changes) const;

 private:
  struct Block {
    MemoryChange taken;
    double used_s = 0;
  };
  using Place = std::deque<MemoryChange>::const_iterator;
  std::vector<MemoryChange> held_at(Place end) const;

  std::unordered_map<const void*, Block> blocks_;  // by variable
  std::deque<MemoryChange> changes_;
  uint64_t first_ = 0;  // number of the first one that is kept
  int64_t held_[kMaxGpus] = {};
  int64_t forgotten_[kMaxGpus][held::kKinds] = {};
};

}  // namespace model
}  // namespace hybrid
