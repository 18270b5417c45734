// Normalization of rows by their own statistics, with one factor and term a row.
#pragma once
#include "kernels/elementwise.h"

namespace hybrid {

// Data seen as (rows, size): y = (x - mean) / sqrt(var + eps) * gamma[r % groups] + beta[r %
// groups] with the mean and biased variance of row r. mean and std may be null, else they get one
// element a row; std is sqrt(var + eps). y may be x. Sums are in double after short runs; their
// order depends on the shape alone.
void group_norm(DType dtype, int64_t rows, int64_t size, int64_t groups, const void* x, double eps,
                const void* gamma, const void* beta, void* y, void* mean, void* std,
                Resources& resources);

}  // namespace hybrid
