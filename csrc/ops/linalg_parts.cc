// Parts of stacked matrices and matrices of them: diagonals and triangles. MXNet's diag and
// linalg.extractdiag, makediag, extracttrian, maketrian, sumlogdiag.
#include <cmath>
#include <cstring>

#include "kernels/kernels.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/matrix_stack.h"

namespace hybrid {

namespace {

void clear(const TensorView& out) {
  std::memset(out.data, 0, static_cast<size_t>(out.size()) * dtype_size(out.dtype));
}

// --- diag, diag_put -----------------------------------------------------------------------------

// The diagonal k of the axes `row` and `column` of a shape.
struct Diagonal {
  int row = 0, column = 1;
  int64_t k = 0, size = -1;

  Diagonal(const Attrs& attrs, const Shape& s) : k(attrs.integer("k")) {
    const char* op = attrs.op()->name;
    row = normalize_axis(attrs.integer("axis1"), s.ndim(), op);
    column = normalize_axis(attrs.integer("axis2"), s.ndim(), op);
    require(row != column, op, ": given axis1 ", attrs.integer("axis1"), " and axis2 ",
            attrs.integer("axis2"), " for ", s, ", expected two axes");
    if (s[row] < 0 || s[column] < 0) return;
    size = k >= 0 ? std::min(s[row], s[column] - k) : std::min(s[row] + k, s[column]);
    require(size >= 0, op, ": given k ", k, " for ", s, ", which has no such diagonal");
  }
  Shape shape(const Shape& s) const {
    Shape out;
    for (int i = 0; i < s.ndim(); ++i) {
      if (i != row && i != column) out.push_back(s[i]);
    }
    out.push_back(size);
    return out;
  }
  // The window on v that it is.
  TensorView window(const TensorView& v) const {
    TensorView w = v;
    w.shape = shape(v.shape);
    w.strides = Shape();
    for (int i = 0; i < v.shape.ndim(); ++i) {
      if (i != row && i != column) w.strides.push_back(v.strides[i]);
    }
    w.strides.push_back(v.strides[row] + v.strides[column]);
    const int64_t offset = k >= 0 ? k * v.strides[column] : -k * v.strides[row];
    if (size > 0) w.data = w.as<char>() + offset * static_cast<int64_t>(dtype_size(v.dtype));
    return w;
  }
};

// Rows of a square matrix with n elements on its diagonal k.
int64_t side(int64_t n, int64_t k, const char* op) {
  require(k > -(INT64_C(1) << 31) && k < (INT64_C(1) << 31), op, ": given offset ", k,
          ", expected less than 2^31");
  return n < 0 ? -1 : n + (k < 0 ? -k : k);
}

void infer_diag(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  require(in.ndim() > 0, c.op_name, ": given data of shape (), expected at least one dimension");
  if (in.ndim() > 1) return set_shape(c, 0, Diagonal(c.attrs, in).shape(in));
  const int64_t n = side(in[0], c.attrs.integer("k"), c.op_name);
  set_shape(c, 0, {n, n});
}

// Writes data on a diagonal of the result, zeros elsewhere.
void put(const TensorView& data, const TensorView& out, const Diagonal& diagonal,
         Resources& resources) {
  if (out.size() == 0) return;
  clear(out);
  if (data.size() > 0) strided_copy(data, diagonal.window(out), resources);
}

Attrs plain_diag(int64_t k) {
  Attrs attrs(get_op("diag"));
  attrs.set("k", k);
  return attrs;
}

void run_diag(KernelContext& c) {
  if (c.in[0].shape.ndim() == 1) {
    return put(c.in[0], c.out[0], Diagonal(plain_diag(c.attrs.integer("k")), c.out[0].shape),
               c.resources);
  }
  if (c.out[0].size() == 0) return;
  strided_copy(Diagonal(c.attrs, c.in[0].shape).window(c.in[0]), c.out[0], c.resources);
}

void grad_diag(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Attrs& a = b.attrs();
  if (known_rank(b, b.input(0)) == 1) {
    return b.set(0, b.op("diag", {b.out_grad()}, plain_diag(a.integer("k"))));
  }
  b.set(0, b.op("diag_put", {b.out_grad()},
                {{"shape", known_shape(b, b.input(0)).to_vector()},
                 {"k", a.integer("k")},
                 {"axis1", a.integer("axis1")},
                 {"axis2", a.integer("axis2")}}));
}

void infer_diag_put(InferContext& c) {
  one_dtype(c);
  const Shape out = checked_shape(c.attrs.ints("shape"), c.op_name);
  require(out.ndim() > 1, c.op_name, ": given shape ", out, ", expected at least two dimensions");
  expect_shape(c, 0, Diagonal(c.attrs, out).shape(out));
  set_shape(c, 0, out);
}

void run_diag_put(KernelContext& c) {
  put(c.in[0], c.out[0], Diagonal(c.attrs, c.out[0].shape), c.resources);
}

void grad_diag_put(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Attrs& a = b.attrs();
  b.set(
      0,
      b.op("diag", {b.out_grad()},
           {{"k", a.integer("k")}, {"axis1", a.integer("axis1")}, {"axis2", a.integer("axis2")}}));
}

// --- extractdiag, makediag ----------------------------------------------------------------------

Attrs last_diag(const Attrs& attrs) {
  Attrs diag(get_op("diag"));
  diag.set("k", attrs.integer("offset"));
  diag.set("axis1", int64_t{-2});
  diag.set("axis2", int64_t{-1});
  return diag;
}

void infer_extract_diag(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  expect_matrices(c, 0, true);
  const Shape out = Diagonal(last_diag(c.attrs), in).shape(in);
  require(out[out.ndim() - 1] != 0 || rows_of(in) == 0, c.op_name, ": given offset ",
          c.attrs.integer("offset"), " for ", in, ", which has no such diagonal");
  set_shape(c, 0, out);
}

void run_extract_diag(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  strided_copy(Diagonal(last_diag(c.attrs), c.in[0].shape).window(c.in[0]), c.out[0], c.resources);
}

void infer_make_diag(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  require(in.ndim() > 0, c.op_name, ": given A of shape (), expected at least one dimension");
  Shape out = in;
  out[in.ndim() - 1] = side(in[in.ndim() - 1], c.attrs.integer("offset"), c.op_name);
  out.push_back(out[in.ndim() - 1]);
  set_shape(c, 0, out);
}

void run_make_diag(KernelContext& c) {
  put(c.in[0], c.out[0], Diagonal(last_diag(c.attrs), c.out[0].shape), c.resources);
}

// The gradient of a linear operator by another one of the same attributes.
template <const char* const& other>
void grad_by(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Attrs attrs(get_op(other));
  for (const AttrDef& def : attrs.op()->attrs) attrs.set(def.name, b.attrs().at(def.name));
  b.set(0, b.op(other, {b.out_grad()}, attrs));
}
constexpr const char* kExtractDiag = "linalg_extractdiag";
constexpr const char* kMakeDiag = "linalg_makediag";
constexpr const char* kExtractTriangle = "linalg_extracttrian";
constexpr const char* kMakeTriangle = "linalg_maketrian";
constexpr const char* kTriangle = "triangle";

// --- extracttrian, maketrian --------------------------------------------------------------------

// Calls body(row, column) for the elements of a triangle: of the lower one row by row, of the upper
// one column by column. The lower one reaches up to diagonal `offset`, the upper one down to it; an
// offset other than 0 says which of them it is.
template <class Body>
void for_each_place(int64_t n, int64_t offset, bool lower, Body&& body) {
  const bool low = offset < 0 || (offset == 0 && lower);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t end = low ? i + offset + 1 : i - offset + 1;
    for (int64_t j = 0; j < end; ++j) low ? body(i, j) : body(j, i);
  }
}

void infer_extract_triangle(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  expect_matrices(c, 0, true);
  const int64_t offset = c.attrs.integer("offset"), n = rows_of(in);
  if (n < 0) return set_shape(c, 0, stacked(in, {-1}));
  const int64_t m = offset >= 0 ? n - std::min(offset, n) : n + std::max(offset, -n);
  require(m > 0 || n == 0, c.op_name, ": given offset ", offset, " for ", in,
          ", which has no such triangle");
  set_shape(c, 0, stacked(in, {m * (m + 1) / 2}));
}

void infer_make_triangle(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  require(in.ndim() > 0, c.op_name, ": given A of shape (), expected at least one dimension");
  const int last = in.ndim() - 1;
  int64_t n = -1;
  if (in[last] >= 0) {
    n = static_cast<int64_t>(std::sqrt(2 * static_cast<double>(in[last])));
    require(n * (n + 1) / 2 == in[last], c.op_name, ": given A ", in, ", expected n (n + 1) / 2 ",
            "elements in its last dimension: 1, 3, 6, ...");
    n = side(n, c.attrs.integer("offset"), c.op_name);
  }
  Shape out = in;
  out[last] = n;
  out.push_back(n);
  set_shape(c, 0, out);
}

// Between matrices (..., n, n) and vectors (..., m), in either direction.
template <bool extract>
void run_triangle(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  if (!extract) clear(c.out[0]);
  const Shape& square = extract ? c.in[0].shape : c.out[0].shape;
  const Shape& line = extract ? c.out[0].shape : c.in[0].shape;
  const int64_t n = rows_of(square), m = line[line.ndim() - 1], count = batch_of(square);
  dispatch_size(dtype_size(c.in[0].dtype), "linalg", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) {
      const T* in = c.in[0].as<T>() + i * (extract ? n * n : m);
      T* out = c.out[0].as<T>() + i * (extract ? m : n * n);
      int64_t at = 0;
      for_each_place(n, c.attrs.integer("offset"), c.attrs.boolean("lower"),
                     [&](int64_t row, int64_t column) {
                       const int64_t place = row * n + column;
                       if (extract) {
                         out[at++] = in[place];
                       } else {
                         out[place] = in[at++];
                       }
                     });
    }
  });
}

