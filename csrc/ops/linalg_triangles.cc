// Triangles of stacked matrices and matrices of them: MXNet's linalg.extracttrian, maketrian and
// sumlogdiag.
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

// The gradient of a linear operator by another one of the same attributes.
template <const char* const& other>
void grad_by(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Attrs attrs(get_op(other));
  for (const AttrDef& def : attrs.op()->attrs) attrs.set(def.name, b.attrs().at(def.name));
  b.set(0, b.op(other, {b.out_grad()}, attrs));
}
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
  const Entry diagonal = b.op("linalg_extractdiag", {b.input(0)});
  Shape column = known_shape(b, diagonal);
  column[column.ndim() - 1] = 1;
  const Entry g = reshape_to(b, b.out_grad(), column);
  b.set(0, b.op("linalg_makediag", {b.op("div", {g, diagonal})}));
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

}  // namespace

void register_linalg_triangles() {
  const AttrDef offset{"offset", AttrType::integer, "0",
                       "which diagonal: above 0 right of the main one"};
  const AttrDef lower{"lower", AttrType::boolean, "True",
                      "with offset 0: the lower triangle, else the upper one"};

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
