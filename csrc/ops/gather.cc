// Elements by index: pick, take_along_axis, gather_nd and the scatters that are their gradients.
#include <cstring>

#include "kernels/device_kernels.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/indices.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

void clear(const TensorView& out) {
  std::memset(out.data, 0, static_cast<size_t>(out.size()) * dtype_size(out.dtype));
}

// --- along an axis: pick (one index a row) and take_along_axis (many)
// -----------------------------

// Index arrays seen as (outer, count, inner) beside data (outer, size, inner).
template <class Body>
void for_each_place(const AxisView& v, int64_t count, const TensorView& indices,
                    const IndexMode& mode, Body&& body) {
  const IndexReader index(indices);
  for (int64_t o = 0; o < v.outer; ++o) {
    for (int64_t k = 0; k < count; ++k) {
      for (int64_t i = 0; i < v.inner; ++i) {
        const int64_t at = (o * count + k) * v.inner + i;
        body(at, (o * v.size + mode(index[at])) * v.inner + i);
      }
    }
  }
}

IndexedRows rows_of(const AxisView& v, int64_t count, const IndexMode& mode) {
  return {v.outer, v.size, v.inner, count, mode.wraps(), mode.raises()};
}

void gather_along(const TensorView& data, int axis, int64_t count, const TensorView& indices,
                  const IndexMode& mode, const TensorView& out, Resources& resources) {
  if (DeviceKernels* const device = resources.device()) {
    return device->gather(rows_of(AxisView(data.shape, axis), count, mode), data, indices, out);
  }
  dispatch_size(dtype_size(data.dtype), "pick", [&](auto zero) {
    using T = decltype(zero);
    for_each_place(AxisView(data.shape, axis), count, indices, mode,
                   [&](int64_t at, int64_t place) { out.as<T>()[at] = data.as<T>()[place]; });
  });
}

void scatter_along(const TensorView& grad, int axis, int64_t count, const TensorView& indices,
                   const IndexMode& mode, const TensorView& out, Resources& resources) {
  if (DeviceKernels* const device = resources.device()) {
    return device->scatter(rows_of(AxisView(out.shape, axis), count, mode), grad, indices, out);
  }
  clear(out);
  dispatch(out.dtype, "pick_grad", [&](auto zero) {
    using T = decltype(zero);
    for_each_place(AxisView(out.shape, axis), count, indices, mode, [&](int64_t at, int64_t place) {
      T& to = out.as<T>()[place];
      to = static_cast<T>(to + grad.as<T>()[at]);
    });
  });
}

// Shape of picked indices: data's without axis, or with size 1 there.
Shape picked_shape(const Shape& data, int axis, bool keepdims) {
  Shape out;
  for (int i = 0; i < data.ndim(); ++i) {
    if (i != axis) {
      out.push_back(data[i]);
    } else if (keepdims) {
      out.push_back(1);
    }
  }
  return out;
}

void expect_picked(InferContext& c, size_t input, const Shape& data, int axis) {
  // Both forms of indices are taken, with and without the axis.
  const Shape& given = c.in_shapes[input];
  const bool kept = given.rank_known() && given.ndim() == data.ndim();
  expect_shape(c, input, picked_shape(data, axis, kept));
}

void infer_pick(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  const int axis = normalize_axis(c.attrs.integer("axis"), data.ndim(), c.op_name);
  expect_picked(c, 1, data, axis);
  Shape out = picked_shape(data, axis, c.attrs.boolean("keepdims"));
  if (out.ndim() == 0 && c.attrs.boolean("at_least_1d")) out.push_back(1);
  set_shape(c, 0, out);
}

void run_pick(KernelContext& c) {
  const int axis = normalize_axis(c.attrs.integer("axis"), c.in[0].shape.ndim(), "pick");
  gather_along(c.in[0], axis, 1, c.in[1], IndexMode(c.attrs, c.in[0].shape[axis], axis), c.out[0],
               c.resources);
}

void grad_pick(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const int axis = normalize_axis(b.attrs().integer("axis"), known_rank(b, b.input(0)), "pick");
  const Shape data = known_shape(b, b.input(0));
  const Shape row = picked_shape(data, axis, true);
  b.set(0, b.op("take_along_axis_grad",
                {reshape_to(b, b.out_grad(), row), reshape_to(b, b.input(1), row)},
                {{"axis", axis}, {"mode", b.attrs().string("mode")}, {"dim", data[axis]}}));
}

void infer_along(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  const int axis = normalize_axis(c.attrs.integer("axis"), data.ndim(), c.op_name);
  Shape indices = data;
  indices[axis] = -1;
  expect_shape(c, 1, indices);
  set_shape(c, 0, c.in_shapes[1]);
}

