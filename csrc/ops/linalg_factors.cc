// MXNet's factorizations and determinants of stacked matrices: potri, gelqf, syevd, det.
#include <cmath>

#include "kernels/lapack.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/matrix_stack.h"

namespace hybrid {

namespace {

void infer_square(InferContext& c) {
  one_dtype(c);
  if (!c.in_shapes[0].rank_known()) return;
  expect_matrices(c, 0, true);
  set_shape(c, 0, c.in_shapes[0]);
}

Entry product(GradBuilder& b, Entry left, Entry right, bool ta = false, bool tb = false) {
  return b.op("matmul", {left, right}, {{"transpose_a", ta}, {"transpose_b", tb}});
}
Entry turned(GradBuilder& b, Entry x) {
  const int rank = known_rank(b, x);
  return b.op("swapaxes", {x}, {{"dim1", rank - 2}, {"dim2", rank - 1}});
}

// --- potri: the inverse of the matrix with the Cholesky factor A --------------------------------

void run_potri(KernelContext& c) {
  const int64_t n = rows_of(c.in[0].shape);
  const bool lower = c.attrs.boolean("lower");
  for_each_matrix(c, [&](int64_t i) {
    Matrix a = lower ? load(c.in[0], i) : load_turned(c.in[0], i);
    require(n == 0 || lapack_cholesky_inverse(n, a.data()) == 0,
            "linalg_potri: Singular matrix: an element of the diagonal is 0");
    store(c.out[0], i, n, n, [&](int64_t row, int64_t column) {
      return a[static_cast<size_t>(std::min(row, column) * n + std::max(row, column))];
    });
  });
}

void grad_potri(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Entry y = b.output();
  const Entry inner = product(b, product(b, y, b.out_grad()), y);
  const Entry both = b.op("add", {inner, turned(b, inner)});
  const bool lower = b.attrs().boolean("lower");
  const Entry factor = b.op("triangle", {lower ? b.input(0) : turned(b, b.input(0))});
  const Entry flow = b.op("neg", {b.op("triangle", {product(b, both, factor)})});
  b.set(0, lower ? flow : turned(b, flow));
}

// --- gelqf: A = L Q -----------------------------------------------------------------------------

void infer_gelqf(InferContext& c) {
  one_dtype(c);
  const Shape& a = c.in_shapes[0];
  if (!a.rank_known()) return;
  expect_matrices(c, 0, false);
  require(rows_of(a) <= columns_of(a) || columns_of(a) < 0, c.op_name, ": given A ", a,
          ", expected no more rows than columns");
  set_shape(c, 0, a);
  set_shape(c, 1, stacked(a, {rows_of(a), rows_of(a)}));
}

void run_gelqf(KernelContext& c) {
  const int64_t m = rows_of(c.in[0].shape), n = columns_of(c.in[0].shape);
  if (m == 0) return;
  for_each_matrix(c, [&](int64_t i) {
    // Row by row A is its transpose column by column: A^T = Q^T L^T.
    Matrix a(static_cast<size_t>(m * n)), tau(static_cast<size_t>(m));
    const Matrix by_column = load(c.in[0], i);
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t column = 0; column < n; ++column) {
        a[static_cast<size_t>(row * n + column)] = by_column[static_cast<size_t>(column * m + row)];
      }
    }
    require(lapack_qr(n, m, a.data(), tau.data()) == 0, "linalg_gelqf: failed");
    store(c.out[1], i, m, m, [&](int64_t row, int64_t column) {
      return column > row ? 0.0 : a[static_cast<size_t>(row * n + column)];
    });
    require(lapack_q(n, m, m, a.data(), tau.data()) == 0, "linalg_gelqf: failed");
    store(c.out[0], i, m, n,
          [&](int64_t row, int64_t column) { return a[static_cast<size_t>(row * n + column)]; });
  });
}

// M. Seeger et al., "Auto-differentiating linear algebra" (2017), section 3.
void grad_gelqf(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Entry q = b.output(0), l = b.output(1), dq = b.out_grad(0), dl = b.out_grad(1);
  const Entry m = b.op("sub", {product(b, l, dl, true), product(b, dq, q, false, true)});
  const Entry below = b.op("triangle", {m}, {{"k", int64_t{-1}}});
  const Entry both = b.op("add", {b.op("triangle", {m}), turned(b, below)});
  const Entry right = b.op("add", {dq, product(b, both, q)});
  b.set(0, b.op("linalg_trsm", {l, right}, {{"transpose", true}}));
}

// --- syevd: A = U^T diag(L) U -------------------------------------------------------------------

void infer_syevd(InferContext& c) {
  one_dtype(c);
  const Shape& a = c.in_shapes[0];
  if (!a.rank_known()) return;
  expect_matrices(c, 0, true);
  set_shape(c, 0, a);
  set_shape(c, 1, stacked(a, {rows_of(a)}));
}

