#include "core/pool.h"

#include <sys/mman.h>

#include <algorithm>

#include "core/fork.h"
#include "core/host_memory.h"

namespace hybrid {
namespace {

constexpr size_t kSlabBytes = size_t{256} << 10;

Pool* pools() {
  static Pool* const all = new Pool[1 + kMaxGpus];  // never destroyed: storages outlive main()
  return all;
}

const bool held_over_fork = hold_over_fork(
    ForkStage::pools, {[] { for_each_pool([](Pool& pool) { pool.mutex().lock(); }); },
                       [](bool) { for_each_pool([](Pool& pool) { pool.mutex().unlock(); }); }});

int64_t reserved_everywhere() {
  int64_t total = 0;
  for (int i = 0; i <= kMaxGpus; ++i) total += pools()[i].stats().reserved;
  return total;
}

// The system overcommits: refuse here what the machine cannot hold, instead of dying later.
bool fits(size_t bytes) {
  const int64_t memory = devices::host_memory_bytes();
  return bytes <= static_cast<size_t>(memory) &&
         reserved_everywhere() + static_cast<int64_t>(bytes) <= memory;
}

}  // namespace

Pool& pool_of(Context ctx) {
  return pools()[ctx.is_cpu() ? 0 : 1 + std::clamp<int>(ctx.id, 0, kMaxGpus - 1)];
}

void for_each_pool(void (*visit)(Pool&)) {
  for (int i = 0; i <= kMaxGpus; ++i) visit(pools()[i]);
}

size_t large_class_bytes(size_t bytes) {
  size_t power = size_t{1} << (63 - __builtin_clzll(bytes));
  const size_t step = power / 8;
  return (bytes + step - 1) & ~(step - 1);
}

PoolStats Pool::stats() const {
  PoolStats stats;
  stats.used = used_.load(std::memory_order_relaxed);
  stats.peak = peak_.load(std::memory_order_relaxed);
  stats.reserved = reserved_.load(std::memory_order_relaxed);
  stats.allocations = allocations_.load(std::memory_order_relaxed);
  return stats;
}

bool Pool::carve_slab(int size_class) {
  char* slab = static_cast<char*>(devices::host_allocate(kSlabBytes));
  if (!slab) return false;
  reserved_.fetch_add(kSlabBytes, std::memory_order_relaxed);
  const size_t block = kHeaderBytes + kSmallSizes[size_class];
  for (size_t at = (kSlabBytes / block) * block; at != 0;) {
    at -= block;
    auto* free_block = reinterpret_cast<FreeBlock*>(slab + at);
    free_block->next = small_[size_class];
    small_[size_class] = free_block;
  }
  return true;
}

FreeBlock* Pool::take_small(int size_class, int count, int* taken) {
  Guard guard(mutex_);
  *taken = 0;
  if (!small_[size_class] && !carve_slab(size_class)) return nullptr;
  FreeBlock* const first = small_[size_class];
  FreeBlock* last = first;
  for (*taken = 1; *taken < count && last->next; ++*taken) last = last->next;
  small_[size_class] = last->next;
  last->next = nullptr;
  return first;
}

void Pool::give_small(int size_class, FreeBlock* first, FreeBlock* last, int) {
  Guard guard(mutex_);
  last->next = small_[size_class];
  small_[size_class] = first;
}

bool Pool::take_within(int64_t bytes) {
  int64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (used + bytes > limit()) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  note_used(bytes);
  return true;
}

void* Pool::take_address(size_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  Guard guard(mutex_);
  addresses_[data] = bytes;
  return data;
}

bool Pool::give_address(void* data) {
  Guard guard(mutex_);
  const auto found = addresses_.find(data);
  if (found == addresses_.end()) return false;
  munmap(data, found->second);
  addresses_.erase(found);
  return true;
}

void* Pool::take_large(size_t bytes) {
  if (!backed()) return take_address(bytes);
  if (bytes > static_cast<size_t>(devices::host_memory_bytes())) return nullptr;
  const size_t size = large_class_bytes(bytes);
  {
    Guard guard(mutex_);
    auto found = large_.find(size);
    if (found != large_.end() && !found->second.empty()) {
      void* data = found->second.back();
      found->second.pop_back();
      cached_ -= static_cast<int64_t>(size);
      return data;
    }
  }
  void* data = fits(size) ? devices::host_allocate(size) : nullptr;
  if (!data) {  // what any device's pool caches may be what is missing
    for_each_pool([](Pool& pool) { pool.trim(); });
    data = fits(size) ? devices::host_allocate(size) : nullptr;
  }
  if (data) reserved_.fetch_add(static_cast<int64_t>(size), std::memory_order_relaxed);
  return data;
}

void Pool::give_large(void* data, size_t bytes) {
  if (give_address(data)) return;
  const size_t size = large_class_bytes(bytes);
  Guard guard(mutex_);
  if (cached_ + static_cast<int64_t>(size) > devices::host_memory_bytes() / 2) {
    guard.unlock();
    devices::host_free(data);
    reserved_.fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
    return;
  }
  large_[size].push_back(data);
  cached_ += static_cast<int64_t>(size);
}

void Pool::trim() {
  std::unordered_map<size_t, std::vector<void*>> blocks;
  {
    Guard guard(mutex_);
    blocks.swap(large_);
    cached_ = 0;
  }
  for (auto& [size, list] : blocks) {
    for (void* data : list) {
      devices::host_free(data);
      reserved_.fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
    }
  }
}

}  // namespace hybrid
