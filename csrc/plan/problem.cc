#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "plan/place.h"

namespace hybrid {
namespace place {
namespace {

constexpr int64_t kMaxPairs = 150000;  // more take longer than they gain

}  // namespace

void Problem::find_sections(const std::vector<Lifetime>& lifetimes, int64_t alignment) {
  require(alignment > 0, "place_buffers: alignment must be positive, given ", alignment);
  std::vector<int64_t> times;
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    const Lifetime& l = lifetimes[i];
    require(l.size >= 0 && l.size <= INT64_MAX / 4, "place_buffers: buffer ", l.id, " has size ",
            l.size);
    require(l.lower <= l.upper, "place_buffers: buffer ", l.id, " ends at ", l.upper,
            ", before its start ", l.lower);
    if (l.size == 0 || l.lower == l.upper) continue;
    original.push_back(static_cast<int32_t>(i));
    size.push_back((l.size + alignment - 1) / alignment * alignment);
    times.push_back(l.lower);
    times.push_back(l.upper);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  sections = times.empty() ? 0 : static_cast<int32_t>(times.size()) - 1;
  const auto index = [&](int64_t t) {
    return static_cast<int32_t>(std::lower_bound(times.begin(), times.end(), t) - times.begin());
  };
  const int32_t n = count();
  std::vector<int64_t> delta(sections + 1, 0);
  for (int32_t i = 0; i < n; ++i) {
    first.push_back(index(lifetimes[original[i]].lower));
    last.push_back(index(lifetimes[original[i]].upper));
    delta[first[i]] += size[i];
    delta[last[i]] -= size[i];
  }
  load.resize(sections);
  int64_t live = 0;
  for (int32_t s = 0; s < sections; ++s) {
    live += delta[s];
    load[s] = live;
    lower_bound = std::max(lower_bound, live);
  }
  // Largest load over [first, last): a sparse table of maxima.
  std::vector<std::vector<int64_t>> table{load};
  for (int32_t span = 1; 2 * span <= sections; span *= 2) {
    const auto& half = table.back();
    std::vector<int64_t> row(sections - 2 * span + 1);
    for (size_t s = 0; s < row.size(); ++s) row[s] = std::max(half[s], half[s + span]);
    table.push_back(std::move(row));
  }
  for (int32_t i = 0; i < n; ++i) {
    const int32_t width = last[i] - first[i];
    int level = 0;
    while ((2 << level) <= width) ++level;
    peak_load.push_back(std::max(table[level][first[i]], table[level][last[i] - (1 << level)]));
  }
}

namespace {

Order starts_in_order(const Problem& problem) {
  Order by_start(problem.count());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](int32_t a, int32_t b) { return problem.first[a] < problem.first[b]; });
  return by_start;
}

}  // namespace

Problem::Problem(const std::vector<Lifetime>& lifetimes, int64_t alignment) {
  find_sections(lifetimes, alignment);
  const Order by_start = starts_in_order(*this);
  count_pairs(by_start);
  if (num_pairs <= kMaxPairs) set_neighbours(find_pairs(by_start));
}

Problem::Problem(const std::vector<Lifetime>& lifetimes, int64_t alignment,
                 const std::vector<std::pair<int32_t, int32_t>>& apart) {
  find_sections(lifetimes, alignment);
  Pairs pairs = find_pairs(starts_in_order(*this));
  std::vector<int32_t> position(lifetimes.size(), -1);
  for (int32_t i = 0; i < count(); ++i) position[original[i]] = i;
  for (const auto& [a, b] : apart) {
    if (position[a] >= 0 && position[b] >= 0) pairs.push_back({position[a], position[b]});
  }
  num_pairs = static_cast<int64_t>(pairs.size());
  set_neighbours(pairs);
  lower_bound = std::max(lower_bound, clique_bound());
}

// Pairs that overlap: those live when a buffer starts.
void Problem::count_pairs(const Order& by_start) {
  std::vector<int32_t> ends(last);
  std::sort(ends.begin(), ends.end());
  size_t ended = 0;
  for (int32_t k = 0; k < count(); ++k) {
    while (ended < ends.size() && ends[ended] <= first[by_start[k]]) ++ended;
    num_pairs += k - static_cast<int64_t>(ended);
  }
}

Problem::Pairs Problem::find_pairs(const Order& by_start) const {
  Pairs pairs;
  pairs.reserve(num_pairs);
  std::vector<int32_t> active;
  for (int32_t i : by_start) {
    for (size_t k = 0; k < active.size();) {
      if (last[active[k]] <= first[i]) {
        active[k] = active.back();
        active.pop_back();
      } else {
        pairs.push_back({i, active[k]});
        ++k;
      }
    }
    active.push_back(i);
  }
  return pairs;
}

void Problem::set_neighbours(const Pairs& pairs) {
  begin.assign(count() + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++begin[a + 1];
    ++begin[b + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  neighbours.resize(begin.back());
  std::vector<int64_t> next(begin.begin(), begin.end() - 1);
  for (const auto& [a, b] : pairs) {
    neighbours[next[a]++] = b;
    neighbours[next[b]++] = a;
  }
}

// The most bytes of buffers that are all neighbours of each other, grown from each of the largest:
// they lie side by side in every placement.
int64_t Problem::clique_bound() const {
  constexpr int32_t kTries = 64;
  std::vector<double> sizes(size.begin(), size.end());
  const Order by_size = order_by(*this, sizes);
  std::vector<int32_t> met(count(), 0);  // how many of the clique are neighbours
  int64_t most = 0;
  for (int32_t start = 0; start < std::min(count(), kTries); ++start) {
    std::fill(met.begin(), met.end(), 0);
    int32_t members = 0;
    int64_t bytes = 0;
    const auto join = [&](int32_t i) {
      ++members;
      bytes += size[i];
      for (int64_t k = begin[i]; k < begin[i + 1]; ++k) ++met[neighbours[k]];
    };
    join(by_size[start]);
    for (int32_t i : by_size) {
      if (i != by_size[start] && met[i] == members) join(i);
    }
    most = std::max(most, bytes);
  }
  return most;
}

Order order_by(const Problem& problem, const std::vector<double>& key) {
  Order order(problem.count());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    if (key[a] != key[b]) return key[a] > key[b];
    if (problem.first[a] != problem.first[b]) return problem.first[a] < problem.first[b];
    return a < b;
  });
  return order;
}

}  // namespace place
}  // namespace hybrid
