// The portfolio: several cheap heuristics, then restarts within a fixed amount of work.
#include "plan/place.h"

#include <algorithm>

namespace hybrid {
namespace {

using place::Order;
using place::Placement;
using place::Problem;

// Work is estimated in steps of about a nanosecond, never measured: results must not depend on the
// machine. The first heuristics always run.
constexpr int64_t kWork = 2000000;
int64_t stack_work(const Problem& p) { return 250 * static_cast<int64_t>(p.count()); }
int64_t skyline_work(const Problem& p) { return 12 * p.num_pairs + 150 * int64_t{p.count()}; }
int64_t first_fit_work(const Problem& p) { return 30 * p.num_pairs + 150 * int64_t{p.count()}; }

struct Search {
  const Problem& problem;
  Placement best;
  bool found = false;

  void take(Placement candidate) {
    if (found && candidate.peak >= best.peak) return;
    best = std::move(candidate);
    found = true;
  }
  bool optimal() const { return found && best.peak == problem.lower_bound; }
};

std::vector<double> keys(const Problem& p, double (*of)(const Problem&, int32_t)) {
  std::vector<double> key(p.count());
  for (int32_t i = 0; i < p.count(); ++i) key[i] = of(p, i);
  return key;
}

double width(const Problem& p, int32_t i) { return p.last[i] - p.first[i]; }
double bytes(const Problem& p, int32_t i) { return static_cast<double>(p.size[i]); }
double area(const Problem& p, int32_t i) { return bytes(p, i) * width(p, i); }
double load(const Problem& p, int32_t i) { return static_cast<double>(p.peak_load[i]); }
// Lexicographic: the load of the busiest section first, then width or size.
double load_width(const Problem& p, int32_t i) {
  return load(p, i) * (p.sections + 1.0) + width(p, i);
}
double load_bytes(const Problem& p, int32_t i) {
  return load(p, i) + bytes(p, i) / (static_cast<double>(p.lower_bound) + 1.0);
}
constexpr double (*kKeys[])(const Problem&, int32_t) = {bytes, load_width, area, width, load_bytes};

// Restarts: what reached above the bound moves forward in the order, with a little noise.
void improve(Search* search, int64_t work) {
  const Problem& p = search->problem;
  uint64_t state = 0x9e3779b97f4a7c15ull;
  const auto uniform = [&state] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  std::vector<double> base = keys(p, load_width), priority(p.count(), 0.0);
  const double scale = *std::max_element(base.begin(), base.end()) + 1.0;
  for (int64_t round = 0; work > 0 && !search->optimal(); ++round) {
    work -= round % 2 ? first_fit_work(p) : skyline_work(p);
    std::vector<double> key(p.count());
    for (int32_t i = 0; i < p.count(); ++i) {
      key[i] = base[i] / scale + priority[i] + 0.2 * uniform();
    }
    const Placement trial =
        round % 2 ? place::first_fit(p, place::order_by(p, key)) : place::skyline(p, key);
    for (int32_t i = 0; i < p.count(); ++i) {
      const bool above = trial.offset[i] + p.size[i] > search->best.peak - 1;
      priority[i] = 0.95 * priority[i] + (above ? 0.3 : 0.0);
    }
    search->take(trial);
  }
}

}  // namespace

int64_t max_live(const std::vector<Lifetime>& lifetimes) {
  std::vector<std::pair<int64_t, int64_t>> events;
  for (const Lifetime& l : lifetimes) {
    if (l.size == 0 || l.lower >= l.upper) continue;
    events.push_back({l.lower, l.size});
    events.push_back({l.upper, -l.size});
  }
  std::sort(events.begin(), events.end());  // ends sort before starts of the same time
  int64_t live = 0, most = 0;
  for (const auto& [time, change] : events) {
    live += change;
    most = std::max(most, live);
  }
  return most;
}

Layout place_buffers(const std::vector<Lifetime>& lifetimes, int64_t alignment) {
  const Problem p(lifetimes, alignment);
  Layout layout;
  layout.offsets.assign(lifetimes.size(), 0);
  layout.lower_bound = p.lower_bound;
  layout.optimal = true;
  if (p.count() == 0) return layout;
  Search search{p, {}, false};
  search.take(place::allocate_in_time(p));
  int64_t work = kWork;
  for (const auto& key : kKeys) {
    if (search.optimal() || work <= 0) break;
    const std::vector<double> values = keys(p, key);
    const Order order = place::order_by(p, values);
    if (!p.has_neighbours()) {
      search.take(place::stack(p, order));
      work -= stack_work(p);
      continue;
    }
    search.take(place::skyline(p, values));
    work -= skyline_work(p);
    if (work <= 0 || search.optimal()) break;
    search.take(place::first_fit(p, order));
    work -= first_fit_work(p);
  }
  if (p.has_neighbours() && !search.optimal()) improve(&search, work);
  for (int32_t i = 0; i < p.count(); ++i) layout.offsets[p.original[i]] = search.best.offset[i];
  layout.peak = search.best.peak;
  layout.optimal = layout.peak == layout.lower_bound;
  return layout;
}

}  // namespace hybrid
