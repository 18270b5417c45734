// Layer normalization: rows normalized by their own mean and variance.
#pragma once
#include "kernels/elementwise.h"

namespace hybrid {

// y = (x - mean) / sqrt(var + eps) * gamma + beta for data seen as (outer, size, inner), with mean
// and biased variance over `size`; gamma and beta have `size` elements. mean and std may be null,
// else they get (outer, inner) elements each; std is sqrt(var + eps). y may be x. Sums are in
// double after short runs; their order depends on the shape alone.
void layer_norm(DType dtype, int64_t outer, int64_t size, int64_t inner, const void* x, double eps,
                const void* gamma, const void* beta, void* y, void* mean, void* std,
                Resources& resources);

}  // namespace hybrid
