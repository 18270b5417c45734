#include "kernels/blas.h"

#include <cblas.h>

#include "core/error.h"

namespace hybrid {
namespace {

blasint narrow(int64_t n) {
  require(n <= INT32_MAX, "matrix product: a dimension of ", n, ", expected at most 2^31 - 1");
  return static_cast<blasint>(n);
}

// OpenBLAS's own threads fall to a fraction of their speed, and spin, when a core is busy.
void use_one_thread() {
  static const bool done = [] {
    scipy_openblas_set_num_threads(1);
    return true;
  }();
  (void)done;
}

CBLAS_TRANSPOSE transposed(bool yes) { return yes ? CblasTrans : CblasNoTrans; }

}  // namespace

void blas_gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, const float* a,
               int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  use_one_thread();
  scipy_cblas_sgemm(CblasRowMajor, transposed(trans_a), transposed(trans_b), narrow(m), narrow(n),
                    narrow(k), 1, a, narrow(lda), b, narrow(ldb), beta, c, narrow(ldc));
}

void blas_gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, const double* a,
               int64_t lda, const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  use_one_thread();
  scipy_cblas_dgemm(CblasRowMajor, transposed(trans_a), transposed(trans_b), narrow(m), narrow(n),
                    narrow(k), 1, a, narrow(lda), b, narrow(ldb), beta, c, narrow(ldc));
}

void blas_gemm_complex(bool wide, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                       const void* a, int64_t lda, const void* b, int64_t ldb, void* c,
                       int64_t ldc) {
  use_one_thread();
  const double one[2] = {1, 0}, zero[2] = {0, 0};
  const float one_narrow[2] = {1, 0}, zero_narrow[2] = {0, 0};
  if (wide) {
    scipy_cblas_zgemm(CblasRowMajor, transposed(trans_a), transposed(trans_b), narrow(m), narrow(n),
                      narrow(k), one, a, narrow(lda), b, narrow(ldb), zero, c, narrow(ldc));
  } else {
    scipy_cblas_cgemm(CblasRowMajor, transposed(trans_a), transposed(trans_b), narrow(m), narrow(n),
                      narrow(k), one_narrow, a, narrow(lda), b, narrow(ldb), zero_narrow, c,
                      narrow(ldc));
  }
}

void blas_gemv_t(int64_t k, int64_t n, const float* a, int64_t lda, const float* x,
                 int64_t stride_x, float beta, float* y, int64_t stride_y) {
  use_one_thread();
  scipy_cblas_sgemv(CblasRowMajor, CblasTrans, narrow(k), narrow(n), 1, a, narrow(lda), x,
                    narrow(stride_x), beta, y, narrow(stride_y));
}

void blas_gemv_t(int64_t k, int64_t n, const double* a, int64_t lda, const double* x,
                 int64_t stride_x, double beta, double* y, int64_t stride_y) {
  use_one_thread();
  scipy_cblas_dgemv(CblasRowMajor, CblasTrans, narrow(k), narrow(n), 1, a, narrow(lda), x,
                    narrow(stride_x), beta, y, narrow(stride_y));
}

}  // namespace hybrid
