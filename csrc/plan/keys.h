// Orders of preference: what the heuristics and the search place first.
#pragma once
#include <vector>

#include "plan/capacity_search.h"
#include "plan/place.h"

namespace hybrid {
namespace place {

struct NamedKey {
  const char* name;
  double (*of)(const Problem&, int32_t buffer);
};
extern const std::vector<NamedKey> kPortfolioKeys;

std::vector<double> keys(const Problem& problem, double (*of)(const Problem&, int32_t));
double load_width(const Problem& problem, int32_t buffer);  // busiest section first, then widest

// Numbers in [0, 1), the same on every machine.
class Uniform {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_ = 0x9e3779b97f4a7c15ull;
};

// The preference of a search's `round`: four keys by four weights, then the same with noise.
Preference preference_of_round(const Problem& problem, int round, Uniform* uniform);

}  // namespace place
}  // namespace hybrid
