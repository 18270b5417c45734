// Pool: a GPU's memory, cached by size class. A block remembers who used it last, so that giving it
// back and taking it again need no wait: the next user's stream waits for them.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/context.h"
#include "cuda/driver.h"

namespace hybrid {
namespace cuda {

constexpr int kLanes = 3;  // compute, copy-in, copy-out

struct Block {
  Address address = 0;
  size_t bytes = 0;
  int device = 0;
  uint64_t used[kLanes] = {};  // by lane: the last section that used it, 0 none
};

class DevicePool {
 public:
  DevicePool(int device, Handle context, size_t limit);
  Block* take(size_t bytes);  // null when there is no more, or the limit is reached
  void give(Block* block);
  void trim();  // cached blocks back to the driver
  int64_t reserved() const;
  size_t limit() const;
  void set_limit(size_t bytes);

 private:
  const int device_;
  const Handle context_;
  mutable std::mutex mutex_;
  std::unordered_map<size_t, std::vector<Block*>> free_;
  size_t reserved_ = 0, limit_;
};

// The block that holds this address; null: not a GPU's.
Block* block_at(const void* address);

}  // namespace cuda
}  // namespace hybrid