void run_along(KernelContext& c) {
  const int axis = normalize_axis(c.attrs.integer("axis"), c.in[0].shape.ndim(), "take_along_axis");
  gather_along(c.in[0], axis, c.in[1].shape[axis], c.in[1],
               IndexMode(c.attrs, c.in[0].shape[axis], axis), c.out[0], c.resources);
}

void grad_along(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const int64_t axis =
      normalize_axis(b.attrs().integer("axis"), known_rank(b, b.input(0)), "take_along_axis");
  const int64_t dim = known_shape(b, b.input(0))[static_cast<int>(axis)];
  b.set(0, b.op("take_along_axis_grad", {b.out_grad(), b.input(1)},
                {{"axis", axis}, {"mode", b.attrs().string("mode")}, {"dim", dim}}));
}

void infer_along_grad(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  expect_shape(c, 0, c.in_shapes[1]);
  expect_shape(c, 1, c.in_shapes[0]);
  if (!c.in_shapes[0].rank_known()) return;
  Shape out = c.in_shapes[0];
  out[normalize_axis(c.attrs.integer("axis"), out.ndim(), c.op_name)] = c.attrs.integer("dim");
  set_shape(c, 0, out);
}

void run_along_grad(KernelContext& c) {
  const int axis =
      normalize_axis(c.attrs.integer("axis"), c.out[0].shape.ndim(), "take_along_axis_grad");
  scatter_along(c.in[0], axis, c.in[1].shape[axis], c.in[1],
                IndexMode(c.attrs, c.out[0].shape[axis], axis), c.out[0], c.resources);
}

void grad_along_grad(GradBuilder& b) {
  if (!b.wanted(0)) return;
  b.set(0, b.op("take_along_axis", {b.out_grad(), b.input(1)},
                {{"axis", b.attrs().integer("axis")}, {"mode", b.attrs().string("mode")}}));
}

// --- gather_nd(data, indices), scatter_nd(data, indices): indices (m, ...)
// ------------------------

// Offset of each addressed slice in an array of shape `whole`, by position in indices' other axes.
class NdPlaces {
 public:
  NdPlaces(const Shape& whole, const TensorView& indices, const char* op)
      : whole_(whole), index_(indices), op_(op) {
    depth_ = indices.shape[0];
    count_ = 1;
    for (int i = 1; i < indices.shape.ndim(); ++i) count_ *= indices.shape[i];
    for (int i = static_cast<int>(depth_); i < whole.ndim(); ++i) slice_ *= whole[i];
  }
  int64_t count() const { return count_; }
  int64_t slice() const { return slice_; }  // elements of one slice
  int64_t operator[](int64_t k) const {
    int64_t at = 0;
    for (int64_t d = 0; d < depth_; ++d) {
      const int64_t size = whole_[static_cast<int>(d)], given = index_[d * count_ + k];
      require(given >= -size && given < size, op_, ": given index ", given, ", expected ", -size,
              " to ", size - 1, " on axis ", d, " of size ", size);
      at = at * size + (given < 0 ? given + size : given);
    }
    return at * slice_;
  }

 private:
  const Shape& whole_;
  IndexReader index_;
  const char* op_;
  int64_t depth_ = 0, count_ = 0, slice_ = 1;
};

// Shape of what the indices address in `whole`: indices' axes but the first, then the rest of
// whole.
Shape addressed(const Shape& whole, const Shape& indices, const char* op) {
  require(indices.ndim() > 0 && indices[0] <= whole.ndim(), op, ": given indices ", indices,
          " for an array of shape ", whole, ", expected at most ", whole.ndim(), " rows");
  Shape out;
  for (int i = 1; i < indices.ndim(); ++i) out.push_back(indices[i]);
  for (int i = static_cast<int>(indices[0]); i < whole.ndim(); ++i) out.push_back(whole[i]);
  return out;
}

void infer_gather_nd(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  const Shape &data = c.in_shapes[0], &indices = c.in_shapes[1];
  if (!data.rank_known() || !indices.rank_known() || (indices.ndim() > 0 && indices[0] < 0)) return;
  set_shape(c, 0, addressed(data, indices, c.op_name));
}

void run_gather_nd(KernelContext& c) {
  const NdPlaces places(c.in[0].shape, c.in[1], "gather_nd");
  const size_t item = dtype_size(c.in[0].dtype), row = static_cast<size_t>(places.slice()) * item;
  for (int64_t k = 0; k < places.count(); ++k) {
    std::memcpy(c.out[0].as<char>() + static_cast<size_t>(k) * row,
                c.in[0].as<char>() + static_cast<size_t>(places[k]) * item, row);
  }
}

