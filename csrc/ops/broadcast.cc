// Broadcasting and its adjoint: broadcast_to, broadcast_like, broadcast_axis; sum_like,
// sum_to_shape.
#include "ops/axes.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/view.h"

namespace hybrid {

namespace {

// Strides that repeat `in` over `to`; throws Error when the shapes do not fit.
Shape repeated_strides(const TensorView& in, const Shape& to, const char* op) {
  const int extra = to.ndim() - in.shape.ndim();
  Shape strides = Shape::of_rank(to.ndim(), 0);
  bool fits = extra >= 0;
  for (int i = 0; fits && i < in.shape.ndim(); ++i) {
    const int64_t size = in.shape[i];
    fits = size == 1 || size == to[i + extra];
    if (size != 1) strides[i + extra] = in.strides[i];
  }
  require(fits, op, ": given data of shape ", in.shape, ", expected one that broadcasts to ", to);
  return strides;
}

void check_broadcasts(const Shape& from, const Shape& to, const char* op) {
  bool fits = from.ndim() <= to.ndim();
  for (int i = 1; fits && i <= from.ndim(); ++i) {
    const int64_t f = from[from.ndim() - i], t = to[to.ndim() - i];
    fits = f == 1 || f < 0 || t < 0 || f == t;
  }
  require(fits, op, ": given data of shape ", from, ", expected one that broadcasts to ", to);
}

// --- broadcast_to -------------------------------------------------------------------------------

Shape target_shape(const Attrs& attrs, const Shape& in) {
  const char* op = attrs.op()->name;
  std::vector<int64_t> dims = attrs.ints("shape");
  if (attrs.boolean("codes") && in.rank_known()) {
    require(dims.size() >= static_cast<size_t>(in.ndim()), op, ": given shape ",
            attrs.text("shape"), " for data of shape ", in,
            ", expected at least as many dimensions");
    const size_t extra = dims.size() - static_cast<size_t>(in.ndim());
    for (size_t i = extra; i < dims.size(); ++i) {
      if (dims[i] == 0) dims[i] = in[static_cast<int>(i - extra)];
    }
    for (int64_t d : dims) {
      if (d < 0) return Shape(dims);  // unknown yet
    }
  }
  return checked_shape(dims, op);
}

void infer_to(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known() && c.attrs.boolean("codes")) return;
  const Shape to = target_shape(c.attrs, in);
  if (in.rank_known()) check_broadcasts(in, to, c.op_name);
  set_shape(c, 0, to);
}

bool view_to(const Attrs& attrs, const TensorView& in, Shape* shape, Shape* strides,
             int64_t* offset) {
  *shape = target_shape(attrs, in.shape);
  *strides = repeated_strides(in, *shape, attrs.op()->name);
  *offset = 0;
  return true;
}

void grad_sum_back(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.sum_like(b.out_grad(), b.input(0)));
}

// --- broadcast_like -----------------------------------------------------------------------------

// lhs's shape with the sizes of the axes rhs_axes of rhs on its axes lhs_axes.
Shape paired_shape(const Attrs& attrs, const Shape& in, const Shape& like) {
  const char* op = attrs.op()->name;
  require(attrs.has("lhs_axes") && attrs.has("rhs_axes"), op, ": given lhs_axes ",
          attrs.text("lhs_axes"), " and rhs_axes ", attrs.text("rhs_axes"),
          ", expected both or none of them");
  const auto &left = attrs.ints("lhs_axes"), &right = attrs.ints("rhs_axes");
  require(left.size() == right.size() && !left.empty(), op, ": given lhs_axes ",
          attrs.text("lhs_axes"), " and rhs_axes ", attrs.text("rhs_axes"),
          ", expected as many axes of both, at least one");
  Shape out = in;
  for (size_t i = 0; i < left.size(); ++i) {
    const int axis = normalize_axis(left[i], in.ndim(), op);
    require(in[axis] == 1 || in[axis] < 0, op, ": given lhs of shape ", in,
            ", expected size 1 on axis ", axis);
    out[axis] = like[normalize_axis(right[i], like.ndim(), op)];
  }
  return out;
}

void infer_broadcast_like(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  const Shape& in = c.in_shapes[0];
  Shape like = c.in_shapes[1];
  if (c.attrs.has("lhs_axes") || c.attrs.has("rhs_axes")) {
    if (!in.rank_known() || !like.rank_known()) return;
    like = paired_shape(c.attrs, in, like);
  }
  if (in.rank_known() && like.rank_known()) check_broadcasts(in, like, c.op_name);
  set_shape(c, 0, like);
}

void run_broadcast_like(KernelContext& c) {
  TensorView window = c.in[0];
  window.strides = repeated_strides(c.in[0], c.out[0].shape, "broadcast_like");
  window.shape = c.out[0].shape;
  strided_copy(window, c.out[0], c.resources);
}

// --- broadcast_axis -----------------------------------------------------------------------------

