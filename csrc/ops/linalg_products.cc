// MXNet's products of stacked matrices: gemm, gemm2, syrk, trmm, and trsm that undoes trmm.
#include <cstring>

#include "kernels/lapack.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/matrix.h"
#include "ops/matrix_stack.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

const AttrDef kAlpha{"alpha", AttrType::real, "1.0", "factor of the product"};
const AttrDef kAxis{"axis", AttrType::integer, "-2",
                    "axis of the rows; that of the columns is the last"};

// out = alpha * out + beta * c; c may be null.
void scale(const TensorView& out, double alpha, const TensorView* c, double beta) {
  if (alpha == 1 && c == nullptr) return;
  dispatch(out.dtype, "linalg", [&](auto zero) {
    using T = decltype(zero);
    T* to = out.as<T>();
    const T* more = c ? c->as<T>() : nullptr;
    const int64_t n = out.size();
    for (int64_t i = 0; i < n; ++i) {
      const double sum = alpha * static_cast<double>(to[i]);
      to[i] = static_cast<T>(more ? sum + beta * static_cast<double>(more[i]) : sum);
    }
  });
}

// --- gemm, gemm2 --------------------------------------------------------------------------------

// The axis of the rows, counted from the front.
int row_axis(const Attrs& attrs, const Shape& s) {
  const char* op = attrs.op()->name;
  require(s.ndim() >= 2, op, ": given ", s, ", expected at least two dimensions");
  const int axis = normalize_axis(attrs.integer("axis"), s.ndim(), op);
  require(axis < s.ndim() - 1, op, ": given axis ", attrs.integer("axis"), " for ", s,
          ", expected another axis than the last, which is that of the columns");
  return axis;
}

// The window with the rows' axis moved next to the columns', or back.
TensorView moved(TensorView v, int from, int to) {
  const int step = from < to ? 1 : -1;
  for (int i = from; i != to; i += step) {
    std::swap(v.shape[i], v.shape[i + step]);
    std::swap(v.strides[i], v.strides[i + step]);
  }
  return v;
}

// Stacked matrices with rows and columns last, copied if they are not.
TensorView packed(const TensorView& v, int axis, Resources& resources) {
  const int last = v.shape.ndim() - 2;
  if (axis == last) return v;
  const TensorView window = moved(v, axis, last);
  const TensorView copy = scratch_view(v.dtype, window.shape, resources);
  strided_copy(window, copy, resources);
  return copy;
}

void infer_gemm(InferContext& c) {
  one_dtype(c);
  const Shape &a = c.in_shapes[0], &b = c.in_shapes[1];
  if (!a.rank_known() || !b.rank_known()) return;
  const int axis = row_axis(c.attrs, a), last = a.ndim() - 1;
  const bool ta = c.attrs.boolean("transpose_a"), tb = c.attrs.boolean("transpose_b");
  bool fits = a.ndim() == b.ndim();
  for (int i = 0; fits && i < last; ++i) {
    fits = i == axis || a[i] == b[i] || a[i] < 0 || b[i] < 0;
  }
  if (fits) {
    const int64_t inner_a = a[ta ? axis : last], inner_b = b[tb ? last : axis];
    fits = inner_a == inner_b || inner_a < 0 || inner_b < 0;
  }
  require(fits, c.op_name, ": given A ", a, " and B ", b,
          ", expected stacks of one size whose matrices can be multiplied (transpose_a ", ta,
          ", transpose_b ", tb, ", axis ", c.attrs.integer("axis"), ")");
  Shape out = a;
  out[axis] = a[ta ? last : axis];
  out[last] = b[tb ? axis : last];
  set_shape(c, 0, out);
  if (c.in_shapes.size() > 2) expect_shape(c, 2, out);
}