// --- triangle: the other elements are 0 ---------------------------------------------------------

void infer_triangle(InferContext& c) {
  one_dtype(c);
  if (c.in_shapes[0].rank_known()) expect_matrices(c, 0, false);
  set_shape(c, 0, c.in_shapes[0]);
}

void run_masked(KernelContext& c) {
  const int64_t m = rows_of(c.in[0].shape), n = columns_of(c.in[0].shape);
  const int64_t k = c.attrs.integer("k");
  const bool lower = c.attrs.boolean("lower");
  dispatch_size(dtype_size(c.in[0].dtype), "triangle", [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(c, [&](int64_t at) {
      const T* in = c.in[0].as<T>() + at * m * n;
      T* out = c.out[0].as<T>() + at * m * n;
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          out[i * n + j] = (lower ? j - i <= k : j - i >= k) ? in[i * n + j] : T{};
        }
      }
    });
  });
}

// --- sumlogdiag ---------------------------------------------------------------------------------

void infer_sum_log_diag(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  expect_matrices(c, 0, true);
  set_shape(c, 0, in.ndim() == 2 ? Shape{1} : stacked(in, {}));
}

void run_sum_log_diag(KernelContext& c) {
  const int64_t n = rows_of(c.in[0].shape);
  dispatch(c.in[0].dtype, "linalg_sumlogdiag", [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(c, [&](int64_t i) {
      const T* a = c.in[0].as<T>() + i * n * n;
      double sum = 0;
      for (int64_t j = 0; j < n; ++j) sum += std::log(static_cast<double>(a[j * n + j]));
      c.out[0].as<T>()[i] = static_cast<T>(sum);
    });
  });
}

