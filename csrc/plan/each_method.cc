// The heuristics side by side, for people who want to compare them.
#include <chrono>

#include "plan/place.h"

namespace hybrid {

std::vector<MethodFigure> place_by_each(const std::vector<Lifetime>& lifetimes, int64_t alignment,
                                        double milliseconds) {
  using Clock = std::chrono::steady_clock;
  const place::Problem p(lifetimes, alignment);
  std::vector<MethodFigure> figures;
  if (p.count() == 0) return figures;
  double left = milliseconds * 1e6;
  for (const place::Heuristic& heuristic : place::heuristics(p)) {
    left -= static_cast<double>(heuristic.work);
    if (left < 0) continue;
    const auto start = Clock::now();
    const place::Placement placement = heuristic.place();
    const std::chrono::duration<double> took = Clock::now() - start;
    MethodFigure figure{heuristic.name, placement.peak, took.count(), {}};
    figure.offsets.assign(lifetimes.size(), 0);
    for (int32_t i = 0; i < p.count(); ++i) figure.offsets[p.original[i]] = placement.offset[i];
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace hybrid