void run_gemm(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const bool ta = c.attrs.boolean("transpose_a"), tb = c.attrs.boolean("transpose_b");
  const int axis = row_axis(c.attrs, c.in[0].shape), last = c.in[0].shape.ndim() - 2;
  const TensorView a = packed(c.in[0], axis, c.resources), b = packed(c.in[1], axis, c.resources);
  const TensorView window = moved(c.out[0], axis, last);
  const TensorView out =
      axis == last ? c.out[0] : scratch_view(c.out[0].dtype, window.shape, c.resources);
  const int64_t m = rows_of(out.shape), n = columns_of(out.shape);
  const int64_t k = ta ? rows_of(a.shape) : columns_of(a.shape), count = batch_of(out.shape);
  const int64_t item = static_cast<int64_t>(dtype_size(a.dtype));
  for (int64_t i = 0; i < count && !c.resources.cancelled(); ++i) {
    matrix_product(a.dtype, ta, tb, m, n, k, a.as<char>() + i * m * k * item,
                   b.as<char>() + i * k * n * item, out.as<char>() + i * m * n * item, c.resources);
  }
  if (axis != last) strided_copy(out, window, c.resources);
  const bool sum = c.num_in > 2;
  scale(c.out[0], c.attrs.real("alpha"), sum ? &c.in[2] : nullptr, sum ? c.attrs.real("beta") : 0);
}

Entry product(GradBuilder& b, Entry left, Entry right, bool ta, bool tb, double alpha,
              int64_t axis = -2) {
  return b.op("linalg_gemm2", {left, right},
              {{"transpose_a", ta}, {"transpose_b", tb}, {"alpha", alpha}, {"axis", axis}});
}

void grad_gemm(GradBuilder& b) {
  const Attrs& a = b.attrs();
  const bool ta = a.boolean("transpose_a"), tb = a.boolean("transpose_b");
  const double alpha = a.real("alpha");
  const int64_t axis = a.integer("axis");
  const Entry lhs = b.input(0), rhs = b.input(1), g = b.out_grad();
  if (b.wanted(0)) {
    b.set(0, ta ? product(b, rhs, g, tb, true, alpha, axis)
                : product(b, g, rhs, false, !tb, alpha, axis));
  }
  if (b.wanted(1)) {
    b.set(1, tb ? product(b, g, lhs, true, ta, alpha, axis)
                : product(b, lhs, g, !ta, false, alpha, axis));
  }
  if (b.num_inputs() > 2 && b.wanted(2)) {
    b.set(2, b.op("mul_scalar", {g}, {{"scalar", a.real("beta")}}));
  }
}

// --- syrk: alpha A A^T, or alpha A^T A ----------------------------------------------------------

void infer_syrk(InferContext& c) {
  one_dtype(c);
  const Shape& a = c.in_shapes[0];
  if (!a.rank_known()) return;
  expect_matrices(c, 0, false);
  const int64_t n = c.attrs.boolean("transpose") ? columns_of(a) : rows_of(a);
  set_shape(c, 0, stacked(a, {n, n}));
}

void run_syrk(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const TensorView& a = c.in[0];
  const bool turned = c.attrs.boolean("transpose");
  const int64_t m = rows_of(a.shape), k = columns_of(a.shape), n = turned ? k : m;
  const int64_t item = static_cast<int64_t>(dtype_size(a.dtype));
  for_each_matrix(c, [&](int64_t i) {
    const char* const from = a.as<char>() + i * m * k * item;
    matrix_product(a.dtype, turned, !turned, n, n, turned ? m : k, from, from,
                   c.out[0].as<char>() + i * n * n * item, c.resources);
  });
  scale(c.out[0], c.attrs.real("alpha"), nullptr, 0);
}

void grad_syrk(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Entry a = b.input(0), g = b.out_grad();
  const double alpha = b.attrs().real("alpha");
  const bool turned = b.attrs().boolean("transpose");
  const Entry one =
      turned ? product(b, a, g, false, false, alpha) : product(b, g, a, false, false, alpha);
  const Entry two =
      turned ? product(b, a, g, false, true, alpha) : product(b, g, a, true, false, alpha);
  b.set(0, b.op("add", {one, two}));
}

// --- trmm, trsm: a triangular matrix on the left or on the right --------------------------------

