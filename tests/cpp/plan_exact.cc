// Exact placement: against every order of small instances; limits, interruption, larger ones.
#include <doctest/doctest.h>

#include <algorithm>

#include "plan/capacity_search.h"
#include "plan/keys.h"
#include "plan/plan.h"
#include "plan_helpers.h"

using namespace hybrid;

namespace {

// The smallest peak by trying every order: in an optimal placement, sorted by offset, each buffer
// lies as low as those before it allow.
struct EveryOrder {
  const std::vector<Lifetime>& lifetimes;
  std::vector<int64_t> offset = std::vector<int64_t>(lifetimes.size(), -1);
  int64_t best = INT64_MAX;

  int64_t lowest(size_t i) const {
    int64_t at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t j = 0; j < lifetimes.size(); ++j) {
        if (offset[j] < 0 || !live_together(lifetimes[i], lifetimes[j])) continue;
        if (at < offset[j] + lifetimes[j].size && offset[j] < at + lifetimes[i].size) {
          at = offset[j] + lifetimes[j].size;
          moved = true;
        }
      }
    }
    return at;
  }
  void place(size_t count, int64_t peak) {
    if (peak >= best) return;
    if (count == lifetimes.size()) best = peak;
    for (size_t i = 0; i < lifetimes.size(); ++i) {
      if (offset[i] >= 0) continue;
      offset[i] = lowest(i);
      place(count + 1, std::max(peak, offset[i] + lifetimes[i].size));
      offset[i] = -1;
    }
  }
};

int64_t smallest_peak(const std::vector<Lifetime>& lifetimes) {
  EveryOrder search{lifetimes};
  search.place(0, 0);
  return search.best;
}

std::vector<Lifetime> small_instance(uint64_t seed, int n) {
  Random random{seed};
  std::vector<Lifetime> result;
  for (int i = 0; i < n; ++i) {
    const int64_t lower = random.below(6);
    result.push_back({i, lower, lower + 1 + random.below(4), 1 + random.below(3)});
  }
  return result;
}

// Time cut into sections; full ones of height `capacity` are cut into buffers, some then joined
// with a neighbour of the same offset and size: a perfect packing is known to exist.
std::vector<Lifetime> perfect_instance(uint64_t seed, int sections, int64_t capacity) {
  Random random{seed};
  std::vector<Lifetime> result;
  std::vector<std::pair<int64_t, int64_t>> open;  // offset, position in result
  for (int s = 0; s < sections; ++s) {
    std::vector<std::pair<int64_t, int64_t>> next;
    for (int64_t at = 0; at < capacity;) {
      const auto same = std::find_if(open.begin(), open.end(), [&](const auto& o) {
        return o.first == at && random.below(3) > 0;
      });
      if (same != open.end()) {
        result[same->second].upper = s + 1;
        next.push_back(*same);
        at += result[same->second].size;
        continue;
      }
      int64_t size = 1 + random.below(capacity / 4);
      for (const auto& [offset, i] : open) {
        if (offset > at) size = std::min(size, offset - at);
      }
      size = std::min(size, capacity - at);
      next.push_back({at, static_cast<int64_t>(result.size())});
      result.push_back({static_cast<int32_t>(result.size()), s, s + 1, size});
      at += size;
    }
    open = next;
  }
  return result;
}

}  // namespace

TEST_CASE("plan exact: equals the best of every order on small instances") {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    const std::vector<Lifetime> instance = small_instance(seed, 3 + static_cast<int>(seed % 6));
    const int64_t smallest = smallest_peak(instance);
    const Layout layout = place_exact(instance, 1, 10);
    check_layout(instance, 1, layout);
    CHECK(layout.peak == smallest);
    CHECK(layout.optimal);
    CHECK(layout.proven_bound == smallest);
  }
}

TEST_CASE("plan exact: more than the bound is needed, and proven") {
  const std::vector<Lifetime> instance = {{0, 6, 7, 1}, {1, 5, 6, 2}, {2, 2, 4, 3}, {3, 0, 3, 3},
                                          {4, 6, 7, 3}, {5, 1, 2, 2}, {6, 3, 5, 1}, {7, 3, 8, 2},
                                          {8, 2, 6, 2}, {9, 4, 7, 2}};
  CHECK(smallest_peak(instance) == 9);
  CHECK(max_live(instance) == 8);
  const Layout layout = place_exact(instance, 1, 10);
  check_layout(instance, 1, layout);
  CHECK(layout.peak == 9);
  CHECK(layout.lower_bound == 8);
  CHECK(layout.proven_bound == 9);
  CHECK(layout.optimal);
}

TEST_CASE("plan exact: a search never denies what is possible") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const std::vector<Lifetime> instance = small_instance(seed + 1000, 7);
    const int64_t smallest = smallest_peak(instance);
    const place::Problem problem(instance, 1);
    place::CapacitySearch search(problem);
    place::Uniform uniform;
    for (int round = 0; round < 20; ++round) {
      const place::Preference preference = place::preference_of_round(problem, round, &uniform);
      CHECK(search.run(smallest, preference, INT64_MAX) == place::CapacitySearch::Outcome::fits);
      CHECK(search.placement().peak == smallest);
      CHECK(search.run(smallest - 1, preference, INT64_MAX) ==
            place::CapacitySearch::Outcome::impossible);
    }
  }
}

TEST_CASE("plan exact: perfect packings are found") {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const std::vector<Lifetime> instance = perfect_instance(seed, 10, 60);
    const Layout layout = place_exact(instance, 1, 600);
    check_layout(instance, 1, layout);
    CHECK(layout.peak == 60);
    CHECK(layout.optimal);
  }
}

TEST_CASE("plan exact: a limit or an interruption returns the best so far") {
  const std::vector<Lifetime> instance = perfect_instance(1, 24, 100003);
  int asked = 0;
  const Layout stopped = place_exact(instance, 1, 1000, [&](const ExactProgress& now) {
    CHECK(now.peak >= now.bound);
    return ++asked < 3;
  });
  check_layout(instance, 1, stopped);
  CHECK(asked == 3);
  check_layout(instance, 1, place_exact(instance, 1, 0.0));
}

TEST_CASE("plan exact: sizes beyond 32 bits and without a common divisor") {
  const int64_t huge = int64_t{1} << 40;
  const std::vector<Lifetime> instance = {
      {0, 0, 2, huge + 1}, {1, 1, 3, huge + 3}, {2, 2, 4, huge + 1}, {3, 3, 5, 7}};
  const Layout layout = place_exact(instance, 1, 1);
  check_layout(instance, 1, layout);
  CHECK(layout.peak == 2 * huge + 4);
}
