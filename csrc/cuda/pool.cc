#include "cuda/pool.h"

#include <algorithm>

#include "core/pool.h"

namespace hybrid {
namespace cuda {
namespace {

constexpr size_t kLeast = 512;

struct Addresses {
  std::mutex mutex;
  std::map<Address, Block*> blocks;  // of all GPUs, by where they begin
};
Addresses& addresses() {
  static auto* const all = new Addresses;
  return *all;
}

}  // namespace

Block* block_at(const void* address) {
  const auto wanted = static_cast<Address>(reinterpret_cast<uintptr_t>(address));
  Addresses& all = addresses();
  const std::lock_guard<std::mutex> guard(all.mutex);
  auto next = all.blocks.upper_bound(wanted);
  if (next == all.blocks.begin()) return nullptr;
  Block* const block = std::prev(next)->second;
  return wanted < block->address + block->bytes ? block : nullptr;
}

DevicePool::DevicePool(int device, Handle context, size_t limit)
    : device_(device), context_(context), limit_(limit) {}

Block* DevicePool::take(size_t bytes) {
  const size_t size = large_class_bytes(std::max(bytes, kLeast));
  for (const bool again : {false, true}) {
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      auto found = free_.find(size);
      if (found != free_.end() && !found->second.empty()) {
        Block* const block = found->second.back();
        found->second.pop_back();
        return block;
      }
      Address address = 0;
      if (reserved_ + size <= limit_) {
        check(driver().context_set(context_), "cuCtxSetCurrent");
        const Result result = driver().memory_allocate(&address, size);
        if (result != kOutOfMemory) check(result, "cuMemAlloc");
      }
      if (address != 0) {
        reserved_ += size;
        auto* const block = new Block;
        block->address = address;
        block->bytes = size;
        block->device = device_;
        Addresses& all = addresses();
        const std::lock_guard<std::mutex> other(all.mutex);
        all.blocks[address] = block;
        return block;
      }
    }
    if (!again) trim();
  }
  return nullptr;
}

void DevicePool::give(Block* block) {
  const std::lock_guard<std::mutex> guard(mutex_);
  free_[block->bytes].push_back(block);
}

void DevicePool::trim() {
  const std::lock_guard<std::mutex> guard(mutex_);
  check(driver().context_set(context_), "cuCtxSetCurrent");
  for (auto& [size, list] : free_) {
    for (Block* const block : list) {
      {
        Addresses& all = addresses();
        const std::lock_guard<std::mutex> other(all.mutex);
        all.blocks.erase(block->address);
      }
      driver().memory_free(block->address);  // waits until nobody uses it
      reserved_ -= size;
      delete block;
    }
  }
  free_.clear();
}

int64_t DevicePool::reserved() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return static_cast<int64_t>(reserved_);
}

size_t DevicePool::limit() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return limit_;
}

void DevicePool::set_limit(size_t bytes) {
  const std::lock_guard<std::mutex> guard(mutex_);
  limit_ = bytes;
}

}  // namespace cuda
}  // namespace hybrid