std::vector<AttrDef> triangular_attrs() {
  return {{"transpose", AttrType::boolean, "False", "the triangular matrix transposed"},
          {"rightside", AttrType::boolean, "False", "the triangular matrix is the right factor"},
          {"lower", AttrType::boolean, "True", "its lower triangle is read, else the upper one"},
          kAlpha};
}

void infer_triangular(InferContext& c) {
  one_dtype(c);
  const Shape &a = c.in_shapes[0], &b = c.in_shapes[1];
  if (!a.rank_known() || !b.rank_known()) return;
  expect_matrices(c, 0, true);
  expect_matrices(c, 1, false);
  bool fits = a.ndim() == b.ndim();
  for (int i = 0; fits && i < a.ndim() - 2; ++i) fits = a[i] == b[i] || a[i] < 0 || b[i] < 0;
  if (fits) {
    const int64_t n = rows_of(a), m = c.attrs.boolean("rightside") ? columns_of(b) : rows_of(b);
    fits = n == m || n < 0 || m < 0;
  }
  require(fits, c.op_name, ": given A ", a, " and B ", b,
          ", expected stacks of one size, and as many ",
          c.attrs.boolean("rightside") ? "columns" : "rows", " in B as A has");
  set_shape(c, 0, b);
}

void run_trmm(KernelContext& c) {
  const TensorView &a = c.in[0], &b = c.in[1];
  if (c.out[0].size() == 0) return;
  const bool right = c.attrs.boolean("rightside"), turned = c.attrs.boolean("transpose");
  const bool lower = c.attrs.boolean("lower");
  const int64_t n = rows_of(a.shape), m = rows_of(b.shape), k = columns_of(b.shape);
  const TensorView triangle = scratch_view(a.dtype, {n, n}, c.resources);
  dispatch(a.dtype, "linalg_trmm", [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(c, [&](int64_t i) {
      const T* from = a.as<T>() + i * n * n;
      T* to = triangle.as<T>();
      for (int64_t row = 0; row < n; ++row) {
        for (int64_t column = 0; column < n; ++column) {
          const bool inside = lower ? column <= row : column >= row;
          to[row * n + column] = inside ? from[row * n + column] : T(0);
        }
      }
      const T* other = b.as<T>() + i * m * k;
      T* result = c.out[0].as<T>() + i * m * k;
      if (right) {
        matrix_product(a.dtype, false, turned, m, k, n, other, to, result, c.resources);
      } else {
        matrix_product(a.dtype, turned, false, m, k, n, to, other, result, c.resources);
      }
    });
  });
  scale(c.out[0], c.attrs.real("alpha"), nullptr, 0);
}

void run_trsm(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const Shape& b = c.in[1].shape;
  const bool right = c.attrs.boolean("rightside"), turned = c.attrs.boolean("transpose");
  const bool lower = c.attrs.boolean("lower");
  const int64_t n = rows_of(c.in[0].shape);
  for_each_matrix(c, [&](int64_t i) {
    const Matrix a = load(c.in[0], i);
    for (int64_t j = 0; j < n; ++j) {
      require(a[static_cast<size_t>(j * n + j)] != 0, "linalg_trsm: Singular matrix: element (", j,
              ", ", j, ") is 0");
    }
    Matrix x = load(c.in[1], i);
    lapack_triangular(right, lower, turned, rows_of(b), columns_of(b), c.attrs.real("alpha"),
                      a.data(), x.data());
    store_columns(c.out[0], i, rows_of(b), columns_of(b), x);
  });
}

Entry triangle_of(GradBuilder& b, Entry x) {
  return b.op("triangle", {x}, {{"lower", b.attrs().boolean("lower")}});
}

// The same use of the other transpose.
Entry turned_use(GradBuilder& b, Entry x, double alpha) {
  Attrs attrs = b.attrs();
  attrs.set("transpose", !attrs.boolean("transpose"));
  attrs.set("alpha", alpha);
  return b.op(attrs.op()->name, {b.input(0), x}, attrs);
}

