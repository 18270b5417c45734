// Rows by index: take, Embedding and the scatter that is their gradient; one_hot.
#include <cstring>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/indices.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

const char* const kModes = "clip|wrap|raise";
const char* const kModeDoc =
    "index out of range: clip to the nearest end, wrap around, or raise an error";

const char* const kFromEndDoc = "mode raise: negative indices count from the end, as NumPy's do";

// Shape of the result: `data` with axis replaced by the axes of `indices`.
Shape taken_shape(const Shape& data, const Shape& indices, int axis, const char* op) {
  require(data.ndim() - 1 + indices.ndim() <= kMaxDims, op, ": given data ", data, " and indices ",
          indices, ", expected a result of at most ", kMaxDims, " dimensions");
  Shape out;
  for (int i = 0; i < axis; ++i) out.push_back(data[i]);
  for (int64_t d : indices) out.push_back(d);
  for (int i = axis + 1; i < data.ndim(); ++i) out.push_back(data[i]);
  return out;
}

// out[o, i, :] = data[o, index[i], :], seen as (outer, axis, inner).
void gather_rows(const TensorView& data, int axis, const TensorView& indices, const IndexMode& mode,
                 const TensorView& out, Resources& resources) {
  const AxisView v(data.shape, axis);
  const IndexReader index(indices);
  const int64_t count = indices.size();
  const size_t row = static_cast<size_t>(v.inner) * dtype_size(data.dtype);
  for (int64_t i = 0; i < count; ++i) mode(index[i]);  // errors before anything is written
  resources.parallel(v.outer * count, std::max<int64_t>(1, 65536 / (v.inner + 1)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t k = begin; k < end; ++k) {
                         const int64_t from = k / count * v.size + mode(index[k % count]);
                         std::memcpy(out.as<char>() + static_cast<size_t>(k) * row,
                                     data.as<char>() + static_cast<size_t>(from) * row, row);
                       }
                     });
}

// The adjoint: out[o, index[i], :] += grad[o, i, :], in the order of i.
void scatter_rows(const TensorView& grad, int axis, const TensorView& indices,
                  const IndexMode& mode, const TensorView& out, Resources&) {
  const AxisView v(out.shape, axis);
  const IndexReader index(indices);
  const int64_t count = indices.size();
  std::memset(out.data, 0, static_cast<size_t>(out.size()) * dtype_size(out.dtype));
  dispatch(out.dtype, "take_grad", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t o = 0; o < v.outer; ++o) {
      for (int64_t i = 0; i < count; ++i) {
        const T* from = grad.as<T>() + (o * count + i) * v.inner;
        T* to = out.as<T>() + (o * v.size + mode(index[i])) * v.inner;
        for (int64_t j = 0; j < v.inner; ++j) to[j] = static_cast<T>(to[j] + from[j]);
      }
    }
  });
}

// --- take(a, indices) ---------------------------------------------------------------------------

void infer_take(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  const Shape &data = c.in_shapes[0], &indices = c.in_shapes[1];
  if (!data.rank_known()) return;
  require(data.ndim() > 0, c.op_name, ": given data of shape (), expected at least one dimension");
  const int axis = normalize_axis(c.attrs.integer("axis"), data.ndim(), c.op_name);
  if (indices.rank_known()) set_shape(c, 0, taken_shape(data, indices, axis, c.op_name));
}

void run_take(KernelContext& c) {
  const int axis = normalize_axis(c.attrs.integer("axis"), c.in[0].shape.ndim(), "take");
  gather_rows(c.in[0], axis, c.in[1], IndexMode(c.attrs, c.in[0].shape[axis], axis), c.out[0],
              c.resources);
}

bool from_end(const Attrs& attrs) {
  return attrs.op()->attr_index("from_end") < 0 || attrs.boolean("from_end");
}

Entry take_grad(GradBuilder& b, Entry g, Entry indices, int64_t axis, int64_t dim) {
  return b.op("take_grad", {g, indices},
              {{"axis", axis},
               {"mode", b.attrs().string("mode")},
               {"dim", dim},
               {"from_end", from_end(b.attrs())}});
}

