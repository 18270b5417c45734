// Batch normalization table: rows of one channel, for one instruction set.
#pragma once
#include <cstdint>

namespace hybrid {

// A row is a run of neighbouring elements of one channel. Sums are added to in double.
template <class T>
struct BatchNormFns {
  double (*sum)(int64_t n, const T* x);
  double (*sum_squares)(int64_t n, const T* x, T mean);  // of x - mean
  void (*apply)(int64_t n, const T* x, T mean, T scale, T shift, T* y);
  // y = (x - mean) * scale * gamma + beta, gamma and beta as long as the row.
  void (*affine)(int64_t n, const T* x, T mean, T scale, const T* gamma, const T* beta, T* y);
  // The sums of dy and of dy (x - mean).
  void (*grad_sums)(int64_t n, const T* dy, const T* x, T mean, double* sum, double* product);
  // dx = (dy - offset - (x - mean) * slope) * scale
  void (*grad)(int64_t n, const T* dy, const T* x, T mean, T offset, T slope, T scale, T* dx);
  void (*scale)(int64_t n, const T* dy, T scale, T* dx);
};
struct BatchNormTable {
  BatchNormFns<float> f32;
  BatchNormFns<double> f64;
};
// Those of this machine; the argument tells the type.
const BatchNormFns<float>& batch_norm_fns(float);
const BatchNormFns<double>& batch_norm_fns(double);

}  // namespace hybrid
