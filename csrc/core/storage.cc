// Storage: allocation through each thread's own cache of small blocks; external memory.
#include "core/storage.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "core/devices.h"
#include "core/error.h"
#include "core/gpu_memory.h"
#include "core/held_blocks.h"
#include "core/modelled.h"
#include "core/modelled_memory.h"
#include "core/pool.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(data, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(data, bytes) ((void)0)
#endif

namespace hybrid {
namespace {

std::atomic<bool> poison_freed{[] {
  const char* text = std::getenv("HYBRID_POISON_FREED");
  return text && *text && *text != '0';
}()};

// Free small blocks of the host's pool that belong to one thread.
struct ThreadCache {
  FreeBlock* head[kSmallClasses] = {};
  uint16_t count[kSmallClasses] = {};
};

constexpr int kBatch = 32;       // blocks moved to or from the pool at once
constexpr int kMaxCached = 128;  // per class

// A plain pointer, so that reading it needs no guard; null before first use and after the
// thread's end, when frees go straight to the pool.
thread_local ThreadCache* cache = nullptr;
thread_local bool cache_gone = false;

void give_back(ThreadCache& from, int size_class, int count) {
  FreeBlock* const first = from.head[size_class];
  FreeBlock* last = first;
  for (int i = 1; i < count; ++i) last = last->next;
  from.head[size_class] = last->next;
  from.count[size_class] = static_cast<uint16_t>(from.count[size_class] - count);
  pool_of(Context()).give_small(size_class, first, last, count);
}

struct CacheOwner {
  ThreadCache own;
  CacheOwner() { cache = &own; }
  ~CacheOwner() {
    cache = nullptr;
    cache_gone = true;
    for (int c = 0; c < kSmallClasses; ++c) {
      if (own.count[c]) give_back(own, c, own.count[c]);
    }
  }
};

ThreadCache* make_cache() {
  if (cache_gone) return nullptr;
  thread_local CacheOwner owner;
  return cache;
}

int small_class(size_t bytes) {
  struct Table {
    uint8_t of[kMaxSmall / 64 + 1];
    constexpr Table() : of() {
      int c = 0;
      for (size_t i = 0; i <= kMaxSmall / 64; ++i) {
        while (kSmallSizes[c] < i * 64) ++c;
        of[i] = static_cast<uint8_t>(c);
      }
    }
  };
  static constexpr Table table;
  return table.of[(bytes + 63) / 64];
}

[[noreturn]] __attribute__((noinline)) void out_of_memory(size_t bytes, Context ctx) {
  if (const int64_t limit = pool_of(ctx).limit()) {
    fail("out of memory on ", ctx.str(), ": ", held::bytes_in_words(static_cast<int64_t>(bytes)),
         " more do not fit, ", held::bytes_in_words(pool_of(ctx).used()), " of ",
         held::bytes_in_words(limit), " are in use", held::describe(ctx), held::advice(ctx));
  }
  const PoolStats stats = pool_stats(ctx);
  fail("allocate: ", bytes, " bytes on ", ctx.str(), " are more than there is (", stats.used,
       " in use, ", devices::memory_bytes(ctx), " in all)");
}

// The slow half: a fresh batch from the pool, or one block when the thread keeps none.
__attribute__((noinline)) FreeBlock* refill(Pool& pool, int size_class, bool host) {
  ThreadCache* const own = host ? (cache ? cache : make_cache()) : nullptr;
  int taken = 0;
  FreeBlock* const first = pool.take_small(size_class, own ? kBatch : 1, &taken);
  if (own && first) {
    own->head[size_class] = first->next;
    own->count[size_class] = static_cast<uint16_t>(taken - 1);
  }
  return first;
}

inline void* take_block(Pool& pool, int size_class, bool host) {
  ThreadCache* const own = cache;
  if (host && own) {
    if (FreeBlock* const block = own->head[size_class]) {
      own->head[size_class] = block->next;
      --own->count[size_class];
      return block;
    }
  }
  return refill(pool, size_class, host);
}

inline void give_block(void* memory, Pool& pool, int size_class, bool host) {
  auto* const block = static_cast<FreeBlock*>(memory);
  ThreadCache* own = cache;
  if (host && !own) own = make_cache();
  if (!host || !own) {
    pool.give_small(size_class, block, block, 1);
    return;
  }
  block->next = own->head[size_class];
  own->head[size_class] = block;
  if (++own->count[size_class] > kMaxCached) give_back(*own, size_class, kMaxCached / 2);
}

// Counts the bytes as used, or throws. What pending work holds is not there for good.
__attribute__((noinline)) void take_within_limit(Pool& pool, size_t bytes, Context ctx) {
  const auto size = static_cast<int64_t>(round_to_64(bytes));
  if (model::on()) model::wait_for_memory(ctx, size, pool.limit());
  if (pool.take_within(size)) return;
  held::hooks().finish_pending();
  if (!pool.take_within(size)) out_of_memory(bytes, ctx);
}

// On a physical GPU: the header is the host's, the data a block of the GPU's pool.
StorageRef allocate_on_gpu(size_t bytes, Context ctx) {
  void* data = nullptr;
  cuda::Block* const memory = cuda::take_memory(ctx, bytes, &data);
  char* const block =
      memory ? static_cast<char*>(take_block(pool_of(Context()), 0, true)) : nullptr;
  if (!block) out_of_memory(bytes, ctx);
  auto* const storage = new (block) Storage(1);
  storage->bytes = bytes;
  storage->ctx = ctx;
  storage->data = data;
  storage->var.block = memory;
  pool_of(ctx).note_used(static_cast<int64_t>(round_to_64(bytes)));
  return StorageRef::adopt(storage);
}

void destroy_on_gpu(Storage* storage) {
  cuda::Block* const memory = storage->var.block;
  pool_of(storage->ctx).note_used(-static_cast<int64_t>(round_to_64(storage->bytes)));
  storage->~Storage();
  give_block(storage, pool_of(Context()), 0, true);
  cuda::give_back(memory);
}

}  // namespace

void set_poison_freed(bool on) { poison_freed.store(on); }

StorageRef allocate(size_t bytes, Context ctx) {
  const bool host = ctx.is_cpu();
  if (!host || ctx.id < 0) devices::check_exists(ctx);
  if (!host && cuda::is_physical(ctx)) return allocate_on_gpu(bytes, ctx);
  static Pool& host_pool = pool_of(Context());
  Pool& pool = host ? host_pool : pool_of(ctx);
  const bool limited = !host && pool.limit() > 0;
  if (limited) take_within_limit(pool, bytes, ctx);
  const bool small = bytes <= kMaxSmall;
  const int size_class = small ? (bytes ? small_class(bytes) : 1) : 0;
  char* const block = static_cast<char*>(take_block(pool, size_class, host));
  const auto not_taken = [&] {
    if (limited) pool.note_used(-static_cast<int64_t>(round_to_64(bytes)));
    out_of_memory(bytes, ctx);
  };
  if (!block) not_taken();
  auto* const storage = new (block) Storage(1);
  storage->bytes = bytes;
  storage->ctx = ctx;
  if (small) {
    storage->size_class = static_cast<uint8_t>(size_class);
    storage->data = block + kHeaderBytes;
  } else {
    storage->size_class = kLargeClass;
    storage->data = pool.take_large(bytes);
    if (!storage->data) {
      storage->~Storage();
      give_block(block, pool, 0, host);
      not_taken();
    }
  }
  ASAN_UNPOISON_MEMORY_REGION(storage->data, bytes);
  if (__builtin_expect(poison_freed.load(std::memory_order_relaxed), false) && pool.backed()) {
    std::memset(storage->data, 0xCD, bytes);
  }
  if (limited) {
    held::note(storage);
  } else {
    pool.note_used(static_cast<int64_t>(round_to_64(bytes)));
  }
  return StorageRef::adopt(storage);
}

StorageRef wrap_external(void* data, size_t bytes, void (*release)(void*), void* owner) {
  char* const block = static_cast<char*>(take_block(pool_of(Context()), 0, true));
  if (!block) out_of_memory(kHeaderBytes, Context());
  auto* const storage = new (block) Storage(1);
  storage->data = data;
  storage->bytes = bytes;
  storage->release_external = release ? release : [](void*) {};
  storage->owner = owner;
  return StorageRef::adopt(storage);
}

void destroy(Storage* storage) {
  // What still uses it on the modelled clock is asked before it is forgotten.
  if (!storage->ctx.is_cpu() && pool_of(storage->ctx).limit() > 0) held::forget(storage);
  if (__builtin_expect(storage->var.modelled_uses(), false)) model::forget(storage->var);
  if (storage->var.block) return destroy_on_gpu(storage);
  const bool host = storage->ctx.is_cpu();
  Pool& pool = pool_of(storage->ctx);
  const size_t bytes = storage->bytes;
  const uint8_t size_class = storage->size_class;
  if (storage->release_external) {
    void (*const release)(void*) = storage->release_external;
    void* const owner = storage->owner;
    storage->~Storage();
    give_block(storage, pool, 0, true);
    release(owner);
    return;
  }
  pool.note_used(-static_cast<int64_t>(round_to_64(bytes)));
  if (__builtin_expect(poison_freed.load(std::memory_order_relaxed), false) && pool.backed()) {
    std::memset(storage->data, 0xCD, bytes);
  }
  void* const data = storage->data;
  storage->~Storage();
  if (size_class == kLargeClass) {
    pool.give_large(data, bytes);
    give_block(storage, pool, 0, host);
  } else {
    ASAN_POISON_MEMORY_REGION(data, bytes);
    give_block(storage, pool, size_class, host);
  }
}

PoolStats pool_stats(Context ctx) {
  PoolStats stats = pool_of(ctx).stats();
  if (cuda::is_physical(ctx)) stats.reserved = cuda::reserved_memory(ctx);
  return stats;
}
void reset_pool_peak(Context ctx) { pool_of(ctx).reset_peak(); }
void release_pool_memory(Context ctx) {
  cuda::is_physical(ctx) ? cuda::trim_memory(ctx) : pool_of(ctx).trim();
}

}  // namespace hybrid
