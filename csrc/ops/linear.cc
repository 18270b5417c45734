// Products of matrices: dot (MXNet's rule), matmul (NumPy's), batch_dot.
#include <cstring>

#include "kernels/device_kernels.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/matrix.h"

namespace hybrid {

void matrix_product(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                    const void* a, const void* b, void* c, Resources& resources) {
  if (m == 0 || n == 0) return;
  if (k == 0 || !is_floating(dtype)) only_on_host(resources, "a product that no BLAS has");
  if (is_complex(dtype) && k > 0) {
    gemm_complex(dtype, trans_a, trans_b, m, n, k, a, b, c, resources);
  } else if (k == 0) {
    std::memset(c, 0, static_cast<size_t>(m * n) * dtype_size(dtype));
  } else if (is_floating(dtype)) {
    gemm(dtype, trans_a, trans_b, m, n, k, a, trans_a ? m : k, b, trans_b ? k : n, c, n, false,
         resources);
  } else {
    gemm_int(dtype, trans_a, trans_b, m, n, k, a, b, c, resources);
  }
}

namespace {

int64_t product(const Shape& shape, int begin, int end) {
  int64_t size = 1;
  for (int i = begin; i < end; ++i) size *= shape[i];
  return size;
}

// Two dimensions that are summed over must agree; unknown ones take the other's size.
void expect_equal(InferContext& c, int lhs_axis, int rhs_axis) {
  int64_t& l = c.in_shapes[0][lhs_axis];
  int64_t& r = c.in_shapes[1][rhs_axis];
  if (l < 0) l = r;
  if (r < 0) r = l;
  require(l == r, c.op_name, ": given lhs ", c.in_shapes[0], " and rhs ", c.in_shapes[1],
          ", expected axis ", lhs_axis, " of lhs (", l, ") to equal axis ", rhs_axis, " of rhs (",
          r, ")");
}

double product_flops(const Attrs& attrs, const std::vector<Shape>& in,
                     const std::vector<Shape>& out) {
  const Shape& lhs = in[0];
  if (lhs.ndim() == 0) return 0;
  const bool trans = attrs.boolean("transpose_a");
  const bool dot = std::strcmp(attrs.op()->name, "dot") == 0;
  const int axis = !trans || lhs.ndim() == 1 ? lhs.ndim() - 1 : dot ? 0 : lhs.ndim() - 2;
  return 2.0 * static_cast<double>(lhs[axis]) * static_cast<double>(out[0].size());
}

// --- dot ----------------------------------------------------------------------------------------

void infer_dot(InferContext& c) {
  one_dtype(c);
  const Shape &l = c.in_shapes[0], &r = c.in_shapes[1];
  if (!l.rank_known() || !r.rank_known()) return;
  require(l.ndim() > 0 && r.ndim() > 0, "dot: given lhs ", l, " and rhs ", r,
          ", expected at least one dimension each");
  const bool ta = c.attrs.boolean("transpose_a"), tb = c.attrs.boolean("transpose_b");
  const int l_axis = ta ? 0 : l.ndim() - 1, r_axis = tb ? r.ndim() - 1 : 0;
  expect_equal(c, l_axis, r_axis);
  Shape out;
  require(l.ndim() + r.ndim() - 2 <= kMaxDims, "dot: given lhs ", l, " and rhs ", r,
          ", expected a result of at most ", kMaxDims, " dimensions");
  for (int i = 0; i < l.ndim(); ++i) {
    if (i != l_axis) out.push_back(l[i]);
  }
  for (int i = 0; i < r.ndim(); ++i) {
    if (i != r_axis) out.push_back(r[i]);
  }
  if (out.ndim() == 0 && c.attrs.boolean("at_least_1d")) out.push_back(1);
  set_shape(c, 0, out);
}

void run_dot(KernelContext& c) {
  const bool ta = c.attrs.boolean("transpose_a"), tb = c.attrs.boolean("transpose_b");
  const Shape &l = c.in[0].shape, &r = c.in[1].shape;
  const int64_t k = ta ? l[0] : l[l.ndim() - 1];
  const int64_t m = ta ? product(l, 1, l.ndim()) : product(l, 0, l.ndim() - 1);
  const int64_t n = tb ? product(r, 0, r.ndim() - 1) : product(r, 1, r.ndim());
  matrix_product(c.in[0].dtype, ta, tb, m, n, k, c.in[0].data, c.in[1].data, c.out[0].data,
                 c.resources);
}

// The gradients of c = op(a) @ op(b) with the same operator; `a`, `b`, `g` are matrices.
Entry product_grad_a(GradBuilder& b, const char* op, Entry rhs, Entry g, bool ta, bool tb) {
  return ta ? b.op(op, {rhs, g}, {{"transpose_a", tb}, {"transpose_b", true}})
            : b.op(op, {g, rhs}, {{"transpose_b", !tb}});
}
Entry product_grad_b(GradBuilder& b, const char* op, Entry lhs, Entry g, bool ta, bool tb) {
  return tb ? b.op(op, {g, lhs}, {{"transpose_a", true}, {"transpose_b", ta}})
            : b.op(op, {lhs, g}, {{"transpose_a", !ta}});
}

void grad_dot(GradBuilder& b) {
  const bool ta = b.attrs().boolean("transpose_a"), tb = b.attrs().boolean("transpose_b");
  Entry lhs = b.input(0), rhs = b.input(1), g = b.out_grad();
  if (known_rank(b, lhs) != 2 || known_rank(b, rhs) != 2) {  // as matrices
    const Shape l = known_shape(b, lhs), r = known_shape(b, rhs);
    const int64_t k = ta ? l[0] : l[l.ndim() - 1];
    const int64_t m = ta ? product(l, 1, l.ndim()) : product(l, 0, l.ndim() - 1);
    const int64_t n = tb ? product(r, 0, r.ndim() - 1) : product(r, 1, r.ndim());
    lhs = reshape_to(b, lhs, ta ? Shape{k, m} : Shape{m, k});
    rhs = reshape_to(b, rhs, tb ? Shape{n, k} : Shape{k, n});
    g = reshape_to(b, g, {m, n});
  }
  if (b.wanted(0)) {
    b.set(0, reshape_as(b, product_grad_a(b, "dot", rhs, g, ta, tb), b.input(0)));
  }
  if (b.wanted(1)) {
    b.set(1, reshape_as(b, product_grad_b(b, "dot", lhs, g, ta, tb), b.input(1)));
  }
}

// --- matmul and batch_dot -----------------------------------------------------------------------

Shape batch_of(const Shape& shape) {
  Shape batch;
  for (int i = 0; i < shape.ndim() - 2; ++i) batch.push_back(shape[i]);
  return batch;
}

void infer_matmul(InferContext& c) {
  one_dtype(c);
  const Shape &l = c.in_shapes[0], &r = c.in_shapes[1];
  if (!l.rank_known() || !r.rank_known()) return;
  require(l.ndim() > 0 && r.ndim() > 0, c.op_name, ": given lhs ", l, " and rhs ", r,
          ", expected at least one dimension each");
  const bool ta = c.attrs.boolean("transpose_a") && l.ndim() > 1;
  const bool tb = c.attrs.boolean("transpose_b") && r.ndim() > 1;
  const int ld = l.ndim(), rd = r.ndim();
  expect_equal(c, ta ? ld - 2 : ld - 1, rd == 1 ? 0 : tb ? rd - 1 : rd - 2);
  Shape out = broadcast_shapes(batch_of(l), batch_of(r), c.op_name);
  if (ld > 1) out.push_back(l[ta ? ld - 1 : ld - 2]);
  if (rd > 1) out.push_back(r[tb ? rd - 2 : rd - 1]);
  set_shape(c, 0, out);
}

void infer_batch_dot(InferContext& c) {
  one_dtype(c);
  expect_rank(c, 0, 3, "batch, rows, columns");
  expect_rank(c, 1, 3, "batch, rows, columns");
  const Shape &l = c.in_shapes[0], &r = c.in_shapes[1];
  if (!l.rank_known() || !r.rank_known()) return;
  const bool ta = c.attrs.boolean("transpose_a"), tb = c.attrs.boolean("transpose_b");
  expect_equal(c, 0, 0);
  // MXNet: nothing follows until the summed sizes of both are known.
  if (l[ta ? 1 : 2] < 0 || r[tb ? 2 : 1] < 0) return;
  expect_equal(c, ta ? 1 : 2, tb ? 2 : 1);
  set_shape(c, 0, {l[0], l[ta ? 2 : 1], r[tb ? 1 : 2]});
}

// Elements to step in an operand from one matrix of the batch to the next, by batch dimension.
Shape batch_strides(const Shape& shape, const Shape& batch, int64_t matrix) {
  const Shape own = batch_of(shape);
  Shape strides = Shape::of_rank(batch.ndim(), 0);
  int64_t step = matrix;
  for (int i = own.ndim() - 1; i >= 0; --i) {
    if (own[i] != 1) strides[i + batch.ndim() - own.ndim()] = step;
    step *= own[i];
  }
  return strides;
}

void run_matmul(KernelContext& c) {
  const Shape &l = c.in[0].shape, &r = c.in[1].shape;
  const int ld = l.ndim(), rd = r.ndim();
  const bool ta = c.attrs.boolean("transpose_a") && ld > 1;
  const bool tb = c.attrs.boolean("transpose_b") && rd > 1;
  const int64_t m = ld == 1 ? 1 : l[ta ? ld - 1 : ld - 2];
  const int64_t k = l[ta ? ld - 2 : ld - 1];
  const int64_t n = rd == 1 ? 1 : r[tb ? rd - 2 : rd - 1];
  const Shape batch = broadcast_shapes(batch_of(l), batch_of(r), "matmul");
  const Shape l_strides = batch_strides(l, batch, m * k),
              r_strides = batch_strides(r, batch, k * n);
  const int64_t item = static_cast<int64_t>(dtype_size(c.in[0].dtype));
  const int64_t count = batch.size();
  for (int64_t i = 0; i < count && !c.resources.cancelled(); ++i) {
    int64_t rest = i, l_at = 0, r_at = 0;
    for (int d = batch.ndim() - 1; d >= 0; --d) {
      const int64_t at = rest % batch[d];
      rest /= batch[d];
      l_at += at * l_strides[d];
      r_at += at * r_strides[d];
    }
    matrix_product(c.in[0].dtype, ta, tb, m, n, k, c.in[0].as<char>() + l_at * item,
                   c.in[1].as<char>() + r_at * item, c.out[0].as<char>() + i * m * n * item,
                   c.resources);
  }
}

void grad_matmul(GradBuilder& b) {
  const int ld = known_rank(b, b.input(0)), rd = known_rank(b, b.input(1));
  const bool ta = b.attrs().boolean("transpose_a") && ld > 1;
  const bool tb = b.attrs().boolean("transpose_b") && rd > 1;
  Entry lhs = b.input(0), rhs = b.input(1), g = b.out_grad();
  if (rd == 1) {  // a column
    rhs = b.op("expand_dims", {rhs}, {{"axis", 1}});
    g = b.op("expand_dims", {g}, {{"axis", -1}});
  }
  if (ld == 1) {  // a row
    lhs = b.op("expand_dims", {lhs}, {{"axis", 0}});
    g = b.op("expand_dims", {g}, {{"axis", -2}});
  }
  if (b.wanted(0)) {
    const Entry grad = b.sum_like(product_grad_a(b, "matmul", rhs, g, ta, tb), lhs);
    b.set(0, reshape_as(b, grad, b.input(0)));
  }
  if (b.wanted(1)) {
    const Entry grad = b.sum_like(product_grad_b(b, "matmul", lhs, g, ta, tb), rhs);
    b.set(1, reshape_as(b, grad, b.input(1)));
  }
}

void grad_batch_dot(GradBuilder& b) {
  const bool ta = b.attrs().boolean("transpose_a"), tb = b.attrs().boolean("transpose_b");
  const Entry g = b.out_grad();
  if (b.wanted(0)) b.set(0, product_grad_a(b, "batch_dot", b.input(1), g, ta, tb));
  if (b.wanted(1)) b.set(1, product_grad_b(b, "batch_dot", b.input(0), g, ta, tb));
}

OpDef product_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::linear;
  def.doc = doc;
  def.inputs = {{"lhs", "left factor"}, {"rhs", "right factor, of lhs's dtype"}};
  def.attrs = {{"transpose_a", AttrType::boolean, "False", "transpose lhs first"},
               {"transpose_b", AttrType::boolean, "False", "transpose rhs first"}};
  def.dtypes = kNumbersComplex;
  def.flops = product_flops;
  def.on_device = true;
  return def;
}

}  // namespace

