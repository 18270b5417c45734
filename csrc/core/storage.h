// Storage: one block of device memory with the engine variable that orders access to it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/context.h"
#include "core/modelled.h"
#include "core/ref.h"
#include "core/var.h"

namespace hybrid {

// Version, pending operators and poison belong to the storage: all views share them.
// A storage is freed when its last reference goes; queued operators hold references.
struct Storage : RefCounted {
  Storage() = default;
  explicit Storage(int32_t refs) : RefCounted(refs) {}

  Context ctx;
  void* data = nullptr;
  size_t bytes = 0;           // logical size asked for
  uint8_t size_class = 0;     // of the pool, see pool.h
  bool of_gradient = false;   // a variable's gradient array
  bool of_variable = false;   // a variable's value
  bool of_program = false;    // where a program keeps what it computes on the way
  bool of_optimizer = false;  // a state of an optimizer's
  engine::Var var;
  // Called instead of returning `data` to the pool, for memory owned elsewhere (a NumPy array).
  // May be called on a lane's thread: it must not wait and must not need Python's lock.
  void (*release_external)(void* owner) = nullptr;
  void* owner = nullptr;

  bool release() const {
    if (model::on() && !ctx.is_cpu()) model::memory_let_go(*this);
    return RefCounted::release();
  }
};
using StorageRef = Ref<Storage>;
void destroy(Storage* storage);  // back to the pool (or release_external)

// Pooled; 64-byte aligned; contents undefined. bytes == 0 is legal (data stays non-null).
// Throws Error naming the size and device when memory is exhausted or the device unknown.
StorageRef allocate(size_t bytes, Context ctx);
StorageRef wrap_external(void* data, size_t bytes, void (*release)(void*), void* owner);

struct PoolStats {
  int64_t used = 0;         // bytes in live storages, each rounded up to 64
  int64_t peak = 0;         // highest `used` since reset_peak
  int64_t reserved = 0;     // bytes held from the system
  int64_t allocations = 0;  // storages made since the last reset_peak
};
PoolStats pool_stats(Context ctx);
void reset_pool_peak(Context ctx);
void release_pool_memory(Context ctx);  // gives cached free blocks back to the system

// Debugging aid, also HYBRID_POISON_FREED=1 in the environment: freed and fresh memory is filled
// with 0xCD, so that reading a buffer that is no longer (or not yet) a value shows.
void set_poison_freed(bool on);

}  // namespace hybrid
