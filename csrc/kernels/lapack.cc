#include "kernels/lapack.h"

#include <cblas.h>

#include <algorithm>
#include <vector>

#include "core/error.h"

// Fortran's own names: LAPACK's headers differ in the lengths of strings that they pass.
extern "C" {
void scipy_dgetrf_(const blasint* m, const blasint* n, double* a, const blasint* lda, blasint* ipiv,
                   blasint* info);
void scipy_dgesv_(const blasint* n, const blasint* nrhs, double* a, const blasint* lda,
                  blasint* ipiv, double* b, const blasint* ldb, blasint* info);
void scipy_dpotrf_(const char* uplo, const blasint* n, double* a, const blasint* lda, blasint* info,
                   size_t);
void scipy_dpotri_(const char* uplo, const blasint* n, double* a, const blasint* lda, blasint* info,
                   size_t);
void scipy_dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag,
                  const blasint* m, const blasint* n, const double* alpha, const double* a,
                  const blasint* lda, double* b, const blasint* ldb, size_t, size_t, size_t,
                  size_t);
void scipy_dsyevd_(const char* jobz, const char* uplo, const blasint* n, double* a,
                   const blasint* lda, double* w, double* work, const blasint* lwork,
                   blasint* iwork, const blasint* liwork, blasint* info, size_t, size_t);
void scipy_dgesdd_(const char* jobz, const blasint* m, const blasint* n, double* a,
                   const blasint* lda, double* s, double* u, const blasint* ldu, double* vt,
                   const blasint* ldvt, double* work, const blasint* lwork, blasint* iwork,
                   blasint* info, size_t);
void scipy_dgeqrf_(const blasint* m, const blasint* n, double* a, const blasint* lda, double* tau,
                   double* work, const blasint* lwork, blasint* info);
void scipy_dorgqr_(const blasint* m, const blasint* n, const blasint* k, double* a,
                   const blasint* lda, const double* tau, double* work, const blasint* lwork,
                   blasint* info);
}

namespace hybrid {
namespace {

blasint narrow(int64_t n) {
  require(n <= INT32_MAX, "linalg: a dimension of ", n, ", expected at most 2^31 - 1");
  return static_cast<blasint>(n);
}
blasint leading(int64_t n) { return std::max<blasint>(1, narrow(n)); }

// Calls twice: `call(work, lwork)` first answers how much workspace it wants.
template <class Call>
void with_work(Call&& call) {
  double wanted = 1;
  blasint size = -1;
  call(&wanted, size);
  size = std::max<blasint>(1, static_cast<blasint>(wanted));
  std::vector<double> work(static_cast<size_t>(size));
  call(work.data(), size);
}

}  // namespace

int lapack_lu(int64_t n, double* a, int32_t* pivots) {
  const blasint size = narrow(n), lda = leading(n);
  blasint info = 0;
  scipy_dgetrf_(&size, &size, a, &lda, pivots, &info);
  return info;
}

int lapack_solve(int64_t n, int64_t k, double* a, double* b, int32_t* pivots) {
  const blasint size = narrow(n), columns = narrow(k), lda = leading(n);
  blasint info = 0;
  scipy_dgesv_(&size, &columns, a, &lda, pivots, b, &lda, &info);
  return info;
}

int lapack_cholesky(int64_t n, double* a) {
  const blasint size = narrow(n), lda = leading(n);
  blasint info = 0;
  scipy_dpotrf_("L", &size, a, &lda, &info, 1);
  return info;
}

int lapack_cholesky_inverse(int64_t n, double* a) {
  const blasint size = narrow(n), lda = leading(n);
  blasint info = 0;
  scipy_dpotri_("L", &size, a, &lda, &info, 1);
  return info;
}

void lapack_triangular(bool right, bool lower, bool turned, int64_t m, int64_t n, double alpha,
                       const double* a, double* b) {
  const blasint rows = narrow(m), columns = narrow(n), lda = leading(right ? n : m),
                ldb = leading(m);
  scipy_dtrsm_(right ? "R" : "L", lower ? "L" : "U", turned ? "T" : "N", "N", &rows, &columns,
               &alpha, a, &lda, b, &ldb, 1, 1, 1, 1);
}

int lapack_eigh(bool lower, int64_t n, double* a, double* values) {
  const blasint size = narrow(n), lda = leading(n), ints = leading(3 + 5 * n);
  std::vector<blasint> iwork(static_cast<size_t>(ints));
  blasint info = 0;
  with_work([&](double* work, blasint lwork) {
    const blasint asked = lwork < 0 ? -1 : ints;
    scipy_dsyevd_("V", lower ? "L" : "U", &size, a, &lda, values, work, &lwork, iwork.data(),
                  &asked, &info, 1, 1);
  });
  return info;
}

int lapack_svd(bool full, int64_t m, int64_t n, double* a, double* s, double* u, double* vt) {
  const int64_t k = std::min(m, n);
  const blasint rows = narrow(m), columns = narrow(n), lda = leading(m),
                ldvt = leading(full ? n : k);
  std::vector<blasint> iwork(static_cast<size_t>(8 * k));
  blasint info = 0;
  with_work([&](double* work, blasint lwork) {
    scipy_dgesdd_(full ? "A" : "S", &rows, &columns, a, &lda, s, u, &lda, vt, &ldvt, work, &lwork,
                  iwork.data(), &info, 1);
  });
  return info;
}

int lapack_qr(int64_t m, int64_t n, double* a, double* tau) {
  const blasint rows = narrow(m), columns = narrow(n), lda = leading(m);
  blasint info = 0;
  with_work([&](double* work, blasint lwork) {
    scipy_dgeqrf_(&rows, &columns, a, &lda, tau, work, &lwork, &info);
  });
  return info;
}

int lapack_q(int64_t m, int64_t columns, int64_t reflectors, double* q, const double* tau) {
  const blasint rows = narrow(m), wide = narrow(columns), k = narrow(reflectors), lda = leading(m);
  blasint info = 0;
  with_work([&](double* work, blasint lwork) {
    scipy_dorgqr_(&rows, &wide, &k, q, &lda, tau, work, &lwork, &info);
  });
  return info;
}

}  // namespace hybrid