void grad_sum_log_diag(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Entry diagonal = b.op(kExtractDiag, {b.input(0)});
  Shape column = known_shape(b, diagonal);
  column[column.ndim() - 1] = 1;
  const Entry g = reshape_to(b, b.out_grad(), column);
  b.set(0, b.op(kMakeDiag, {b.op("div", {g, diagonal})}));
}

double moved(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  return static_cast<double>(std::max(in[0].size(), out[0].size()));
}

OpDef part_def(const char* name, const char* doc) {
  OpDef def = linalg_def(name, doc);
  def.family = Family::shape;
  def.flops = moved;
  return def;
}

void register_diag() {
  const AttrDef axis1{"axis1", AttrType::integer, "0", "axis of the rows"};
  const AttrDef axis2{"axis2", AttrType::integer, "1", "axis of the columns"};
  const AttrDef k{"k", AttrType::integer, "0", "which one: above 0 right of the main diagonal"};
  OpDef diag = part_def("diag",
                        "A diagonal of two axes, as the last axis of the result; of a vector the "
                        "matrix that has it on a diagonal. MXNet's diag.");
  diag.inputs = {{"data", "(n,) or at least two dimensions"}};
  diag.attrs = {k, axis1, axis2};
  diag.dtypes = kAllComputed;
  diag.infer = infer_diag;
  diag.cpu = run_diag;
  diag.gradient = grad_diag;
  add_op(std::move(diag));

  OpDef put = part_def("diag_put", "Zeros of a shape with data on a diagonal: undoes diag.");
  put.inputs = {{"data", "the diagonal as the last axis"}};
  put.attrs = {{"shape", AttrType::ints, nullptr, "shape of the result"}, k, axis1, axis2};
  put.dtypes = kAllComputed;
  put.infer = infer_diag_put;
  put.cpu = run_diag_put;
  put.gradient = grad_diag_put;
  add_op(std::move(put));
}

}  // namespace