void register_linear() {
  OpDef dot = product_def(
      "dot",
      "Sum over the last axis of lhs and the first of rhs: (..., k) and (k, ...) give (..., ...). "
      "transpose_a sums over the first axis of lhs, transpose_b over the last of rhs. MXNet's "
      "dot.");
  dot.attrs.push_back({"at_least_1d", AttrType::boolean, "False",
                       "the product of two vectors has shape (1,) instead of () (MXNet 1.x)"});
  dot.infer = infer_dot;
  dot.cpu = run_dot;
  dot.gradient = grad_dot;
  add_op(std::move(dot));

  OpDef matmul = product_def(
      "matmul",
      "Matrix product of the last two axes; the axes before them broadcast. A vector on the left "
      "is "
      "a row, on the right a column, and its axis is dropped from the result. NumPy's matmul.");
  matmul.infer = infer_matmul;
  matmul.cpu = run_matmul;
  matmul.gradient = grad_matmul;
  add_op(std::move(matmul));

  OpDef batch =
      product_def("batch_dot",
                  "Products of matrices pair by pair: (b, m, k) and (b, k, n) give (b, m, "
                  "n). MXNet's batch_dot.");
  batch.infer = infer_batch_dot;
  batch.cpu = run_matmul;
  batch.gradient = grad_batch_dot;
  add_op(std::move(batch));
}

}  // namespace hybrid
