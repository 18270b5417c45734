// Linear algebra by LAPACK: systems, inverses, determinants and factorizations of stacked matrices.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/lapack.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/matrix_stack.h"

namespace hybrid {

namespace {

// --- solve, inverse -----------------------------------------------------------------------------

void infer_solve(InferContext& c) {
  one_dtype(c);
  const Shape &a = c.in_shapes[0], &b = c.in_shapes[1];
  if (!a.rank_known() || !b.rank_known()) return;
  expect_matrices(c, 0, true);
  expect_matrices(c, 1, false);
  bool same = a.ndim() == b.ndim();
  for (int i = 0; same && i < a.ndim() - 1; ++i) same = a[i] == b[i] || a[i] < 0 || b[i] < 0;
  require(same, c.op_name, ": given a of shape ", a, " and b of shape ", b,
          ", expected as many right sides and rows as a has");
  set_shape(c, 0, b);
}

void solve_into(KernelContext& c, int64_t at, Matrix right, int64_t k) {
  const int64_t n = rows_of(c.in[0].shape);
  Matrix a = load(c.in[0], at);
  std::vector<int32_t> pivots(static_cast<size_t>(n));
  require(n == 0 || lapack_solve(n, k, a.data(), right.data(), pivots.data()) == 0,
          c.attrs.op()->name, ": Singular matrix");
  store_columns(c.out[0], at, n, k, right);
}

void run_solve(KernelContext& c) {
  for_each_matrix(
      c, [&](int64_t i) { solve_into(c, i, load(c.in[1], i), columns_of(c.in[1].shape)); });
}

void grad_solve(GradBuilder& b) {
  const int rank = known_rank(b, b.input(0));
  const Entry turned = b.op("swapaxes", {b.input(0)}, {{"dim1", rank - 2}, {"dim2", rank - 1}});
  const Entry right = b.op("linalg_solve", {turned, b.out_grad()});
  if (b.wanted(1)) b.set(1, right);
  if (b.wanted(0)) {
    b.set(0, b.op("neg", {b.op("matmul", {right, b.output()}, {{"transpose_b", true}})}));
  }
}

void infer_square(InferContext& c) {
  one_dtype(c);
  if (!c.in_shapes[0].rank_known()) return;
  expect_matrices(c, 0, true);
  set_shape(c, 0, c.in_shapes[0]);
}

void run_inverse(KernelContext& c) {
  const int64_t n = rows_of(c.in[0].shape);
  for_each_matrix(c, [&](int64_t i) {
    Matrix one(static_cast<size_t>(n * n));
    for (int64_t j = 0; j < n; ++j) one[static_cast<size_t>(j * n + j)] = 1;
    solve_into(c, i, std::move(one), n);
  });
}

void grad_inverse(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Entry inner = b.op("matmul", {b.output(), b.out_grad()}, {{"transpose_a", true}});
  const Entry grad = b.op("matmul", {inner, b.output()}, {{"transpose_b", true}});
  b.set(0, b.op("neg", {grad}));
}

// --- determinant --------------------------------------------------------------------------------

void infer_slogdet(InferContext& c) {
  one_dtype(c);
  if (!c.in_shapes[0].rank_known()) return;
  expect_matrices(c, 0, true);
  const bool one = c.in_shapes[0].ndim() == 2 && c.attrs.boolean("at_least_1d");
  for (size_t i = 0; i < 2; ++i) set_shape(c, i, one ? Shape{1} : stacked(c.in_shapes[0], {}));
}

void run_slogdet(KernelContext& c) {
  const int64_t n = rows_of(c.in[0].shape);
  std::vector<int32_t> pivots(static_cast<size_t>(n));
  for_each_matrix(c, [&](int64_t i) {
    Matrix a = load(c.in[0], i);
    const bool singular = n > 0 && lapack_lu(n, a.data(), pivots.data()) != 0;
    double sign = 1, logarithm = 0;
    for (int64_t j = 0; j < n; ++j) {
      const double x = a[static_cast<size_t>(j * n + j)];
      if (pivots[static_cast<size_t>(j)] != j + 1) sign = -sign;
      if (x < 0) sign = -sign;
      logarithm += std::log(std::abs(x));
    }
    store(c.out[0], i, 1, 1, [&](int64_t, int64_t) { return singular ? 0 : sign; });
    store(c.out[1], i, 1, 1, [&](int64_t, int64_t) { return singular ? -INFINITY : logarithm; });
  });
}

void grad_slogdet(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const int rank = known_rank(b, b.input(0));
  const Entry turned = b.op("swapaxes", {b.input(0)}, {{"dim1", rank - 2}, {"dim2", rank - 1}});
  Shape one = known_shape(b, b.input(0));
  one[rank - 1] = one[rank - 2] = 1;
  const Entry g = reshape_to(b, b.out_grad(1), one);
  b.set(0, b.op("mul", {b.op("linalg_inverse", {turned}), g}));
}

// --- factorizations -----------------------------------------------------------------------------

void run_potrf(KernelContext& c) {
  const bool lower = c.attrs.boolean("lower");
  const int64_t n = rows_of(c.in[0].shape);
  for_each_matrix(c, [&](int64_t i) {
    Matrix a = lower ? load(c.in[0], i) : load_turned(c.in[0], i);
    require(n == 0 || lapack_cholesky(n, a.data()) == 0,
            "linalg_potrf: Matrix is not positive definite");
    store(c.out[0], i, n, n, [&](int64_t row, int64_t column) {
      if (!lower) std::swap(row, column);
      return column > row ? 0.0 : a[static_cast<size_t>(column * n + row)];
    });
  });
}

// Of ones below the diagonal of n x n and halves on it.
Entry half_lower(GradBuilder& b, int64_t n, DType dtype) {
  const Entry places = b.op(
      "arange", {},
      {{"start", 0.0}, {"stop", static_cast<double>(n)}, {"dtype", static_cast<int64_t>(dtype)}});
  const Entry rows = reshape_to(b, places, {n, 1});
  const GradBuilder::AttrList own = {{"dtype", AttrValue()}};
  const Entry both = b.op(
      "add", {b.op("greater_equal", {rows, places}, own), b.op("greater", {rows, places}, own)});
  return b.op("mul_scalar", {both}, {{"scalar", 0.5}});
}

Entry swapped(GradBuilder& b, Entry x) {
  const int rank = known_rank(b, x);
  return b.op("swapaxes", {x}, {{"dim1", rank - 2}, {"dim2", rank - 1}});
}

// I. Murray, "Differentiation of the Cholesky decomposition" (2016), eq. 10. Half of what flows to
// an element below the diagonal is its mirror image's: the gradient is symmetric, as in MXNet.
void grad_potrf(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const bool lower = b.attrs().boolean("lower");
  const Entry factor = lower ? b.output() : swapped(b, b.output());
  const Entry flow = lower ? b.out_grad() : swapped(b, b.out_grad());
  const Entry mask = half_lower(b, rows_of(known_shape(b, factor)), known_dtype(b, factor));
  const Entry inner = b.op("mul", {b.op("matmul", {factor, flow}, {{"transpose_a", true}}), mask});
  const Entry inverse = b.op("linalg_inverse", {factor});
  const Entry left = b.op("matmul", {inverse, inner}, {{"transpose_a", true}});
  const Entry one = b.op("matmul", {left, inverse});
  b.set(0, b.op("mul_scalar", {b.op("add", {one, swapped(b, one)})}, {{"scalar", 0.5}}));
}

void infer_eigh(InferContext& c) {
  one_dtype(c);
  const Shape& a = c.in_shapes[0];
  if (!a.rank_known()) return;
  expect_matrices(c, 0, true);
  set_shape(c, 0, stacked(a, {rows_of(a)}));
  set_shape(c, 1, a);
}

void run_eigh(KernelContext& c) {
  const int64_t n = rows_of(c.in[0].shape);
  for_each_matrix(c, [&](int64_t i) {
    Matrix a = load(c.in[0], i), values(static_cast<size_t>(n));
    require(n == 0 || lapack_eigh(c.attrs.boolean("lower"), n, a.data(), values.data()) == 0,
            "linalg_eigh: Eigenvalues did not converge");
    store_columns(c.out[0], i, 1, n, values);
    store_columns(c.out[1], i, n, n, a);
  });
}

void infer_svd(InferContext& c) {
  one_dtype(c);
  const Shape& a = c.in_shapes[0];
  if (!a.known()) return;
  expect_matrices(c, 0, false);
  const int64_t m = rows_of(a), n = columns_of(a), k = std::min(m, n);
  const bool full = c.attrs.boolean("full_matrices");
  require(k > 0, "linalg_svd: given ", a, ", expected matrices that are not empty");
  set_shape(c, 0, stacked(a, {m, full ? m : k}));
  set_shape(c, 1, stacked(a, {k}));
  set_shape(c, 2, stacked(a, {full ? n : k, n}));
}

void run_svd(KernelContext& c) {
  const Shape& shape = c.in[0].shape;
  const int64_t m = rows_of(shape), n = columns_of(shape), k = std::min(m, n);
  const bool full = c.attrs.boolean("full_matrices");
  const int64_t left = full ? m : k, right = full ? n : k;
  for_each_matrix(c, [&](int64_t i) {
    Matrix a = load(c.in[0], i), s(static_cast<size_t>(k)), u(static_cast<size_t>(m * left)),
           vt(static_cast<size_t>(right * n));
    require(lapack_svd(full, m, n, a.data(), s.data(), u.data(), vt.data()) == 0,
            "linalg_svd: SVD did not converge");
    store_columns(c.out[0], i, m, left, u);
    store_columns(c.out[1], i, 1, k, s);
    store_columns(c.out[2], i, right, n, vt);
  });
}

void infer_qr(InferContext& c) {
  one_dtype(c);
  const Shape& a = c.in_shapes[0];
  if (!a.known()) return;
  expect_matrices(c, 0, false);
  const int64_t m = rows_of(a), n = columns_of(a);
  const int64_t k = c.attrs.boolean("complete") ? m : std::min(m, n);
  set_shape(c, 0, stacked(a, {m, k}));
  set_shape(c, 1, stacked(a, {k, n}));
}

void run_qr(KernelContext& c) {
  const int64_t m = rows_of(c.in[0].shape), n = columns_of(c.in[0].shape);
  const int64_t reflectors = std::min(m, n), k = columns_of(c.out[0].shape);
  for_each_matrix(c, [&](int64_t i) {
    Matrix a = load(c.in[0], i), tau(static_cast<size_t>(reflectors));
    if (!a.empty()) require(lapack_qr(m, n, a.data(), tau.data()) == 0, "linalg_qr: failed");
    store(c.out[1], i, k, n, [&](int64_t row, int64_t column) {
      return row > column ? 0.0 : a[static_cast<size_t>(column * m + row)];
    });
    a.resize(static_cast<size_t>(m * std::max(n, k)));
    if (m * k > 0) {
      require(lapack_q(m, k, reflectors, a.data(), tau.data()) == 0, "linalg_qr: failed");
    }
    store_columns(c.out[0], i, m, k, a);
  });
}

}  // namespace

void register_linalg() {
  OpDef solve = linalg_def("linalg_solve",
                           "x of A x = B for every matrix of a stack, by LU factors; an error of "
                           "a singular one.");
  solve.inputs = {{"A", "(..., n, n)"}, {"B", "(..., n, k), of A's dtype"}};
  solve.infer = infer_solve;
  solve.cpu = run_solve;
  solve.gradient = grad_solve;
  add_op(std::move(solve));

  OpDef inverse =
      linalg_def("linalg_inverse", "The inverse of every matrix; an error of a singular one.");
  inverse.infer = infer_square;
  inverse.cpu = run_inverse;
  inverse.gradient = grad_inverse;
  add_op(std::move(inverse));

  OpDef determinant = linalg_def("linalg_slogdet",
                                 "Sign and logarithm of the absolute value of every determinant; "
                                 "0 and -inf of a singular matrix.");
  determinant.attrs = {{"at_least_1d", AttrType::boolean, "False",
                        "of a single matrix shape (1,) instead of () (MXNet 1.x)"}};
  determinant.num_outputs = 2;
  determinant.infer = infer_slogdet;
  determinant.cpu = run_slogdet;
  determinant.gradient = grad_slogdet;
  add_op(std::move(determinant));

  OpDef cholesky = linalg_def("linalg_potrf",
                              "Cholesky's lower factor L of A = L L^T, from A's lower triangle, or "
                              "its upper one U of A = U^T U, from the upper; an error of a matrix "
                              "that is not positive definite.");
  cholesky.attrs = {kLower};
  cholesky.infer = infer_square;
  cholesky.cpu = run_potrf;
  cholesky.gradient = grad_potrf;
  add_op(std::move(cholesky));

  OpDef eigh = linalg_def("linalg_eigh",
                          "Eigenvalues in ascending order and eigenvectors (columns) of symmetric "
                          "matrices, of which one triangle is read.");
  eigh.attrs = {{"lower", AttrType::boolean, "True", "read the lower triangle"}};
  eigh.num_outputs = 2;
  eigh.infer = infer_eigh;
  eigh.cpu = run_eigh;
  eigh.inputs[0].differentiable = false;
  add_op(std::move(eigh));

  OpDef svd = linalg_def("linalg_svd",
                         "Singular values: u, s in descending order, and v transposed, with A = u "
                         "diag(s) v^T.");
  svd.attrs = {{"full_matrices", AttrType::boolean, "True", "u and v are square"}};
  svd.num_outputs = 3;
  svd.infer = infer_svd;
  svd.cpu = run_svd;
  svd.inputs[0].differentiable = false;
  add_op(std::move(svd));

  OpDef qr = linalg_def("linalg_qr", "q with orthonormal columns and r triangular, with A = q r.");
  qr.attrs = {{"complete", AttrType::boolean, "False", "q is square"}};
  qr.num_outputs = 2;
  qr.infer = infer_qr;
  qr.cpu = run_qr;
  qr.inputs[0].differentiable = false;
  add_op(std::move(qr));
}

}  // namespace hybrid
