#include "ops/ctc_paths.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hybrid {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

}  // namespace

CtcPaths::CtcPaths(const std::vector<double>& log_p, int64_t steps, int64_t classes,
                   const std::vector<int64_t>& label, int64_t blank)
    : log_p_(log_p),
      steps_(steps),
      classes_(classes),
      blank_(blank),
      states_(2 * static_cast<int64_t>(label.size()) + 1) {
  int64_t least = static_cast<int64_t>(label.size());
  for (size_t i = 1; i < label.size(); ++i) least += label[i] == label[i - 1];
  possible_ = least <= steps;
  if (!possible_) return;
  extended_.assign(static_cast<size_t>(states_), blank);
  for (size_t i = 0; i < label.size(); ++i) extended_[2 * i + 1] = label[i];
  forward();
}

bool CtcPaths::may_skip(int64_t s) const {
  const auto at = static_cast<size_t>(s);
  return s >= 2 && extended_[at] != blank_ && extended_[at] != extended_[at - 2];
}

void CtcPaths::forward() {
  alpha_.assign(static_cast<size_t>(steps_ * states_), kNever);
  if (steps_ == 0) return;
  alpha(0, 0) = p(0, 0);
  if (states_ > 1) alpha(0, 1) = p(0, 1);
  for (int64_t t = 1; t < steps_; ++t) {
    for (int64_t s = 0; s < states_; ++s) {
      double sum = alpha(t - 1, s);
      if (s > 0) sum = log_add(sum, alpha(t - 1, s - 1));
      if (may_skip(s)) sum = log_add(sum, alpha(t - 1, s - 2));
      alpha(t, s) = sum + p(t, s);
    }
  }
}

double CtcPaths::loss() const {
  if (!possible_ || steps_ == 0) return 0;
  double total = alpha(steps_ - 1, states_ - 1);
  if (states_ > 1) total = log_add(total, alpha(steps_ - 1, states_ - 2));
  return -total;
}

void CtcPaths::add_posteriors(std::vector<double>* out) const {
  if (!possible_ || steps_ == 0) return;
  const double total = -loss();
  // beta: log probability of what follows step t, given the state there.
  std::vector<double> beta(static_cast<size_t>(states_), kNever), later(beta);
  beta[static_cast<size_t>(states_ - 1)] = 0;
  if (states_ > 1) beta[static_cast<size_t>(states_ - 2)] = 0;
  for (int64_t t = steps_ - 1; t >= 0; --t) {
    if (t + 1 < steps_) {
      std::swap(beta, later);
      for (int64_t s = 0; s < states_; ++s) {
        const auto from = [&](int64_t to) { return later[static_cast<size_t>(to)] + p(t + 1, to); };
        double sum = from(s);
        if (s + 1 < states_) sum = log_add(sum, from(s + 1));
        if (s + 2 < states_ && may_skip(s + 2)) sum = log_add(sum, from(s + 2));
        beta[static_cast<size_t>(s)] = sum;
      }
    }
    for (int64_t s = 0; s < states_; ++s) {
      const auto at = static_cast<size_t>(t * classes_ + extended_[static_cast<size_t>(s)]);
      (*out)[at] += std::exp(alpha(t, s) + beta[static_cast<size_t>(s)] - total);
    }
  }
}

}  // namespace hybrid
