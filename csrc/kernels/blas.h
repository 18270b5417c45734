// BLAS: OpenBLAS on one thread; parallel work is split outside of it (kernels/gemm.cc).
#pragma once
#include <cstdint>

namespace hybrid {

// c[m,n] = op(a) @ op(b) + beta c; row-major; leading dimensions in elements.
void blas_gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, const float* a,
               int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
void blas_gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, const double* a,
               int64_t lda, const double* b, int64_t ldb, double beta, double* c, int64_t ldc);
// The same of complex64 (wide: complex128) numbers.
void blas_gemm_complex(bool wide, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                       const void* a, int64_t lda, const void* b, int64_t ldb, void* c,
                       int64_t ldc);
// y[n] = a[k,n]^T x[k] + beta y, y's elements stride_y apart.
void blas_gemv_t(int64_t k, int64_t n, const float* a, int64_t lda, const float* x,
                 int64_t stride_x, float beta, float* y, int64_t stride_y);
void blas_gemv_t(int64_t k, int64_t n, const double* a, int64_t lda, const double* x,
                 int64_t stride_x, double beta, double* y, int64_t stride_y);

}  // namespace hybrid
