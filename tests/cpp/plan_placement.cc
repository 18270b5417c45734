// Placement of buffers: no overlap, never under the bound, deterministic, fast enough.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "core/error.h"
#include "plan/plan.h"
#include "plan_helpers.h"

using namespace hybrid;

namespace {

// Placing twice gives the same.
void check_placed(const std::vector<Lifetime>& lifetimes, int64_t alignment) {
  const Layout layout = place_buffers(lifetimes, alignment);
  check_layout(lifetimes, alignment, layout);
  CHECK(place_buffers(lifetimes, alignment).offsets == layout.offsets);
}

double milliseconds(const std::vector<Lifetime>& lifetimes) {
  const auto start = std::chrono::steady_clock::now();
  place_buffers(lifetimes, 64);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

TEST_CASE("plan placement: random lifetimes never overlap and respect the bound") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const int n = static_cast<int>(1 + seed * 7);
    CAPTURE(seed);
    check_placed(random_lifetimes(seed, n, 12, 1000), 1);
    check_placed(random_lifetimes(seed + 100, n, n, 5000), 64);
  }
}

TEST_CASE("plan placement: empty and simple cases") {
  CHECK(place_buffers({}, 64).peak == 0);
  CHECK(place_buffers({{0, 0, 5, 0}}, 64).peak == 0);
  CHECK(place_buffers({{0, 3, 3, 100}}, 64).peak == 0);
  CHECK(place_buffers({{0, 0, 1, 100}}, 64).peak == 128);
  // Half-open: one ends where the other starts, so they share.
  CHECK(place_buffers({{0, 0, 2, 64}, {1, 2, 4, 64}}, 64).peak == 64);
  CHECK(place_buffers({{0, 0, 3, 64}, {1, 2, 4, 64}}, 64).peak == 128);
  CHECK_THROWS_AS(place_buffers({{0, 2, 1, 64}}, 64), Error);
  CHECK_THROWS_AS(place_buffers({{0, 0, 1, -1}}, 64), Error);
  CHECK_THROWS_AS(place_buffers({{0, 0, 1, 1}}, 0), Error);
}

TEST_CASE("plan placement: a case where placing in order of time fragments memory") {
  // A small and a large buffer alternate; an allocator that goes by time leaves holes.
  std::vector<Lifetime> l = {{0, 0, 3, 10}, {1, 0, 1, 20}, {2, 0, 4, 10},
                             {3, 1, 5, 15}, {4, 3, 6, 10}, {5, 4, 6, 15}};
  check_placed(l, 1);
  CHECK(place_buffers(l, 1).optimal);
}

TEST_CASE("plan placement: chains of equal buffers are placed optimally") {
  std::vector<Lifetime> chain;
  for (int i = 0; i < 500; ++i) chain.push_back({i, i, i + 2, 4096});
  const Layout layout = place_buffers(chain, 64);
  CHECK(layout.peak == 2 * 4096);
  CHECK(layout.optimal);
}

TEST_CASE("plan placement: 20,000 buffers are placed within the bound's reach") {
  const std::vector<Lifetime> sparse = random_lifetimes(3, 20000, 20, 4096);
  const Layout layout = place_buffers(sparse, 64);
  CHECK(static_cast<double>(layout.peak) <= 1.3 * static_cast<double>(layout.lower_bound));
  MESSAGE("1,000 buffers: ", milliseconds(random_lifetimes(5, 1000, 200, 4096)),
          " ms; 20,000 sparse: ", milliseconds(sparse),
          " ms; 20,000 dense: ", milliseconds(random_lifetimes(4, 20000, 20000, 4096)), " ms");
}

// Public instances (github.com/google/minimalloc); a folder of <name>.<capacity>.csv files.
TEST_CASE("plan placement: minimalloc instances") {
  const char* folder = std::getenv("HYBRID_MINIMALLOC_DIR");
  if (!folder) {
    MESSAGE("skipped: HYBRID_MINIMALLOC_DIR is not set");
    return;
  }
  double log_sum = 0, worst = 0;
  int count = 0;
  for (char name = 'A'; name <= 'K'; ++name) {
    std::ifstream file(std::string(folder) + "/" + name + ".1048576.csv");
    if (!file) continue;
    std::vector<Lifetime> lifetimes;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      long long id, lower, upper, size;
      REQUIRE(std::sscanf(line.c_str(), "%lld,%lld,%lld,%lld", &id, &lower, &upper, &size) == 4);
      lifetimes.push_back({static_cast<int32_t>(id), lower, upper, size});
    }
    check_placed(lifetimes, 1);
    const Layout layout = place_buffers(lifetimes, 1);
    const double ratio = static_cast<double>(layout.peak) / static_cast<double>(layout.lower_bound);
    log_sum += std::log(ratio);
    worst = std::max(worst, ratio);
    ++count;
  }
  REQUIRE(count > 0);
  MESSAGE(count, " instances: geometric mean ", std::exp(log_sum / count), ", worst ", worst);
  CHECK(std::exp(log_sum / count) <= 1.12);  // skyline with restarts, ten times as long
}
