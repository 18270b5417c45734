// Batch normalization: statistics of channels, normalizing by them, and the gradient.
#pragma once
#include "kernels/elementwise.h"

namespace hybrid {

// Data seen as (outer, channels, inner).
struct BatchNormShape {
  int64_t outer, channels, inner;
};

// Per channel mean, biased variance and 1 / sqrt(variance + eps). Sums are in double after short
// runs; their order depends on the shape alone.
void batch_norm_statistics(DType dtype, const BatchNormShape& shape, const void* x, double eps,
                           void* mean, void* invstd, void* variance, Resources& resources);
// 1 / sqrt(variance + eps), n of them.
void batch_norm_invstd(DType dtype, int64_t n, const void* variance, double eps, void* invstd);
// y = (x - mean) * (invstd * gamma) + beta; gamma null: ones. y may be x.
void batch_norm_apply(DType dtype, const BatchNormShape& shape, const void* x, const void* mean,
                      const void* invstd, const void* gamma, const void* beta, void* y,
                      Resources& resources);
// Gradients by x, gamma (zeros where gamma is null) and beta, given that of y. `batch`: the
// statistics are those of x itself. dx may be dy or x.
void batch_norm_grad(DType dtype, const BatchNormShape& shape, bool batch, const void* dy,
                     const void* x, const void* gamma, const void* mean, const void* invstd,
                     void* dx, void* dgamma, void* dbeta, Resources& resources);

}  // namespace hybrid