Shape axis_shape(const Attrs& attrs, const Shape& in) {
  const char* op = attrs.op()->name;
  const auto &axes = attrs.ints("axis"), &sizes = attrs.ints("size");
  require(axes.size() == sizes.size(), op, ": given axis ", attrs.text("axis"), " and size ",
          attrs.text("size"), ", expected as many sizes as axes");
  Shape out = in;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = normalize_axis(axes[i], in.ndim(), op);
    require(in[axis] == 1 || in[axis] < 0, op, ": given data of shape ", in,
            ", expected size 1 on axis ", axis);
    require(sizes[i] >= 0, op, ": given size ", sizes[i], ", expected 0 or more");
    out[axis] = sizes[i];
  }
  return out;
}

void infer_axis(InferContext& c) {
  one_dtype(c);
  if (c.in_shapes[0].rank_known()) set_shape(c, 0, axis_shape(c.attrs, c.in_shapes[0]));
}

bool view_axis(const Attrs& attrs, const TensorView& in, Shape* shape, Shape* strides,
               int64_t* offset) {
  *shape = axis_shape(attrs, in.shape);
  *strides = repeated_strides(in, *shape, attrs.op()->name);
  *offset = 0;
  return true;
}

// --- sum_like, sum_to_shape: undo broadcasting
// ----------------------------------------------------

void infer_sum_like(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  const Shape &in = c.in_shapes[0], &like = c.in_shapes[1];
  if (in.rank_known() && like.rank_known()) check_broadcasts(like, in, c.op_name);
  set_shape(c, 0, like);
}

void infer_sum_to(InferContext& c) {
  one_dtype(c);
  const Shape to = checked_shape(c.attrs.ints("shape"), c.op_name);
  if (c.in_shapes[0].rank_known()) check_broadcasts(to, c.in_shapes[0], c.op_name);
  set_shape(c, 0, to);
}

void run_sum_back(KernelContext& c) {
  const Shape &from = c.in[0].shape, &to = c.out[0].shape;
  const int extra = from.ndim() - to.ndim();
  uint32_t mask = 0;
  for (int i = 0; i < from.ndim(); ++i) {
    if (i < extra || (to[i - extra] == 1 && from[i] != 1)) mask |= 1u << i;
  }
  if (mask != 0) {
    reduce(Reduction::sum, c.in[0], mask, c.out[0], c.resources);
    return;
  }
  strided_copy(c.in[0], c.out[0], c.resources);
}

void grad_spread(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, broadcast_as(b, b.out_grad(), b.input(0)));
}

}  // namespace

void register_broadcast() {
  OpDef to =
      view_def("broadcast_to",
               "data repeated to a larger shape by NumPy's rule: missing axes are added on the "
               "left, axes of size 1 repeat.",
               view_to);
  to.attrs = {{"shape", AttrType::ints, nullptr, "shape of the result"},
              {"codes", AttrType::boolean, "False", "0 in shape keeps data's size (MXNet 1.x)"}};
  to.infer = infer_to;
  to.gradient = grad_sum_back;
  add_op(std::move(to));

  OpDef like = view_def("broadcast_like", "data repeated to the shape of another array.", nullptr);
  like.inputs = {{"lhs", "array to repeat"}, {"rhs", "array whose shape is taken", false}};
  like.attrs = {{"lhs_axes", AttrType::ints, "None", "axes of lhs that repeat; None: all"},
                {"rhs_axes", AttrType::ints, "None", "axes of rhs whose sizes they take"}};
  like.infer = infer_broadcast_like;
  like.cpu = run_broadcast_like;
  like.gradient = grad_sum_back;
  add_op(std::move(like));

  OpDef axis = view_def("broadcast_axis", "data repeated along axes of size 1.", view_axis);
  axis.attrs = {{"axis", AttrType::ints, "()", "axes of size 1"},
                {"size", AttrType::ints, "()", "their new sizes"}};
  axis.infer = infer_axis;
  axis.gradient = grad_sum_back;
  add_op(std::move(axis));

  OpDef sum_like;
  sum_like.name = "sum_like";
  sum_like.family = Family::reduce;
  sum_like.doc =
      "data summed to the shape of an array that broadcasts to it: undoes broadcasting, for "
      "gradients.";
  sum_like.inputs = {{"data", "array"}, {"like", "array whose shape is taken", false}};
  sum_like.dtypes = kNumbersComplex;
  sum_like.infer = infer_sum_like;
  sum_like.cpu = run_sum_back;
  sum_like.on_device = true;
  sum_like.gradient = grad_spread;
  sum_like.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
    return static_cast<double>(in[0].size());
  };
  OpDef sum_to = sum_like;
  add_op(std::move(sum_like));

  sum_to.name = "sum_to_shape";
  sum_to.doc =
      "data summed to a shape that broadcasts to its own: undoes broadcasting, for gradients.";
  sum_to.inputs = {{"data", "array"}};
  sum_to.attrs = {{"shape", AttrType::ints, nullptr, "shape of the result"}};
  sum_to.infer = infer_sum_to;
  add_op(std::move(sum_to));
}

}  // namespace hybrid
