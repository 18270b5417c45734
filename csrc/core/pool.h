// Pool: the free blocks of one device's memory, by size class.
//
// A small block is a Storage header followed by its data; threads keep a few of each class to
// themselves, so that neither allocating nor freeing takes a lock. Large data lie apart from their
// headers and are cached by class: eight classes to a doubling, so at most 1/8 is wasted.
#pragma once
#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/mutex.h"
#include "core/storage.h"

namespace hybrid {

constexpr int kMaxGpus = 64;
constexpr size_t kHeaderBytes = 128;
constexpr size_t kSmallSizes[] = {0,   64,   128,  192,  256,  384, 512,
                                  768, 1024, 1536, 2048, 3072, 4096};  // class 0: a header alone
constexpr int kSmallClasses = sizeof(kSmallSizes) / sizeof(kSmallSizes[0]);
constexpr uint8_t kLargeClass = 255;
constexpr size_t kMaxSmall = kSmallSizes[kSmallClasses - 1];
static_assert(sizeof(Storage) <= kHeaderBytes, "the header keeps the data 64-byte aligned");

struct FreeBlock {
  FreeBlock* next;
};

class Pool {
 public:
  // Chains of up to `count` small blocks; never null unless the system is out of memory.
  FreeBlock* take_small(int size_class, int count, int* taken);
  void give_small(int size_class, FreeBlock* first, FreeBlock* last, int count);
  void* take_large(size_t bytes);  // nullptr when the system is out of memory
  void give_large(void* data, size_t bytes);
  void trim();  // cached large blocks back to the system

  void note_used(int64_t delta) {
    const int64_t used = used_.fetch_add(delta, std::memory_order_relaxed) + delta;
    int64_t peak = peak_.load(std::memory_order_relaxed);
    while (used > peak && !peak_.compare_exchange_weak(peak, used, std::memory_order_relaxed)) {
    }
    int64_t high = high_.load(std::memory_order_relaxed);
    while (used > high && !high_.compare_exchange_weak(high, used, std::memory_order_relaxed)) {
    }
    if (__builtin_expect(counting_.load(std::memory_order_relaxed), false) && delta >= 0) {
      allocations_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  // 0: none. Of a pool with a limit, take_within() counts bytes as used if they are within it.
  void set_limit(int64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
  int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  bool take_within(int64_t bytes);
  // Large blocks are addresses alone, for a device that computes nothing.
  void set_backed(bool on) { backed_.store(on, std::memory_order_relaxed); }
  bool backed() const { return backed_.load(std::memory_order_relaxed); }
  PoolStats stats() const;
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  // The highest `used` since the last call: for the trace alone.
  int64_t take_high() { return high_.exchange(used(), std::memory_order_relaxed); }
  int64_t high() const { return high_.load(std::memory_order_relaxed); }
  void reset_peak() {  // and counts allocations from here on
    peak_.store(used_.load());
    allocations_.store(0);
    counting_.store(true);
  }
  Mutex& mutex() { return mutex_; }  // held around fork()

 private:
  bool carve_slab(int size_class);
  void* take_address(size_t bytes);
  bool give_address(void* data);
  Mutex mutex_;
  FreeBlock* small_[kSmallClasses] = {};
  std::unordered_map<size_t, std::vector<void*>> large_;
  int64_t cached_ = 0;
  std::atomic<int64_t> reserved_{0};
  alignas(64) std::atomic<int64_t> used_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> high_{0};
  std::atomic<bool> counting_{false};
  std::atomic<int64_t> allocations_{0};
  std::atomic<int64_t> limit_{0};
  std::atomic<bool> backed_{true};
  std::unordered_map<void*, size_t> addresses_;  // that nothing stands behind
};

inline size_t round_to_64(size_t bytes) { return (bytes + 63) & ~size_t{63}; }
size_t large_class_bytes(size_t bytes);
Pool& pool_of(Context ctx);  // the host's, or the GPU's own; all cpu contexts share one
void for_each_pool(void (*visit)(Pool&));

}  // namespace hybrid
