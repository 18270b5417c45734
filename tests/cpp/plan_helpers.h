// Instances of placement problems, and what every layout of them must keep.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "plan/plan.h"

namespace {

using namespace hybrid;

struct Random {
  uint64_t state;
  int64_t below(int64_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<int64_t>(state >> 33) % n;
  }
};

[[maybe_unused]] std::vector<Lifetime> random_lifetimes(uint64_t seed, int n, int64_t longest,
                                                        int64_t largest) {
  Random random{seed};
  std::vector<Lifetime> result;
  for (int i = 0; i < n; ++i) {
    const int64_t lower = random.below(n);
    const int64_t upper = lower + random.below(longest + 1);  // some are empty
    result.push_back({i, lower, upper, random.below(largest + 1)});
  }
  return result;
}

[[maybe_unused]] bool live_together(const Lifetime& a, const Lifetime& b) {
  return a.lower < b.upper && b.lower < a.upper && a.size > 0 && b.size > 0 && a.lower < a.upper &&
         b.lower < b.upper;
}

[[maybe_unused]] void check_layout(const std::vector<Lifetime>& lifetimes, int64_t alignment,
                                   const Layout& layout) {
  REQUIRE(layout.offsets.size() == lifetimes.size());
  int64_t top = 0, overlaps = 0, misaligned = 0;
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    misaligned += layout.offsets[i] % alignment != 0;
    if (lifetimes[i].lower < lifetimes[i].upper) {
      const int64_t size = (lifetimes[i].size + alignment - 1) / alignment * alignment;
      top = std::max(top, layout.offsets[i] + size);
    }
    for (size_t j = 0; j < i; ++j) {
      if (!live_together(lifetimes[i], lifetimes[j])) continue;
      overlaps += layout.offsets[i] < layout.offsets[j] + lifetimes[j].size &&
                  layout.offsets[j] < layout.offsets[i] + lifetimes[i].size;
    }
  }
  std::vector<int32_t> placed = layout.order, expected;
  std::sort(placed.begin(), placed.end());
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    const bool empty = lifetimes[i].size == 0 || lifetimes[i].lower == lifetimes[i].upper;
    if (!empty) expected.push_back(static_cast<int32_t>(i));
  }
  CHECK(placed == expected);
  CHECK(overlaps == 0);
  CHECK(misaligned == 0);
  CHECK(top <= layout.peak);
  CHECK(layout.peak >= layout.lower_bound);
  CHECK(layout.lower_bound >= max_live(lifetimes));
  if (alignment == 1) CHECK(layout.lower_bound == max_live(lifetimes));
  CHECK(layout.proven_bound >= layout.lower_bound);
  CHECK(layout.optimal == (layout.peak == layout.proven_bound));
}

}  // namespace
