// Discrete Fourier transforms of one line, in double precision.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace hybrid {

struct Complex {
  double re = 0, im = 0;
  Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
  Complex operator-(Complex o) const { return {re - o.re, im - o.im}; }
  Complex operator*(Complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  Complex operator*(double x) const { return {re * x, im * x}; }
  Complex conj() const { return {re, -im}; }
  Complex turned() const { return {im, -re}; }  // times -i
};

// X[k] = sum of x[j] exp(-2 pi i j k / n), not scaled. Sizes of small prime factors by a
// mixed-radix Stockham transform (radix 4, 2, 3, 5, other primes to 31), others by Bluestein's
// convolution.
class FftPlan {
 public:
  explicit FftPlan(int64_t n);
  int64_t size() const { return n_; }
  int64_t scratch() const;  // complex numbers that `run` needs
  void run(Complex* data, Complex* scratch) const;

 private:
  void bluestein(Complex* data, Complex* scratch) const;

  int64_t n_;
  std::vector<int> factors_;
  std::vector<Complex> roots_;  // exp(-2 pi i k / n); Bluestein's: the chirp
  std::unique_ptr<FftPlan> inner_;
  std::vector<Complex> kernel_;  // the transformed chirp
};

// The same of real numbers: n numbers to and from the first n / 2 + 1 of the transform.
class RealFftPlan {
 public:
  explicit RealFftPlan(int64_t n);
  int64_t scratch() const;  // complex numbers that both need
  void forward(const double* x, Complex* out, Complex* scratch) const;
  // Not scaled; imaginary parts of in[0] and of the middle are not read.
  void inverse(const Complex* in, double* x, Complex* scratch) const;

 private:
  int64_t n_, half_;
  FftPlan plan_;  // of half the size where n is even
  std::vector<Complex> roots_;
};

}  // namespace hybrid
