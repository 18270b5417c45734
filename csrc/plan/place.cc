// The portfolio: several cheap heuristics, then searches below what they reached, within a fixed
// amount of work.
#include "plan/place.h"

#include <algorithm>

#include "plan/capacity_search.h"
#include "plan/keys.h"

namespace hybrid {
namespace {

using place::Best;
using place::CapacitySearch;
using place::Order;
using place::Placement;
using place::Problem;

// Work is counted in steps of about a nanosecond, never measured: results must not depend on the
// machine. The first heuristic always runs.
constexpr double kWorkPerMs = 1e6;
int64_t stack_work(const Problem& p) { return 250 * static_cast<int64_t>(p.count()); }
int64_t skyline_work(const Problem& p) {
  return 12 * p.num_pairs + (150 + std::min(p.count(), 1000)) * int64_t{p.count()};
}
int64_t first_fit_work(const Problem& p) { return 30 * p.num_pairs + 150 * int64_t{p.count()}; }

// Returns the work that is left.
int64_t try_heuristics(Best* best, int64_t work) {
  for (const place::Heuristic& heuristic : place::heuristics(best->problem)) {
    best->take(heuristic.name, heuristic.place());
    work -= heuristic.work;
    if (best->optimal() || work <= 0) break;
  }
  return work;
}

// Searches below a share of the way from the bound to the best: the bound itself, then, as long
// as nothing is found, higher ones.
int64_t try_searches(Best* best, int64_t work) {
  const Problem& p = best->problem;
  CapacitySearch search(p);
  if (!search.possible()) return work;
  place::Uniform uniform;
  constexpr double kShares[] = {0.0, 0.0, 0.3, 0.6};
  for (int round = 0, step = 0; work > 0 && !best->optimal(); ++round) {
    const int64_t above = best->placement.peak - 1 - p.lower_bound;
    const auto capacity =
        p.lower_bound + static_cast<int64_t>(kShares[step % 4] * static_cast<double>(above));
    const place::Preference preference = place::preference_of_round(p, round, &uniform);
    const auto outcome = search.run(capacity, preference, std::min(work, work / 4 + 500000));
    work -= search.work_done() + 100 * int64_t{p.count()};
    if (outcome == CapacitySearch::Outcome::fits) {
      best->take("search", search.placement());
      step = 0;
    } else {
      ++step;
    }
  }
  return work;
}

// Restarts: what reached above the best moves forward in the order, with a little noise.
void restart(Best* best, int64_t work) {
  const Problem& p = best->problem;
  place::Uniform uniform;
  std::vector<double> base = keys(p, place::load_width), priority(p.count(), 0.0);
  const double scale = *std::max_element(base.begin(), base.end()) + 1.0;
  for (int64_t round = 0; work > 0 && !best->optimal(); ++round) {
    work -= round % 2 ? first_fit_work(p) : skyline_work(p);
    std::vector<double> key(p.count());
    for (int32_t i = 0; i < p.count(); ++i) {
      key[i] = base[i] / scale + priority[i] + 0.2 * uniform();
    }
    const Order order = place::order_by(p, key);
    Placement trial = round % 2 ? place::first_fit(p, order) : place::skyline(p, order);
    for (int32_t i = 0; i < p.count(); ++i) {
      const bool above = trial.offset[i] + p.size[i] > best->placement.peak - 1;
      priority[i] = 0.95 * priority[i] + (above ? 0.3 : 0.0);
    }
    best->take(round % 2 ? "first fit, restarted" : "skyline, restarted", std::move(trial));
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

std::vector<place::Heuristic> place::heuristics(const Problem& p) {
  std::vector<Heuristic> all{{"in order of time", 0, [&p] { return allocate_in_time(p); }}};
  for (const NamedKey& key : kPortfolioKeys) {
    const auto order = [&p, &key] { return order_by(p, keys(p, key.of)); };
    const std::string by = std::string(" by ") + key.name;
    if (!p.has_neighbours()) {
      all.push_back({"stacked" + by, stack_work(p), [&p, order] { return stack(p, order()); }});
      continue;
    }
    all.push_back({"skyline" + by, skyline_work(p), [&p, order] { return skyline(p, order()); }});
    all.push_back(
        {"first fit" + by, first_fit_work(p), [&p, order] { return first_fit(p, order()); }});
  }
  return all;
}

void place::Best::take(const std::string& name, Placement candidate) {
  if (!attempts.empty() && candidate.peak >= placement.peak) return;
  placement = std::move(candidate);
  attempts.push_back({name, placement.peak});
}

Layout place::Best::layout(size_t count) const {
  Layout layout;
  layout.offsets.assign(count, 0);
  for (int32_t i = 0; i < problem.count(); ++i) {
    layout.offsets[problem.original[i]] = placement.offset[i];
  }
  for (int32_t i : placement.order) layout.order.push_back(problem.original[i]);
  layout.peak = placement.peak;
  layout.lower_bound = problem.lower_bound;
  layout.proven_bound = bound();
  layout.optimal = problem.count() == 0 || optimal();
  layout.attempts = attempts;
  return layout;
}

void place::try_portfolio(Best* best, double milliseconds) {
  auto work = static_cast<int64_t>(milliseconds * kWorkPerMs);
  work = try_heuristics(best, work);
  if (!best->problem.has_neighbours() || best->optimal()) return;
  work = try_searches(best, work);
  restart(best, work);
}

Layout place_buffers(const std::vector<Lifetime>& lifetimes, int64_t alignment,
                     double milliseconds) {
  const Problem p(lifetimes, alignment);
  Best best{p, {}, {}};
  if (p.count() > 0) place::try_portfolio(&best, milliseconds);
  return best.layout(lifetimes.size());
}

Layout place_apart(const std::vector<Lifetime>& lifetimes,
                   const std::vector<std::pair<int32_t, int32_t>>& apart, int64_t alignment) {
  constexpr int64_t kWork = 10000000;
  const Problem p(lifetimes, alignment, apart);
  Best best{p, {}, {}};
  for (const place::NamedKey& key : place::kPortfolioKeys) {
    if (p.count() == 0 || best.optimal()) break;
    const Order order = place::order_by(p, keys(p, key.of));
    best.take(std::string("skyline by ") + key.name, place::skyline(p, order));
    best.take(std::string("first fit by ") + key.name, place::first_fit(p, order));
  }
  if (p.count() > 0) restart(&best, kWork);
  return best.layout(lifetimes.size());
}

}  // namespace hybrid