void grad_gather_nd(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape shape = known_shape(b, b.input(0));
  b.set(0, b.op("scatter_nd", {b.out_grad(), b.input(1)},
                {{"shape", shape.to_vector()}, {"accumulate", true}}));
}

void infer_scatter_nd(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  const Shape out = checked_shape(c.attrs.ints("shape"), c.op_name);
  const Shape& indices = c.in_shapes[1];
  if (indices.rank_known() && !(indices.ndim() > 0 && indices[0] < 0)) {
    expect_shape(c, 0, addressed(out, indices, c.op_name));
  }
  set_shape(c, 0, out);
}

void run_scatter_nd(KernelContext& c) {
  clear(c.out[0]);
  const NdPlaces places(c.out[0].shape, c.in[1], "scatter_nd");
  const bool add = c.attrs.boolean("accumulate");
  dispatch(c.out[0].dtype, "scatter_nd", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < places.count(); ++k) {
      const T* from = c.in[0].as<T>() + k * places.slice();
      T* to = c.out[0].as<T>() + places[k];
      for (int64_t i = 0; i < places.slice(); ++i) {
        to[i] = add ? static_cast<T>(to[i] + from[i]) : from[i];
      }
    }
  });
}

void grad_scatter_nd(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op("gather_nd", {b.out_grad(), b.input(1)}));
}

OpDef gather_def(const char* name, const char* doc, const char* first, const char* first_doc) {
  OpDef def;
  def.name = name;
  def.family = Family::index;
  def.doc = doc;
  def.inputs = {{first, first_doc}, {"indices", "any number dtype, read toward 0", false}};
  def.dtypes = kAllComputed;
  return def;
}

const AttrDef kClip{"mode", AttrType::string, "clip",
                    "index out of range: clip to the nearest end, wrap around, or raise an error",
                    "clip|wrap|raise"};

}  // namespace

void register_gather() {
  OpDef pick = gather_def(
      "pick", "One element of data per row along axis, at the row's index. MXNet's pick.", "data",
      "array");
  pick.inputs[1].name = "index";
  pick.inputs[1].doc = "data's shape without axis (or with size 1 there)";
  pick.attrs = {{"axis", AttrType::integer, "-1", "axis to pick along"},
                {"keepdims", AttrType::boolean, "False", "the axis stays, with size 1"},
                kClip,
                {"at_least_1d", AttrType::boolean, "False",
                 "a single element has shape (1,) instead of () (MXNet 1.x)"}};
  pick.infer = infer_pick;
  pick.cpu = run_pick;
  pick.on_device = true;
  pick.gradient = grad_pick;
  add_op(std::move(pick));

  OpDef along =
      gather_def("take_along_axis",
                 "Elements of data along axis at indices, which have data's shape but for "
                 "that axis. NumPy's take_along_axis.",
                 "data", "array");
  along.attrs = {{"axis", AttrType::integer, "-1", "axis to take along"}, kClip};
  along.infer = infer_along;
  along.cpu = run_along;
  along.on_device = true;
  along.gradient = grad_along;
  add_op(std::move(along));

  OpDef grad =
      gather_def("take_along_axis_grad",
                 "Gradient of take_along_axis and pick: grad added up at its indices in zeros "
                 "of size dim along axis.",
                 "grad", "gradient of the result");
  grad.dtypes = kNumbers;
  grad.attrs = {{"axis", AttrType::integer, "-1", "axis that was taken along"},
                kClip,
                {"dim", AttrType::integer, nullptr, "size of the axis"}};
  grad.infer = infer_along_grad;
  grad.cpu = run_along_grad;
  grad.on_device = true;
  grad.gradient = grad_along_grad;
  add_op(std::move(grad));

  OpDef gather =
      gather_def("gather_nd",
                 "Slices of data addressed by the columns of indices (m, ...): the first m "
                 "axes are indexed. MXNet's gather_nd.",
                 "data", "array");
  gather.infer = infer_gather_nd;
  gather.cpu = run_gather_nd;
  gather.gradient = grad_gather_nd;
  add_op(std::move(gather));

  OpDef scatter =
      gather_def("scatter_nd",
                 "Zeros of a shape with data's slices written at indices (m, ...), the last "
                 "of equals staying, or added up with accumulate. The gradient is that of "
                 "distinct indices. MXNet's scatter_nd.",
                 "data", "slices");
  scatter.attrs = {{"shape", AttrType::ints, nullptr, "shape of the result"},
                   {"accumulate", AttrType::boolean, "False", "add instead of overwriting"}};
  scatter.dtypes = kAllOrdered;
  scatter.infer = infer_scatter_nd;
  scatter.cpu = run_scatter_nd;
  scatter.gradient = grad_scatter_nd;
  add_op(std::move(scatter));
}

}  // namespace hybrid
