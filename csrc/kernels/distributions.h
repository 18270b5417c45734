// Numbers of distributions that are drawn by rejection: each element has a stream of its own.
#pragma once
#include <cstdint>

#include "kernels/elementwise.h"

namespace hybrid {

// Philox 4x32-10, scalar: number n of element `element` in draw `key` is a pure function of them.
class RandomStream {
 public:
  RandomStream(uint64_t key, uint64_t element) : key_(key), element_(element) {}
  double uniform();  // in (0, 1)
  double normal();   // mean 0, deviation 1: Box and Muller

 private:
  uint64_t key_, element_;
  uint64_t words_[2] = {};
  uint32_t block_ = 0;
  int left_ = 0;
};

// The parameters are those of MXNet's operators; those of a distribution with one leave `b`.
enum class Distribution : uint8_t {
  uniform,                       // low, high
  normal,                        // mean, deviation
  exponential,                   // rate
  gamma,                         // shape, scale
  poisson,                       // mean
  negative_binomial,             // successes, probability of one; gives the failures before them
  generalized_negative_binomial  // mean, dispersion
};

// What is wrong with these parameters; nullptr: nothing.
const char* wrong_parameters(Distribution d, double a, double b);
double draw_one(Distribution d, RandomStream& stream, double a, double b);

// out[i] is drawn with the parameters i / repeat of `a` and `b`, arrays of any number dtype; `b` is
// not read of distributions with one. Throws Error on wrong parameters.
void draw_numbers(Distribution d, uint64_t key, const TensorView& a, const TensorView& b,
                  int64_t repeat, const TensorView& out, Resources& resources);
// The same with one pair of parameters, not checked.
void draw_numbers(Distribution d, uint64_t key, double a, double b, const TensorView& out,
                  Resources& resources);

}  // namespace hybrid
