// Placement of buffers with known lifetimes: the problem in compressed time, its heuristics, and
// the best placement found.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace hybrid {
namespace place {

// Sections are the spans between neighbouring start or end times; buffer i is live in sections
// [first[i], last[i]). Sizes are rounded up to the alignment; empty buffers are left out.
struct Problem {
  explicit Problem(const std::vector<Lifetime>& lifetimes, int64_t alignment);
  // With pairs (positions in the caller's list) that are neighbours though not live together; the
  // lower bound counts them.
  Problem(const std::vector<Lifetime>& lifetimes, int64_t alignment,
          const std::vector<std::pair<int32_t, int32_t>>& apart);
  int32_t count() const { return static_cast<int32_t>(size.size()); }
  int32_t sections = 0;
  std::vector<int32_t> original;  // position in the caller's list
  std::vector<int32_t> first, last;
  std::vector<int64_t> size;
  std::vector<int64_t> load;       // by section: bytes live
  std::vector<int64_t> peak_load;  // by buffer: largest load over its sections
  int64_t lower_bound = 0;
  int64_t num_pairs = 0;  // pairs of buffers that are live together
  // Neighbours of i: neighbours[begin[i] .. begin[i + 1]); empty when there are too many pairs.
  std::vector<int64_t> begin;
  std::vector<int32_t> neighbours;
  bool has_neighbours() const { return !begin.empty(); }

 private:
  using Pairs = std::vector<std::pair<int32_t, int32_t>>;
  void find_sections(const std::vector<Lifetime>& lifetimes, int64_t alignment);
  void count_pairs(const std::vector<int32_t>& by_start);
  Pairs find_pairs(const std::vector<int32_t>& by_start) const;
  void set_neighbours(const Pairs& pairs);
  int64_t clique_bound() const;
};

struct Placement {
  std::vector<int64_t> offset;
  std::vector<int32_t> order;  // in which the buffers were placed
  int64_t peak = 0;
};

// The best placement so far, and what reached it.
struct Best {
  const Problem& problem;
  Placement placement;
  std::vector<Attempt> attempts;  // each better than the one before
  int64_t proven = 0;             // no placement is smaller: shown by a search that found none

  int64_t bound() const { return std::max(problem.lower_bound, proven); }
  bool optimal() const { return !attempts.empty() && placement.peak <= bound(); }
  void take(const std::string& name, Placement candidate);
  Layout layout(size_t count) const;  // of the caller's list of `count` lifetimes
};
// One of the portfolio's, not run yet; `work`: about how many ns it takes, counted.
struct Heuristic {
  std::string name;
  int64_t work;
  std::function<Placement()> place;
};
// In the order in which the portfolio tries them. The first always runs.
std::vector<Heuristic> heuristics(const Problem& problem);

// Heuristics, searches and restarts, about `milliseconds` of counted work.
void try_portfolio(Best* best, double milliseconds);

using Order = std::vector<int32_t>;
// By key, largest first; ties by start, then position, so that every order is total.
Order order_by(const Problem& problem, const std::vector<double>& key);

// Each buffer in `order` at the lowest gap between its placed neighbours. Needs neighbours.
Placement first_fit(const Problem& problem, const Order& order);
// The buffer with the lowest feasible offset next; ties in `order`. Needs neighbours.
Placement skyline(const Problem& problem, const Order& order);
// Each buffer in `order` on top of everything placed in its sections; O(n log n), no neighbours.
Placement stack(const Problem& problem, const Order& order);
// In order of time, lowest free gap, as an allocator would at run time; O(n log n) typically.
Placement allocate_in_time(const Problem& problem);

}  // namespace place
}  // namespace hybrid
