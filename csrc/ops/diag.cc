// Diagonals of stacked matrices and matrices of them: MXNet's diag, linalg.extractdiag, makediag.
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

double moved(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  return static_cast<double>(std::max(in[0].size(), out[0].size()));
}

OpDef part_def(const char* name, const char* doc) {
  OpDef def = linalg_def(name, doc);
  def.family = Family::shape;
  def.flops = moved;
  return def;
}

void register_plain_diag() {
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

void register_diag() {
  register_plain_diag();
  const AttrDef offset{"offset", AttrType::integer, "0",
                       "which diagonal: above 0 right of the main one"};

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
}

}  // namespace hybrid
