// The smallest arena: searches below the bound and between it and the best, with restarts.
#include <algorithm>
#include <chrono>

#include "plan/capacity_search.h"
#include "plan/keys.h"

namespace hybrid {
namespace {

using place::Best;
using place::CapacitySearch;
using place::Problem;

struct Exact {
  const Problem& problem;
  Best best;
  double limit;
  const std::function<bool(const ExactProgress&)>& report;
  int64_t capacity;  // 0: the least there is
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  bool stopped = false;

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  bool done() const { return best.optimal() || best.placement.peak <= capacity; }

  bool go_on() {
    const double now = seconds();
    if (now >= limit) stopped = true;
    if (report && !report({now, best.placement.peak, best.bound()})) stopped = true;
    return !stopped;
  }

  void try_below(CapacitySearch* search, int64_t capacity, const place::Preference& preference,
                 int64_t work) {
    const auto outcome = search->run(capacity, preference, work, [this] { return go_on(); });
    if (outcome == CapacitySearch::Outcome::fits) best.take("exact search", search->placement());
    // Offsets are sums of sizes: the next peak that is possible is one unit more.
    if (outcome == CapacitySearch::Outcome::impossible) {
      best.proven =
          std::max(best.proven, capacity / search->unit() * search->unit() + search->unit());
    }
  }

  void run() {
    place::try_portfolio(&best, 10);
    if (!problem.has_neighbours() || (capacity > 0 && capacity < best.bound())) return;
    // Each keeps what it has proven while its capacity stays.
    CapacitySearch at_bound(problem), between(problem);
    if (!at_bound.possible()) return;
    place::Uniform uniform;
    int64_t work = 5000000;
    for (int round = 0; !stopped && !done(); ++round) {
      if (!go_on()) break;
      const place::Preference preference = place::preference_of_round(problem, round, &uniform);
      try_below(&at_bound, std::max(capacity, best.bound()), preference, work);
      if (stopped || done()) break;
      if (capacity > 0) {
        if (best.bound() > capacity) break;  // shown to be impossible
      } else {
        const int64_t above = best.placement.peak - 1 - best.bound();
        const double share = 0.2 * (1 + round % 4);
        try_below(&between, best.bound() + static_cast<int64_t>(share * static_cast<double>(above)),
                  preference, work);
      }
      if (round % 16 == 15) work += work / 4;
    }
  }
};

}  // namespace

Layout place_exact(const std::vector<Lifetime>& lifetimes, int64_t alignment, double limit_seconds,
                   const std::function<bool(const ExactProgress&)>& go_on, int64_t capacity) {
  const Problem problem(lifetimes, alignment);
  Exact exact{problem, {problem, {}, {}}, limit_seconds, go_on, capacity};
  if (problem.count() > 0) exact.run();
  return exact.best.layout(lifetimes.size());
}

}  // namespace hybrid