void grad_take(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const int axis = normalize_axis(b.attrs().integer("axis"), known_rank(b, b.input(0)), "take");
  const int64_t dim = b.shape(b.input(0))[axis];
  require(dim >= 0, "take: its gradient needs the size of axis ", axis,
          ": give the shapes of the inputs");
  b.set(0, take_grad(b, b.out_grad(), b.input(1), axis, dim));
}

// --- Embedding(data, weight) --------------------------------------------------------------------

void infer_embedding(InferContext& c) {
  const int64_t in = c.attrs.integer("input_dim"), out = c.attrs.integer("output_dim");
  require(in > 0 && out > 0, c.op_name, ": given input_dim ", in, " and output_dim ", out,
          ", expected at least 1 each");
  expect_dtype(c, 1, c.out_dtypes[0]);
  if (c.in_dtypes[1] == DType::unknown && c.attrs.has("dtype"))
    expect_dtype(c, 1, c.attrs.dtype("dtype"));
  require(c.in_dtypes[1] == DType::unknown || (kNumbers & dtype_bit(c.in_dtypes[1])) != 0,
          c.op_name, ": given weight ", dtype_name(c.in_dtypes[1]), ", expected ",
          dtype_set_names(kNumbers));
  set_dtype(c, 0, c.in_dtypes[1]);
  expect_shape(c, 1, {in, out});
  if (c.in_shapes[0].rank_known()) {
    set_shape(c, 0, taken_shape({in, out}, c.in_shapes[0], 0, c.op_name));
  }
}

void run_embedding(KernelContext& c) {
  gather_rows(c.in[1], 0, c.in[0], IndexMode(c.attrs, c.in[1].shape[0], 0), c.out[0], c.resources);
}

void grad_embedding(GradBuilder& b) {
  if (b.wanted(1))
    b.set(1, take_grad(b, b.out_grad(), b.input(0), 0, b.attrs().integer("input_dim")));
}

// --- take_grad(grad, indices) -------------------------------------------------------------------

void infer_take_grad(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  const Shape &grad = c.in_shapes[0], &indices = c.in_shapes[1];
  if (!grad.rank_known() || !indices.rank_known()) return;
  const int ndim = grad.ndim() - indices.ndim() + 1;
  require(ndim > 0, c.op_name, ": given grad ", grad, " and indices ", indices,
          ", expected indices' axes inside grad's");
  const int axis = normalize_axis(c.attrs.integer("axis"), ndim, c.op_name);
  Shape out;
  for (int i = 0; i < axis; ++i) out.push_back(grad[i]);
  out.push_back(c.attrs.integer("dim"));
  for (int i = axis + indices.ndim(); i < grad.ndim(); ++i) out.push_back(grad[i]);
  expect_shape(c, 0, taken_shape(out, indices, axis, c.op_name));
  set_shape(c, 0, out);
}

void run_take_grad(KernelContext& c) {
  const int axis = normalize_axis(c.attrs.integer("axis"), c.out[0].shape.ndim(), "take_grad");
  scatter_rows(c.in[0], axis, c.in[1], IndexMode(c.attrs, c.out[0].shape[axis], axis), c.out[0],
               c.resources);
}

void grad_take_grad(GradBuilder& b) {
  if (!b.wanted(0)) return;
  b.set(0, b.op("take", {b.out_grad(), b.input(1)},
                {{"axis", b.attrs().integer("axis")},
                 {"mode", b.attrs().string("mode")},
                 {"from_end", from_end(b.attrs())}}));
}

// --- one_hot ------------------------------------------------------------------------------------

void infer_one_hot(InferContext& c) {
  const int64_t depth = c.attrs.integer("depth");
  const DType dtype = c.attrs.dtype("dtype");
  require(depth >= 0, c.op_name, ": given depth ", depth, ", expected 0 or more");
  require((kAllOrdered & dtype_bit(dtype)) != 0, c.op_name, ": given dtype ", dtype_name(dtype),
          ", expected one of ", dtype_set_names(kAllOrdered));
  set_dtype(c, 0, dtype);
  if (!c.in_shapes[0].rank_known()) return;
  Shape out = c.in_shapes[0];
  out.push_back(depth);
  set_shape(c, 0, out);
}