void register_linalg_parts() {
  register_diag();
  const AttrDef offset{"offset", AttrType::integer, "0",
                       "which diagonal: above 0 right of the main one"};
  const AttrDef lower{"lower", AttrType::boolean, "True",
                      "with offset 0: the lower triangle, else the upper one"};

  OpDef take = part_def(kExtractDiag, "A diagonal of every square matrix: (..., n - |offset|).");
  take.attrs = {offset};
  take.infer = infer_extract_diag;
  take.cpu = run_extract_diag;
  take.gradient = grad_by<kMakeDiag>;
  add_op(std::move(take));

  OpDef make = part_def(kMakeDiag, "Square matrices with the vectors of A on a diagonal.");
  make.inputs = {{"A", "(..., n)"}};
  make.attrs = {offset};
  make.infer = infer_make_diag;
  make.cpu = run_make_diag;
  make.gradient = grad_by<kExtractDiag>;
  add_op(std::move(make));

  OpDef triangle =
      part_def(kExtractTriangle,
               "A triangle of every square matrix as a vector, the lower one row by row, "
               "the upper one column by column. An offset "
               "below 0 means the lower triangle up to that diagonal, one above 0 the "
               "upper triangle from it.");
  triangle.attrs = {offset, lower};
  triangle.infer = infer_extract_triangle;
  triangle.cpu = run_triangle<true>;
  triangle.gradient = grad_by<kMakeTriangle>;
  add_op(std::move(triangle));

  OpDef whole = part_def(kMakeTriangle,
                         "Square matrices with the vectors of A in a triangle, zeros elsewhere: "
                         "undoes extracttrian.");
  whole.inputs = {{"A", "(..., n (n + 1) / 2)"}};
  whole.attrs = {offset, lower};
  whole.infer = infer_make_triangle;
  whole.cpu = run_triangle<false>;
  whole.gradient = grad_by<kExtractTriangle>;
  add_op(std::move(whole));

  OpDef masked = part_def(kTriangle, "A with zeros outside a triangle.");
  masked.attrs = {
      {"lower", AttrType::boolean, "True", "what is left of a diagonal stays, else what is right"},
      {"k", AttrType::integer, "0", "that diagonal, which stays"}};
  masked.dtypes = kAllComputed;
  masked.infer = infer_triangle;
  masked.cpu = run_masked;
  masked.gradient = grad_by<kTriangle>;
  add_op(std::move(masked));

  OpDef sum = part_def("linalg_sumlogdiag",
                       "Sum of the logarithms of every matrix's diagonal; (1,) of a single one.");
  sum.infer = infer_sum_log_diag;
  sum.cpu = run_sum_log_diag;
  sum.gradient = grad_sum_log_diag;
  add_op(std::move(sum));
}

}  // namespace hybrid
