#include "kernels/fft.h"

#include <algorithm>
#include <cmath>

namespace hybrid {
namespace {

constexpr double kQuarterPi = 0.78539816339744830962;
constexpr int kLargestRadix = 31;

// exp(-2 pi i k / n), from an angle of at most pi / 4.
Complex root(int64_t k, int64_t n) {
  const int64_t quarter = 4 * k / n;
  int64_t eighths = 8 * k - 2 * n * quarter;
  const bool mirrored = eighths > n;
  if (mirrored) eighths = 2 * n - eighths;
  const double angle = kQuarterPi * static_cast<double>(eighths) / static_cast<double>(n);
  double c = std::cos(angle), s = std::sin(angle);
  if (mirrored) std::swap(c, s);
  for (int64_t i = 0; i < quarter; ++i) {
    const double turned = -s;
    s = c;
    c = turned;
  }
  return {c, -s};
}

std::vector<Complex> roots_of(int64_t count, int64_t n) {
  std::vector<Complex> made(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) made[static_cast<size_t>(k)] = root(k, n);
  return made;
}

// Takes the factors out of n; what is left has only large ones.
int64_t factorize(int64_t n, std::vector<int>* factors) {
  for (int f : {4, 2, 3, 5}) {
    for (; n % f == 0; n /= f) factors->push_back(f);
  }
  for (int f = 7; f <= kLargestRadix; f += 2) {
    for (; n % f == 0; n /= f) factors->push_back(f);
  }
  return n;
}

// The least size of at least n that has only the factors 2, 3 and 5.
int64_t smooth_size(int64_t n) {
  int64_t best = 1;
  while (best < n) best *= 2;
  for (int64_t fives = 1; fives < best; fives *= 5) {
    for (int64_t size = fives; size < best; size *= 3) {
      int64_t even = size;
      while (even < n) even *= 2;
      best = std::min(best, even);
    }
  }
  return best;
}

struct Radix2 {
  static constexpr int size = 2;
  static void transform(Complex* a) {
    const Complex x = a[0] - a[1];
    a[0] = a[0] + a[1];
    a[1] = x;
  }
};

struct Radix3 {
  static constexpr int size = 3;
  static void transform(Complex* a) {
    constexpr double sine = 0.86602540378443864676;
    const Complex sum = a[1] + a[2], rest = (a[1] - a[2]).turned() * sine;
    const Complex middle = a[0] - sum * 0.5;
    a[0] = a[0] + sum;
    a[1] = middle + rest;
    a[2] = middle - rest;
  }
};

struct Radix4 {
  static constexpr int size = 4;
  static void transform(Complex* a) {
    const Complex even = a[0] + a[2], odd = a[1] + a[3];
    const Complex apart = a[0] - a[2], turned = (a[1] - a[3]).turned();
    a[0] = even + odd;
    a[1] = apart + turned;
    a[2] = even - odd;
    a[3] = apart - turned;
  }
};

struct Radix5 {
  static constexpr int size = 5;
  static void transform(Complex* a) {
    constexpr double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
    constexpr double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
    const Complex sum1 = a[1] + a[4], sum2 = a[2] + a[3];
    const Complex apart1 = (a[1] - a[4]).turned(), apart2 = (a[2] - a[3]).turned();
    const Complex near = a[0] + sum1 * c1 + sum2 * c2, far = a[0] + sum1 * c2 + sum2 * c1;
    const Complex near_rest = apart1 * s1 + apart2 * s2, far_rest = apart1 * s2 - apart2 * s1;
    a[0] = a[0] + sum1 + sum2;
    a[1] = near + near_rest;
    a[2] = far + far_rest;
    a[3] = far - far_rest;
    a[4] = near - near_rest;
  }
};

// One step of Stockham's transform: `stride` interleaved lines of `length` numbers each.
template <class Radix>
void pass(const Complex* from, Complex* to, int64_t length, int64_t stride,
          const std::vector<Complex>& roots) {
  constexpr int r = Radix::size;
  const int64_t m = length / r;
  for (int64_t p = 0; p < m; ++p) {
    Complex w[r];
    for (int k = 1; k < r; ++k) w[k] = roots[static_cast<size_t>(p * k * stride)];
    for (int64_t q = 0; q < stride; ++q) {
      Complex a[r];
      for (int j = 0; j < r; ++j) a[j] = from[q + stride * (p + m * j)];
      Radix::transform(a);
      to[q + stride * r * p] = a[0];
      for (int k = 1; k < r; ++k) to[q + stride * (r * p + k)] = a[k] * w[k];
    }
  }
}

void pass_of_prime(const Complex* from, Complex* to, int64_t length, int64_t stride,
                   const std::vector<Complex>& roots, int r) {
  const int64_t m = length / r, n = length * stride;
  for (int64_t p = 0; p < m; ++p) {
    for (int64_t q = 0; q < stride; ++q) {
      for (int64_t k = 0; k < r; ++k) {
        Complex sum = from[q + stride * p];
        for (int64_t j = 1; j < r; ++j) {
          sum = sum +
                from[q + stride * (p + m * j)] * roots[static_cast<size_t>(j * k % r * (n / r))];
        }
        to[q + stride * (r * p + k)] = sum * roots[static_cast<size_t>(p * k * stride)];
      }
    }
  }
}

}  // namespace

FftPlan::FftPlan(int64_t n) : n_(n) {
  if (factorize(n, &factors_) == 1) {
    roots_ = roots_of(n, n);
    return;
  }
  inner_ = std::make_unique<FftPlan>(smooth_size(2 * n - 1));
  const int64_t size = inner_->size();
  for (int64_t k = 0, square = 0; k < n; ++k) {
    roots_.push_back(root(square, 2 * n));
    square = (square + 2 * k + 1) % (2 * n);
  }
  kernel_.resize(static_cast<size_t>(size));
  for (int64_t k = 0; k < n; ++k) {
    const Complex chirp = roots_[static_cast<size_t>(k)].conj() * (1 / static_cast<double>(size));
    kernel_[static_cast<size_t>(k)] = chirp;
    if (k > 0) kernel_[static_cast<size_t>(size - k)] = chirp;
  }
  std::vector<Complex> work(static_cast<size_t>(inner_->scratch()));
  inner_->run(kernel_.data(), work.data());
}

int64_t FftPlan::scratch() const { return inner_ ? inner_->size() + inner_->scratch() : n_; }

void FftPlan::run(Complex* data, Complex* scratch) const {
  if (inner_) return bluestein(data, scratch);
  Complex *from = data, *to = scratch;
  int64_t length = n_, stride = 1;
  for (int r : factors_) {
    switch (r) {
      case 2:
        pass<Radix2>(from, to, length, stride, roots_);
        break;
      case 3:
        pass<Radix3>(from, to, length, stride, roots_);
        break;
      case 4:
        pass<Radix4>(from, to, length, stride, roots_);
        break;
      case 5:
        pass<Radix5>(from, to, length, stride, roots_);
        break;
      default:
        pass_of_prime(from, to, length, stride, roots_, r);
    }
    length /= r;
    stride *= r;
    std::swap(from, to);
  }
  if (from != data) std::copy(from, from + n_, data);
}

// L. Bluestein (1970): j k = (j^2 + k^2 - (k - j)^2) / 2 makes a convolution of it.
void FftPlan::bluestein(Complex* data, Complex* scratch) const {
  const int64_t size = inner_->size();
  Complex *work = scratch, *rest = scratch + size;
  for (int64_t k = 0; k < n_; ++k) work[k] = data[k] * roots_[static_cast<size_t>(k)];
  std::fill(work + n_, work + size, Complex());
  inner_->run(work, rest);
  for (int64_t k = 0; k < size; ++k) work[k] = (work[k] * kernel_[static_cast<size_t>(k)]).conj();
  inner_->run(work, rest);
  for (int64_t k = 0; k < n_; ++k) data[k] = work[k].conj() * roots_[static_cast<size_t>(k)];
}

RealFftPlan::RealFftPlan(int64_t n)
    : n_(n), half_(n / 2), plan_(n % 2 == 0 ? half_ : n), roots_(roots_of(half_ + 1, n)) {}

int64_t RealFftPlan::scratch() const { return plan_.size() + plan_.scratch(); }

void RealFftPlan::forward(const double* x, Complex* out, Complex* scratch) const {
  Complex *z = scratch, *rest = scratch + plan_.size();
  if (n_ % 2 != 0) {
    for (int64_t j = 0; j < n_; ++j) z[j] = {x[j], 0};
    plan_.run(z, rest);
    std::copy(z, z + half_ + 1, out);
    out[0].im = 0;
    return;
  }
  for (int64_t j = 0; j < half_; ++j) z[j] = {x[2 * j], x[2 * j + 1]};  // even and odd places
  plan_.run(z, rest);
  for (int64_t k = 0; k <= half_; ++k) {
    const Complex a = z[k % half_], b = z[(half_ - k) % half_].conj();
    out[k] = ((a + b) + roots_[static_cast<size_t>(k)] * (a - b).turned()) * 0.5;
  }
  out[0] = {z[0].re + z[0].im, 0};
  out[half_] = {z[0].re - z[0].im, 0};
}

void RealFftPlan::inverse(const Complex* in, double* x, Complex* scratch) const {
  Complex *z = scratch, *rest = scratch + plan_.size();
  if (n_ % 2 != 0) {
    z[0] = {in[0].re, 0};
    for (int64_t k = 1; k <= half_; ++k) {
      z[k] = in[k].conj();
      z[n_ - k] = in[k];
    }
    plan_.run(z, rest);
    for (int64_t j = 0; j < n_; ++j) x[j] = z[j].re;
    return;
  }
  for (int64_t k = 0; k < half_; ++k) {
    const Complex a = k > 0 ? in[k] : Complex{in[0].re, 0};
    const Complex b = k > 0 ? in[half_ - k].conj() : Complex{in[half_].re, 0};
    const Complex odd = (a - b) * roots_[static_cast<size_t>(k)].conj();
    z[k] = (a + b - odd.turned()).conj();  // the inverse by two conjugations
  }
  plan_.run(z, rest);
  for (int64_t j = 0; j < half_; ++j) {
    x[2 * j] = z[j].re;
    x[2 * j + 1] = -z[j].im;
  }
}

}  // namespace hybrid
