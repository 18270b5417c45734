#include "plan/keys.h"

#include <algorithm>

namespace hybrid {
namespace place {
namespace {

double width(const Problem& p, int32_t i) { return p.last[i] - p.first[i]; }
double bytes(const Problem& p, int32_t i) { return static_cast<double>(p.size[i]); }
double area(const Problem& p, int32_t i) { return bytes(p, i) * width(p, i); }
double load(const Problem& p, int32_t i) { return static_cast<double>(p.peak_load[i]); }
double load_bytes(const Problem& p, int32_t i) {
  return load(p, i) + bytes(p, i) / (static_cast<double>(p.lower_bound) + 1.0);
}
double load_area(const Problem& p, int32_t i) {
  return load(p, i) + area(p, i) / (static_cast<double>(p.lower_bound) * (p.sections + 1.0));
}

}  // namespace

double load_width(const Problem& p, int32_t i) {
  return load(p, i) * (p.sections + 1.0) + width(p, i);
}

const std::vector<NamedKey> kPortfolioKeys = {{"size", bytes},
                                              {"section load, then lifetime", load_width},
                                              {"area", area},
                                              {"lifetime", width},
                                              {"section load, then size", load_bytes}};

std::vector<double> keys(const Problem& p, double (*of)(const Problem&, int32_t)) {
  std::vector<double> key(p.count());
  for (int32_t i = 0; i < p.count(); ++i) key[i] = of(p, i);
  return key;
}

Preference preference_of_round(const Problem& problem, int round, Uniform* uniform) {
  constexpr double (*kKeys[])(const Problem&, int32_t) = {area, load_width, load_area, width};
  constexpr double kWeights[] = {0.15, 3.0, 1.0, 0.5};
  constexpr int kPlain = 16;
  Preference result;
  result.key = keys(problem, kKeys[round % 4]);
  result.slack_weight = kWeights[round / 4 % 4];
  if (round < kPlain) return result;
  const double noise = 0.3 * (*uniform)();
  for (double& k : result.key) k *= 1.0 + noise * (2.0 * (*uniform)() - 1.0);
  result.slack_weight += 0.2 * (*uniform)();
  return result;
}

}  // namespace place
}  // namespace hybrid
