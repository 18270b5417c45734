// MXNet's contrib operators on indices: arange_like, index_array, index_copy.
#include <cstring>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// --- arange_like --------------------------------------------------------------------------------

void infer_arange_like(InferContext& c) {
  const int64_t repeat = c.attrs.integer("repeat");
  require(repeat >= 1, c.op_name, ": given repeat ", repeat, ", expected at least 1");
  set_dtype(c, 0, c.in_dtypes[0]);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  if (!c.attrs.has("axis")) return set_shape(c, 0, in);
  set_shape(c, 0, {in[normalize_axis(c.attrs.integer("axis"), in.ndim(), c.op_name)]});
}

void run_arange_like(KernelContext& c) {
  const double start = c.attrs.real("start"), step = c.attrs.real("step");
  const int64_t repeat = c.attrs.integer("repeat"), count = c.out[0].size();
  dispatch(c.out[0].dtype, "arange_like", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) {
      c.out[0].as<T>()[i] = static_cast<T>(start + static_cast<double>(i / repeat) * step);
    }
  });
}

void no_gradient(GradBuilder&) {}

// --- index_array --------------------------------------------------------------------------------

std::vector<int> axes_of(const Attrs& attrs, int ndim) {
  std::vector<int> axes;
  if (attrs.has("axes")) {
    for (const int64_t axis : attrs.ints("axes")) {
      axes.push_back(normalize_axis(axis, ndim, attrs.op()->name));
    }
  } else {
    for (int i = 0; i < ndim; ++i) axes.push_back(i);
  }
  return axes;
}

void infer_index_array(InferContext& c) {
  set_dtype(c, 0, DType::int64);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  require(in.ndim() < kMaxDims, c.op_name, ": given data of ", in.ndim(),
          " dimensions, expected fewer than ", kMaxDims);
  Shape out = in;
  out.push_back(static_cast<int64_t>(axes_of(c.attrs, in.ndim()).size()));
  set_shape(c, 0, out);
}

void run_index_array(KernelContext& c) {
  const Shape& in = c.in[0].shape;
  const std::vector<int> axes = axes_of(c.attrs, in.ndim());
  const Shape strides = contiguous_strides(in);
  const int64_t count = in.size();
  int64_t* out = c.out[0].as<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    for (const int axis : axes) *out++ = i / strides[axis] % in[axis];
  }
}

// --- index_copy ---------------------------------------------------------------------------------

void infer_index_copy(InferContext& c) {
  set_dtype(c, 0, unify_dtypes(c, {0, 2}));
  const Shape& whole = c.in_shapes[0];
  set_shape(c, 0, whole);
  if (!whole.rank_known()) return;
  require(whole.ndim() > 0, c.op_name, ": given old_tensor of shape (), expected rows");
  expect_rank(c, 1, 1, "indices");
  Shape rows = whole;
  rows[0] = c.in_shapes[1].rank_known() ? c.in_shapes[1][0] : -1;
  expect_shape(c, 2, rows);
}

void run_index_copy(KernelContext& c) {
  const int64_t rows = c.out[0].shape[0], count = c.in[1].size();
  const size_t whole = static_cast<size_t>(c.out[0].size()) * dtype_size(c.out[0].dtype);
  if (c.out[0].data != c.in[0].data && whole > 0) {
    std::memcpy(c.out[0].data, c.in[0].data, whole);
  }
  const size_t row = rows > 0 ? whole / static_cast<size_t>(rows) : 0;
  const IndexReader index(c.in[1]);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = index[i];
    require(at >= 0 && at < rows, "index_copy: given index ", at, ", expected 0 to ", rows - 1);
    std::memcpy(c.out[0].as<char>() + static_cast<size_t>(at) * row,
                c.in[2].as<char>() + static_cast<size_t>(i) * row, row);
  }
}

// Of distinct indices.
void grad_index_copy(GradBuilder& b) {
  const Entry g = b.out_grad(), index = b.input(1);
  if (b.wanted(0)) b.set(0, b.op("index_copy", {g, index, b.zeros_as(b.input(2))}));
  if (b.wanted(2))
    b.set(2, b.op("take", {g, index}, {{"mode", std::string("raise")}, {"from_end", true}}));
}

OpDef index_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::index;
  def.doc = doc;
  def.inputs = {{"data", "array whose shape is taken"}};
  def.dtypes = kNumbers;
  return def;
}

}  // namespace

void register_contrib_index() {
  OpDef like = index_def("arange_like",
                         "start, start + step, ... in the shape and dtype of data, or as many as "
                         "data has on an axis. Gradient: 0.");
  like.attrs = {{"start", AttrType::real, "0.0", "first number"},
                {"step", AttrType::real, "1.0", "distance"},
                {"repeat", AttrType::integer, "1", "times that each number stands"},
                {"axis", AttrType::integer, "None", "axis whose size is taken; None: all of data"}};
  like.infer = infer_arange_like;
  like.cpu = run_arange_like;
  like.gradient = no_gradient;
  add_op(std::move(like));

  OpDef places = index_def("index_array",
                           "The index of every element on the given axes: (...) gives (..., n), "
                           "int64.");
  places.inputs[0].differentiable = false;
  places.attrs = {{"axes", AttrType::ints, "None", "axes; None: all"}};
  places.dtypes = kAllComputed;
  places.infer = infer_index_array;
  places.cpu = run_index_array;
  add_op(std::move(places));

  OpDef copy = index_def("index_copy",
                         "old_tensor with row index_vector[i] replaced by row i of new_tensor, the "
                         "last of equal ones staying. An index out of range is an error.");
  copy.inputs = {{"old_tensor", "(n, ...)"},
                 {"index_vector", "(k,), any number dtype", false},
                 {"new_tensor", "(k, ...), of old_tensor's dtype"}};
  copy.dtypes = kAllComputed;
  copy.infer = infer_index_copy;
  copy.cpu = run_index_copy;
  copy.gradient = grad_index_copy;
  copy.in_place = {{0, 0}};
  add_op(std::move(copy));
}

}  // namespace hybrid