void run_syevd(KernelContext& c) {
  const int64_t n = rows_of(c.in[0].shape);
  if (n == 0) return;
  for_each_matrix(c, [&](int64_t i) {
    Matrix a = load(c.in[0], i), values(static_cast<size_t>(n));
    require(lapack_eigh(true, n, a.data(), values.data()) == 0,
            "linalg_syevd: Eigenvalues did not converge");
    // An eigenvector is known up to its sign: its largest element is positive, as in MXNet.
    for (int64_t k = 0; k < n; ++k) {
      double* const vector = a.data() + k * n;
      const double* const most = std::max_element(
          vector, vector + n, [](double x, double y) { return std::fabs(x) < std::fabs(y); });
      if (*most < 0) std::transform(vector, vector + n, vector, [](double x) { return -x; });
    }
    store(c.out[0], i, n, n,
          [&](int64_t row, int64_t column) { return a[static_cast<size_t>(row * n + column)]; });
    store_columns(c.out[1], i, 1, n, values);
  });
}

// Of eigenvectors: U^T (F * dU U^T, made symmetric) U with F_ij = 1 / (l_i - l_j); 0 where two
// eigenvalues are equal, so that what does not depend on the choice of their vectors is right.
void grad_syevd(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Entry u = b.output(0), l = b.output(1);
  const Expr column(b, b.op("expand_dims", {l}, {{"axis", -1}}));
  const Expr row(b, b.op("expand_dims", {l}, {{"axis", -2}}));
  const double eps = known_dtype(b, l) == DType::float64 ? 1e-14 : 1e-7;
  const Expr gap = column - row;
  const Expr same = test("lesser_equal", unary("abs", gap), eps);
  const Expr factor = (1 - same) / (gap + same);
  const Expr half = 0.5 * (factor * Expr(b, product(b, b.out_grad(0), u, false, true)));
  const Expr vectors = half + Expr(b, turned(b, half.entry()));
  const Expr inner = vectors + Expr(b, b.op("linalg_makediag", {b.out_grad(1)}));
  b.set(0, product(b, product(b, u, inner.entry(), true), u));
}

// --- det ----------------------------------------------------------------------------------------

void infer_det(InferContext& c) {
  one_dtype(c);
  const Shape& a = c.in_shapes[0];
  if (!a.rank_known()) return;
  expect_matrices(c, 0, true);
  set_shape(c, 0, a.ndim() == 2 ? Shape{1} : stacked(a, {}));
}

void run_det(KernelContext& c) {
  const int64_t n = rows_of(c.in[0].shape);
  std::vector<int32_t> pivots(static_cast<size_t>(n));
  for_each_matrix(c, [&](int64_t i) {
    Matrix a = load(c.in[0], i);
    double det = 1;
    if (n > 0 && lapack_lu(n, a.data(), pivots.data()) != 0) det = 0;
    for (int64_t j = 0; j < n; ++j) {
      det *= a[static_cast<size_t>(j * n + j)];
      if (pivots[static_cast<size_t>(j)] != j + 1) det = -det;
    }
    store(c.out[0], i, 1, 1, [&](int64_t, int64_t) { return det; });
  });
}

void grad_det(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Shape one = known_shape(b, b.input(0));
  one[one.ndim() - 1] = one[one.ndim() - 2] = 1;
  const Expr g(b, reshape_to(b, b.op("mul", {b.out_grad(), b.output()}), one));
  b.set(0, (g * Expr(b, b.op("linalg_inverse", {turned(b, b.input(0))}))).entry());
}

}  // namespace

void register_linalg_factors() {
  OpDef potri = linalg_def("linalg_potri",
                           "(A A^T)^-1 of lower triangular A, or (A^T A)^-1 of an upper one: the "
                           "inverse of the matrix that has the Cholesky factor A. Its other "
                           "triangle is not read.");
  potri.attrs = {kLower};
  potri.infer = infer_square;
  potri.cpu = run_potri;
  potri.gradient = grad_potri;
  add_op(std::move(potri));

  OpDef gelqf = linalg_def("linalg_gelqf",
                           "Q with orthonormal rows and lower triangular L with A = L Q, of A "
                           "(..., m, n), m <= n.");
  gelqf.num_outputs = 2;
  gelqf.infer = infer_gelqf;
  gelqf.cpu = run_gelqf;
  gelqf.gradient = grad_gelqf;
  add_op(std::move(gelqf));

  OpDef syevd = linalg_def("linalg_syevd",
                           "U with the eigenvectors as rows and L with the eigenvalues in "
                           "ascending order, A = U^T diag(L) U, of symmetric A, of which the lower "
                           "triangle is read.");
  syevd.num_outputs = 2;
  syevd.infer = infer_syevd;
  syevd.cpu = run_syevd;
  syevd.gradient = grad_syevd;
  add_op(std::move(syevd));

  OpDef det = linalg_def("linalg_det",
                         "The determinant of every matrix; (1,) of a single one. The gradient "
                         "of a singular matrix is an error.");
  det.infer = infer_det;
  det.cpu = run_det;
  det.gradient = grad_det;
  add_op(std::move(det));
}

}  // namespace hybrid
