// LAPACK of OpenBLAS: factorizations of one matrix, column-major as LAPACK has them.
#pragma once
#include <cstdint>

namespace hybrid {

// Each returns LAPACK's info: 0, or more than 0 where the factorization failed.
// `a` (n, n) is overwritten by its LU factors, `pivots` has n places.
int lapack_lu(int64_t n, double* a, int32_t* pivots);
// b (n, k) becomes the solution of a x = b.
int lapack_solve(int64_t n, int64_t k, double* a, double* b, int32_t* pivots);
// The lower triangle of a becomes its Cholesky factor.
int lapack_cholesky(int64_t n, double* a);
// The lower triangle of a, a Cholesky factor, becomes that of the inverse of the matrix it is of.
int lapack_cholesky_inverse(int64_t n, double* a);
// b (m, n) becomes x of op(a) x = alpha b, or with `right` of x op(a) = alpha b; a is triangular.
void lapack_triangular(bool right, bool lower, bool turned, int64_t m, int64_t n, double alpha,
                       const double* a, double* b);
// values (n), ascending; a becomes the eigenvectors. Reads one triangle.
int lapack_eigh(bool lower, int64_t n, double* a, double* values);
// a (m, n) is destroyed; u (m, m or k), s (k), vt (n or k, n), with k = min(m, n).
int lapack_svd(bool full, int64_t m, int64_t n, double* a, double* s, double* u, double* vt);
// r: a (m, n) becomes R above Householder vectors; q (m, columns) starts with those vectors.
int lapack_qr(int64_t m, int64_t n, double* a, double* tau);
int lapack_q(int64_t m, int64_t columns, int64_t reflectors, double* q, const double* tau);

}  // namespace hybrid