void grad_trmm(GradBuilder& b) {
  const Entry x = b.input(1), g = b.out_grad();
  const double alpha = b.attrs().real("alpha");
  const bool right = b.attrs().boolean("rightside"), turned = b.attrs().boolean("transpose");
  if (b.wanted(0)) {
    const Entry left = right == turned ? g : x, other = right == turned ? x : g;
    b.set(0, triangle_of(b, product(b, left, other, right, !right, alpha)));
  }
  if (b.wanted(1)) b.set(1, turned_use(b, g, alpha));
}

void grad_trsm(GradBuilder& b) {
  const Entry y = b.output(), g = turned_use(b, b.out_grad(), 1);
  const bool right = b.attrs().boolean("rightside"), turned = b.attrs().boolean("transpose");
  if (b.wanted(0)) {
    const Entry left = right == turned ? g : y, other = right == turned ? y : g;
    b.set(0, triangle_of(b, product(b, left, other, right, !right, -1)));
  }
  if (b.wanted(1)) b.set(1, b.op("mul_scalar", {g}, {{"scalar", b.attrs().real("alpha")}}));
}

double product_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  const Shape& s = in[0];
  return 2.0 * static_cast<double>(std::min(s[s.ndim() - 1], s[s.ndim() - 2])) *
         static_cast<double>(out[0].size());
}

}  // namespace

void register_linalg_products() {
  const AttrDef ta{"transpose_a", AttrType::boolean, "False", "A transposed"};
  const AttrDef tb{"transpose_b", AttrType::boolean, "False", "B transposed"};
  OpDef gemm = linalg_def("linalg_gemm", "alpha op(A) op(B) + beta C for every matrix of a stack.");
  gemm.inputs = {{"A", "(..., m, k)"}, {"B", "(..., k, n)"}, {"C", "(..., m, n)"}};
  gemm.attrs = {ta, tb, kAlpha, {"beta", AttrType::real, "1.0", "factor of C"}, kAxis};
  gemm.infer = infer_gemm;
  gemm.cpu = run_gemm;
  gemm.gradient = grad_gemm;
  gemm.flops = product_flops;
  add_op(std::move(gemm));

  OpDef gemm2 = linalg_def("linalg_gemm2", "alpha op(A) op(B) for every matrix of a stack.");
  gemm2.inputs = {{"A", "(..., m, k)"}, {"B", "(..., k, n)"}};
  gemm2.attrs = {ta, tb, kAlpha, kAxis};
  gemm2.infer = infer_gemm;
  gemm2.cpu = run_gemm;
  gemm2.gradient = grad_gemm;
  gemm2.flops = product_flops;
  add_op(std::move(gemm2));

  OpDef syrk = linalg_def("linalg_syrk", "alpha A A^T, or with transpose alpha A^T A.");
  syrk.attrs = {{"transpose", AttrType::boolean, "False", "A^T A instead"}, kAlpha};
  syrk.infer = infer_syrk;
  syrk.cpu = run_syrk;
  syrk.gradient = grad_syrk;
  syrk.flops = product_flops;
  add_op(std::move(syrk));

  OpDef trmm =
      linalg_def("linalg_trmm", "alpha op(A) B, or with rightside alpha B op(A), of triangular A.");
  trmm.inputs = {{"A", "(..., n, n)"}, {"B", "(..., n, k), with rightside (..., k, n)"}};
  trmm.attrs = triangular_attrs();
  trmm.infer = infer_triangular;
  trmm.cpu = run_trmm;
  trmm.gradient = grad_trmm;
  trmm.flops = product_flops;
  add_op(std::move(trmm));

  OpDef trsm = linalg_def("linalg_trsm",
                          "X of op(A) X = alpha B, or with rightside of X op(A) = alpha B, for "
                          "triangular A; an error of a singular one.");
  trsm.inputs = {{"A", "(..., n, n)"}, {"B", "(..., n, k), with rightside (..., k, n)"}};
  trsm.attrs = triangular_attrs();
  trsm.infer = infer_triangular;
  trsm.cpu = run_trsm;
  trsm.gradient = grad_trsm;
  trsm.flops = product_flops;
  add_op(std::move(trsm));
}

}  // namespace hybrid
