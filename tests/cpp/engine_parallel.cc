// parallel_for and scratch memory: what kernels use while they run.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

struct Threads {
  int before = num_threads();
  explicit Threads(int n) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
};

}  // namespace

TEST_CASE("parallel: every index once, borders independent of the number of threads") {
  std::vector<std::pair<int64_t, int64_t>> expected;
  for (int threads : {1, 2, 5}) {
    const Threads scope(threads);
    for (int64_t n : {0, 1, 7, 64, 1000, 100003}) {
      for (int64_t grain : {1, 16, 1 << 20}) {
        if (n / grain > 2000) continue;
        std::vector<std::atomic<int>> hits(static_cast<size_t>(n));
        std::mutex mutex;
        std::vector<std::pair<int64_t, int64_t>> borders;
        Resources::current().parallel(n, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
          const std::lock_guard<std::mutex> guard(mutex);
          borders.push_back({begin, end});
        });
        for (auto& h : hits) REQUIRE(h == 1);
        std::sort(borders.begin(), borders.end());
        for (size_t i = 0; i < borders.size(); ++i) {
          CHECK(borders[i].first == static_cast<int64_t>(i) * std::min(grain, n));
        }
      }
    }
  }
}

TEST_CASE("parallel: several threads share the work") {
  const Threads scope(3);
  std::atomic<int> inside{0};
  // Ends only when three are inside at once.
  Resources::current().parallel(3, 1, [&](int64_t, int64_t) {
    ++inside;
    while (inside < 3) std::this_thread::yield();
  });
  CHECK(inside == 3);
}

TEST_CASE("parallel: nested calls run serially on their thread") {
  const Threads scope(4);
  std::atomic<int> sum{0}, strangers{0};
  Resources::current().parallel(8, 1, [&](int64_t, int64_t) {
    const std::thread::id me = std::this_thread::get_id();
    Resources::current().parallel(10, 1, [&](int64_t b, int64_t e) {
      sum += static_cast<int>(e - b);
      strangers += std::this_thread::get_id() != me;
    });
  });
  CHECK(sum == 80);
  CHECK(strangers == 0);
}

TEST_CASE("parallel: what the body throws reaches the caller") {
  const Threads scope(3);
  for (int round = 0; round < 100; ++round) {
    CHECK_THROWS_WITH_AS(Resources::current().parallel(100, 1,
                                                       [&](int64_t i, int64_t) {
                                                         if (i % 10 == 3)
                                                           throw Error("from a chunk");
                                                       }),
                         "from a chunk", Error);
  }
}

TEST_CASE("parallel: callers on several threads at once") {
  const Threads scope(3);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        std::atomic<int64_t> sum{0};
        Resources::current().parallel(100, 7, [&](int64_t b, int64_t e) {
          for (int64_t i = b; i < e; ++i) sum += i;
        });
        if (sum != 4950) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("parallel: a number of threads below one is refused") {
  CHECK_THROWS_AS(set_num_threads(0), Error);
}

TEST_CASE("workspace: aligned, apart, and reused by the next kernel") {
  Resources& r = Resources::current();
  r.reset_workspace();
  char* const a = static_cast<char*>(r.workspace(100));
  char* const b = static_cast<char*>(r.workspace(1 << 20));
  char* const c = static_cast<char*>(r.workspace(0));
  for (char* p : {a, b, c}) CHECK(reinterpret_cast<uintptr_t>(p) % 64 == 0);
  std::memset(a, 1, 100);
  std::memset(b, 2, 1 << 20);
  CHECK(a[99] == 1);
  CHECK(c != a);
  r.reset_workspace();
  char* const d = static_cast<char*>(r.workspace(1 << 20));
  r.reset_workspace();
  CHECK(r.workspace(1 << 18) == d);  // the last, largest block is kept
  r.reset_workspace();
}
