// CTC of one sequence: the probability of all alignments of a label (Graves et al. 2006), in
// logarithms.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hybrid {

class CtcPaths {
 public:
  // log_p: of (steps, classes), a row `stride` apart from the next. label: classes without blanks.
  CtcPaths(const std::vector<double>& log_p, int64_t steps, int64_t classes,
           const std::vector<int64_t>& label, int64_t blank);
  // Is there an alignment at all? Equal neighbours need a blank between them.
  bool possible() const { return possible_; }
  double loss() const;  // -log of the probability; 0 without an alignment, as in MXNet
  // Probability that step t gives class k, in all alignments: added to out[t * classes + k].
  void add_posteriors(std::vector<double>* out) const;

 private:
  double p(int64_t t, int64_t s) const {
    return log_p_[static_cast<size_t>(t * classes_ + extended_[static_cast<size_t>(s)])];
  }
  bool may_skip(int64_t s) const;  // from state s - 2 to s
  void forward();
  double& alpha(int64_t t, int64_t s) { return alpha_[static_cast<size_t>(t * states_ + s)]; }
  double alpha(int64_t t, int64_t s) const { return alpha_[static_cast<size_t>(t * states_ + s)]; }

  const std::vector<double>& log_p_;
  const int64_t steps_, classes_, blank_;
  int64_t states_;
  std::vector<int64_t> extended_;  // the label with blanks around every class
  bool possible_;
  std::vector<double> alpha_;  // log probability of all that ends in state s at step t
};

}  // namespace hybrid