void run_one_hot(KernelContext& c) {
  const int64_t depth = c.attrs.integer("depth"), count = c.in[0].size();
  const double on = c.attrs.real("on_value"), off = c.attrs.real("off_value");
  const IndexReader index(c.in[0]);
  dispatch(c.out[0].dtype, "one_hot", [&](auto zero) {
    using T = decltype(zero);
    T* out = c.out[0].as<T>();
    for (int64_t i = 0; i < count; ++i) {
      const int64_t hot = index[i];
      for (int64_t j = 0; j < depth; ++j) out[i * depth + j] = static_cast<T>(j == hot ? on : off);
    }
  });
}

OpDef index_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::index;
  def.doc = doc;
  def.dtypes = kAllComputed;
  return def;
}

double moved(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
  return static_cast<double>(in[0].size());
}

}  // namespace

void register_index() {
  OpDef take =
      index_def("take",
                "The slices of a along axis that indices name: the axis is replaced by the "
                "axes of indices. MXNet's take.");
  take.inputs = {{"a", "array"}, {"indices", "any number dtype, read toward 0", false}};
  take.attrs = {{"axis", AttrType::integer, "0", "axis to take along"},
                {"mode", AttrType::string, "clip", kModeDoc, kModes},
                {"from_end", AttrType::boolean, "False", kFromEndDoc}};
  take.infer = infer_take;
  take.cpu = run_take;
  take.gradient = grad_take;
  add_op(std::move(take));

  OpDef embedding =
      index_def("Embedding",
                "Row data[i] of weight for every index: (...) gives (..., output_dim). "
                "An index out of range is an error, unlike in MXNet 1.x, which clips.");
  embedding.inputs = {{"data", "indices", false}, {"weight", "(input_dim, output_dim)"}};
  embedding.dtypes = kNumbers;
  embedding.attrs = {
      {"input_dim", AttrType::integer, nullptr, "number of rows"},
      {"output_dim", AttrType::integer, nullptr, "size of a row"},
      {"dtype", AttrType::dtype, "float32", "dtype of the weight where nothing else says it"},
      {"sparse_grad", AttrType::boolean, "False", "accepted; gradients are dense"},
      {"mode", AttrType::string, "raise", kModeDoc, kModes}};
  embedding.infer = infer_embedding;
  embedding.cpu = run_embedding;
  embedding.gradient = grad_embedding;
  add_op(std::move(embedding));

  OpDef grad =
      index_def("take_grad",
                "Gradient of take: grad's slices added up at their indices in zeros of size "
                "dim along axis.");
  grad.inputs = {{"grad", "gradient of the result"}, {"indices", "the indices taken", false}};
  grad.dtypes = kNumbers;
  grad.attrs = {{"axis", AttrType::integer, "0", "axis that was taken along"},
                {"mode", AttrType::string, "clip", kModeDoc, kModes},
                {"dim", AttrType::integer, nullptr, "size of the axis"},
                {"from_end", AttrType::boolean, "False", kFromEndDoc}};
  grad.infer = infer_take_grad;
  grad.cpu = run_take_grad;
  grad.gradient = grad_take_grad;
  grad.flops = moved;
  add_op(std::move(grad));

  OpDef one_hot =
      index_def("one_hot",
                "off_value everywhere but on_value at the index: (...) gives (..., depth). "
                "An index out of range gives a row of off_value.");
  one_hot.inputs = {{"indices", "any number dtype, read toward 0", false}};
  one_hot.dtypes = kNumbers;
  one_hot.attrs = {{"depth", AttrType::integer, nullptr, "size of the new axis"},
                   {"on_value", AttrType::real, "1.0", "value at the index"},
                   {"off_value", AttrType::real, "0.0", "value elsewhere"},
                   {"dtype", AttrType::dtype, "float32", "dtype of the result"}};
  one_hot.infer = infer_one_hot;
  one_hot.cpu = run_one_hot;
  add_op(std::move(one_hot));
}

}  // namespace hybrid
