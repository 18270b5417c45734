#include "core/pool.h"

#include <cstring>
#include <random>

#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

TEST_CASE("storage: aligned, and large enough to write") {
  for (size_t bytes : {0, 1, 63, 64, 65, 1000, 4096, 4097, 100000, 5 << 20}) {
    const StorageRef s = allocate(bytes, Context());
    REQUIRE(s->data != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(s->data) % 64 == 0);
    CHECK(s->bytes == bytes);
    std::memset(s->data, 1, bytes);
  }
}

TEST_CASE("storage: size classes waste at most an eighth") {
  for (size_t bytes = 4097; bytes < (size_t{1} << 40); bytes += bytes / 7 + 1) {
    const size_t size = large_class_bytes(bytes);
    CHECK(size >= bytes);
    CHECK(size <= bytes + bytes / 8);
    CHECK(large_class_bytes(size) == size);
    CHECK(size % 64 == 0);
  }
}

TEST_CASE("storage: freed blocks are reused") {
  for (size_t bytes : {64, 3000, 1 << 20, 8 << 20}) {
    void* const first = allocate(bytes, Context())->data;
    const int64_t reserved = pool_stats(Context()).reserved;
    for (int i = 0; i < 100; ++i) CHECK(allocate(bytes, Context())->data == first);
    CHECK(pool_stats(Context()).reserved == reserved);
  }
}

TEST_CASE("storage: statistics") {
  const Context ctx;
  const PoolStats before = pool_stats(ctx);
  reset_pool_peak(ctx);
  {
    const StorageRef a = allocate(100, ctx);  // 128
    const StorageRef b = allocate(1 << 20, ctx);
    const StorageRef none = allocate(0, ctx);
    CHECK(pool_stats(ctx).used == before.used + 128 + (1 << 20));
    CHECK(pool_stats(ctx).reserved >= pool_stats(ctx).used);
  }
  CHECK(pool_stats(ctx).used == before.used);
  CHECK(pool_stats(ctx).peak == before.used + 128 + (1 << 20));
  reset_pool_peak(ctx);
  CHECK(pool_stats(ctx).peak == before.used);
}

TEST_CASE("storage: cached blocks go back to the system on demand") {
  const Context ctx;
  release_pool_memory(ctx);
  const int64_t before = pool_stats(ctx).reserved;
  allocate(32 << 20, ctx);
  CHECK(pool_stats(ctx).reserved == before + (32 << 20));
  release_pool_memory(ctx);
  CHECK(pool_stats(ctx).reserved == before);
}

TEST_CASE("storage: what the machine cannot hold is refused, naming size and device") {
  for (size_t bytes : {size_t{1} << 50, SIZE_MAX, SIZE_MAX / 2 + 1}) {
    const std::string text = message_of([&] { allocate(bytes, Context()); });
    CHECK(text.find(std::to_string(bytes)) != text.npos);
    CHECK(text.find("cpu(0)") != text.npos);
  }
  CHECK_THROWS_WITH_AS(allocate(4, gpu(0)), doctest::Contains("virtual_gpus"), Error);
  CHECK_THROWS_AS(allocate(4, Context{DeviceType::cpu, -1}), Error);
}

TEST_CASE("storage: external memory is released once, when its last reference goes") {
  static int released = 0;
  static float memory[4] = {};
  {
    StorageRef a = wrap_external(
        memory, sizeof memory, [](void* owner) { released += owner == &released; }, &released);
    CHECK(a->data == memory);
    const StorageRef b = a;
    a = StorageRef();
    CHECK(released == 0);
  }
  CHECK(released == 1);
}

TEST_CASE("storage: freed memory is poisoned when asked") {
  set_poison_freed(true);
  // A large block: its memory stays with the pool, so that it may be looked at.
  unsigned char* data = nullptr;
  {
    const StorageRef s = allocate(1 << 16, Context());
    data = static_cast<unsigned char*>(s->data);
    CHECK(data[5] == 0xCD);
    std::memset(data, 1, 1 << 16);
  }
  CHECK(data[0] == 0xCD);
  CHECK(data[(1 << 16) - 1] == 0xCD);
  set_poison_freed(false);
}

TEST_CASE("storage: threads allocate and free each other's blocks") {
  const int64_t used = pool_stats(Context()).used;
  constexpr int kThreads = 4, kRounds = 20000;
  std::vector<StorageRef> shared[kThreads];
  Mutex mutex[kThreads];
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < kRounds; ++i) {
        const size_t bytes = random() % 6000 + 8;
        StorageRef s = allocate(bytes, Context());
        const size_t mark = reinterpret_cast<size_t>(s.get());
        std::memcpy(s->data, &mark, sizeof mark);
        const size_t to = random() % kThreads;
        StorageRef out;
        {
          Guard guard(mutex[to]);
          shared[to].push_back(std::move(s));
          if (shared[to].size() > 50) {
            out = std::move(shared[to].front());
            shared[to].erase(shared[to].begin());
          }
        }
        if (out) {
          size_t found = 0;
          std::memcpy(&found, out->data, sizeof found);
          if (found != reinterpret_cast<size_t>(out.get())) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (auto& list : shared) list.clear();
  CHECK(wrong == 0);
  CHECK(pool_stats(Context()).used == used);
}
