// Operators that rename axes: reshape, flatten, expand_dims, squeeze, transpose, swapaxes.
#include "ops/reshape.h"

#include <algorithm>

#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/view.h"

namespace hybrid {

namespace {

// A rule gives the new shape of data; views and inference come from it.
using Rule = Shape (*)(const Attrs& attrs, const Shape& in);

template <Rule rule>
void infer(InferContext& c) {
  one_dtype(c);
  if (c.in_shapes[0].rank_known()) set_shape(c, 0, rule(c.attrs, c.in_shapes[0]));
}

template <Rule rule>
bool view(const Attrs& attrs, const TensorView& in, Shape* shape, Shape* strides, int64_t* offset) {
  *shape = rule(attrs, in.shape);
  *offset = 0;
  return reshape_strides(in, *shape, strides);
}

void gradient(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, reshape_as(b, b.out_grad(), b.input(0)));
}

Shape reshaped(const Attrs& a, const Shape& in) {
  return resolve_reshape(in, a.ints("shape"), a.boolean("codes"), a.boolean("reverse"),
                         a.op()->name);
}

// The one size of `in` that isn't known, of as many elements as `out` has.
void complete(Shape* in, const Shape& out) {
  int64_t known = 1;
  int missing = -1;
  for (int i = 0; i < in->ndim(); ++i) {
    if ((*in)[i] >= 0) {
      known *= (*in)[i];
    } else if (missing < 0) {
      missing = i;
    } else {
      return;
    }
  }
  if (missing < 0 || !out.known() || known == 0 || out.size() % known != 0) return;
  (*in)[missing] = out.size() / known;
}

// Plain sizes are known even where data's shape is not.
void infer_reshape(InferContext& c) {
  const auto& spec = c.attrs.ints("shape");
  one_dtype(c);
  if (c.in_shapes[0].rank_known()) {
    set_shape(c, 0, reshaped(c.attrs, c.in_shapes[0]));
    complete(&c.in_shapes[0], c.out_shapes[0]);
  } else if (std::all_of(spec.begin(), spec.end(), [](int64_t d) { return d > 0; })) {
    set_shape(c, 0, Shape(spec));
  }
}

Shape flattened(const Attrs& a, const Shape& in) {
  require(in.ndim() > 0, a.op()->name, ": given data of shape (), expected at least one dimension");
  int64_t rest = 1;
  for (int i = 1; i < in.ndim(); ++i) rest = in[i] < 0 || rest < 0 ? -1 : rest * in[i];
  return {in[0], rest};
}

Shape expanded(const Attrs& a, const Shape& in) {
  require(in.ndim() < kMaxDims, a.op()->name, ": given data of ", in.ndim(),
          " dimensions, expected fewer than ", kMaxDims);
  const int axis = normalize_axis(a.integer("axis"), in.ndim() + 1, a.op()->name);
  Shape out;
  for (int i = 0; i <= in.ndim(); ++i) {
    if (i == axis) out.push_back(1);
    if (i < in.ndim()) out.push_back(in[i]);
  }
  return out;
}

Shape squeezed(const Attrs& a, const Shape& in) {
  const char* op = a.op()->name;
  uint32_t mask = 0;
  if (a.has("axis")) {
    for (int64_t axis : a.ints("axis")) {
      const int i = normalize_axis(axis, in.ndim(), op);
      require(in[i] == 1 || in[i] < 0, op, ": given data of shape ", in, " and axis ", axis,
              ", expected an axis of size 1");
      mask |= 1u << i;
    }
  } else {
    if (!in.known()) return Shape::unknown();
    for (int i = 0; i < in.ndim(); ++i) mask |= in[i] == 1 ? 1u << i : 0u;
  }
  Shape out;
  for (int i = 0; i < in.ndim(); ++i) {
    if (!axis_in(mask, i)) out.push_back(in[i]);
  }
  if (out.ndim() == 0 && in.ndim() > 0 && a.boolean("at_least_1d")) out.push_back(1);
  return out;
}

// --- reshape_like -------------------------------------------------------------------------------

// Axis `name` of a shape, counted from the front; `missing` when it is not given.
int bound(const Attrs& attrs, const char* name, const Shape& s, int missing) {
  if (!attrs.has(name)) return missing;
  const int64_t given = attrs.integer(name), at = given < 0 ? given + s.ndim() : given;
  require(at >= 0 && at <= s.ndim(), attrs.op()->name, ": given ", name, " ", given,
          " for an array of shape ", s, ", expected ", -s.ndim(), " to ", s.ndim());
  return static_cast<int>(at);
}

// The axes lhs_begin to lhs_end of lhs replaced by the axes rhs_begin to rhs_end of rhs.
Shape spliced(const Attrs& attrs, const Shape& in, const Shape& like) {
  const int lb = bound(attrs, "lhs_begin", in, 0), le = bound(attrs, "lhs_end", in, in.ndim());
  const int rb = bound(attrs, "rhs_begin", like, 0);
  const int re = bound(attrs, "rhs_end", like, like.ndim());
  require(lb <= le && rb <= re, attrs.op()->name, ": given axes ", lb, " to ", le, " of lhs and ",
          rb, " to ", re, " of rhs, expected each to begin before its end");
  Shape out;
  for (int i = 0; i < lb; ++i) out.push_back(in[i]);
  for (int i = rb; i < re; ++i) out.push_back(like[i]);
  for (int i = le; i < in.ndim(); ++i) out.push_back(in[i]);
  return out;
}

void infer_reshape_like(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  const Shape& in = c.in_shapes[0];
  Shape like = c.in_shapes[1];
  bool whole = true;
  for (const char* name : {"lhs_begin", "lhs_end", "rhs_begin", "rhs_end"}) {
    whole = whole && !c.attrs.has(name);
  }
  if (!whole) {
    if (!in.rank_known() || !like.rank_known()) return;
    like = spliced(c.attrs, in, like);
  }
  require(!in.known() || !like.known() || in.size() == like.size(), c.op_name, ": given lhs ", in,
          " and rhs ", like, ", expected as many elements in both");
  set_shape(c, 0, like);
}

// lhs and rhs have one shape: what is known of one is known of the other.
void infer_identity_like(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  one_shape(c);
}

void run_reshape_like(KernelContext& c) {
  TensorView in = c.in[0];
  in.shape = c.out[0].shape;
  in.strides = c.out[0].strides;
  strided_copy(in, c.out[0], c.resources);
}

// --- transpose, swapaxes ------------------------------------------------------------------------

std::vector<int> axes_order(const Attrs& a, int ndim) {
  const char* op = a.op()->name;
  std::vector<int> order;
  if (!a.has("axes") || a.ints("axes").empty()) {
    for (int i = ndim - 1; i >= 0; --i) order.push_back(i);
    return order;
  }
  const auto& axes = a.ints("axes");
  uint32_t seen = 0;
  for (int64_t axis : axes) {
    order.push_back(normalize_axis(axis, ndim, op));
    seen |= 1u << order.back();
  }
  require(axes.size() == static_cast<size_t>(ndim) && seen == (1u << ndim) - 1, op, ": given axes ",
          a.text("axes"), " for ", ndim, " dimensions, expected each axis once");
  return order;
}

std::vector<int> swapped_order(const Attrs& a, int ndim) {
  std::vector<int> order;
  for (int i = 0; i < ndim; ++i) order.push_back(i);
  std::swap(order[static_cast<size_t>(normalize_axis(a.integer("dim1"), ndim, a.op()->name))],
            order[static_cast<size_t>(normalize_axis(a.integer("dim2"), ndim, a.op()->name))]);
  return order;
}

using Order = std::vector<int> (*)(const Attrs&, int ndim);

Shape permuted(const Shape& shape, const std::vector<int>& order) {
  Shape out;
  for (int axis : order) out.push_back(shape[axis]);
  return out;
}

template <Order order>
void infer_order(InferContext& c) {
  one_dtype(c);
  Shape& in = c.in_shapes[0];
  const Shape& out = c.out_shapes[0];
  if (!in.rank_known() && out.rank_known()) in = Shape::of_rank(out.ndim());
  if (!in.rank_known()) return;
  const std::vector<int> axes = order(c.attrs, in.ndim());
  set_shape(c, 0, permuted(in, axes));
  for (int i = 0; i < in.ndim(); ++i) {
    int64_t& size = in[axes[static_cast<size_t>(i)]];
    if (size < 0) size = c.out_shapes[0][i];
  }
}

template <Order order>
bool view_order(const Attrs& attrs, const TensorView& in, Shape* shape, Shape* strides,
                int64_t* offset) {
  const std::vector<int> axes = order(attrs, in.shape.ndim());
  *shape = permuted(in.shape, axes);
  *strides = permuted(in.strides, axes);
  *offset = 0;
  return true;
}

void grad_transpose(GradBuilder& b) {
  if (!b.wanted(0)) return;
  if (!b.attrs().has("axes") || b.attrs().ints("axes").empty()) {
    b.set(0, b.op("transpose", {b.out_grad()}));
    return;
  }
  const int ndim = static_cast<int>(b.attrs().ints("axes").size());
  const std::vector<int> order = axes_order(b.attrs(), ndim);
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  b.set(0, b.op("transpose", {b.out_grad()}, {{"axes", inverse}}));
}

void grad_swapaxes(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op("swapaxes", {b.out_grad()}, b.attrs()));
}

// --- contiguous, shape_array, size_array --------------------------------------------------------

void run_copy(KernelContext& c) { strided_copy(c.in[0], c.out[0], c.resources); }

void grad_pass(GradBuilder& b) { b.set(0, b.out_grad()); }

void grad_first(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.out_grad());
}

void infer_shape_array(InferContext& c) {
  set_dtype(c, 0, DType::int64);
  if (c.in_shapes[0].rank_known()) set_shape(c, 0, {c.in_shapes[0].ndim()});
}

void run_shape_array(KernelContext& c) {
  std::copy(c.in[0].shape.begin(), c.in[0].shape.end(), c.out[0].as<int64_t>());
}

void infer_size_array(InferContext& c) {
  set_dtype(c, 0, DType::int64);
  set_shape(c, 0, {1});
}

void run_size_array(KernelContext& c) { *c.out[0].as<int64_t>() = c.in[0].shape.size(); }

template <Rule rule>
OpDef renaming(const char* name, const char* doc) {
  OpDef def = view_def(name, doc, view<rule>);
  def.infer = infer<rule>;
  def.gradient = gradient;
  return def;
}

double no_flops(const Attrs&, const std::vector<Shape>&, const std::vector<Shape>&) { return 1; }

}  // namespace

void register_reshape() {
  OpDef reshape =
      renaming<reshaped>("reshape",
                         "data in another shape of as many elements, read row by row. shape holds "
                         "sizes and at most one "
                         "-1. With codes also MXNet's: 0 keeps a dimension, -2 all that remain, -3 "
                         "joins two, -4 splits "
                         "one into the two sizes that follow; reverse reads from the right.");
  reshape.attrs = {{"shape", AttrType::ints, nullptr, "the new shape"},
                   {"codes", AttrType::boolean, "False", "MXNet 1.x codes: 0, -2, -3, -4"},
                   {"reverse", AttrType::boolean, "False", "codes are read from the right"}};
  reshape.infer = infer_reshape;
  add_op(std::move(reshape));

  OpDef like = view_def("reshape_like",
                        "lhs in the shape of rhs, or with some of its axes replaced by some of "
                        "rhs's.",
                        nullptr);
  like.inputs = {{"lhs", "array"}, {"rhs", "array whose shape is taken", false}};
  like.attrs = {{"lhs_begin", AttrType::integer, "None", "first axis that is replaced"},
                {"lhs_end", AttrType::integer, "None", "axis after the last that is replaced"},
                {"rhs_begin", AttrType::integer, "None", "first axis that is taken"},
                {"rhs_end", AttrType::integer, "None", "axis after the last that is taken"}};
  like.infer = infer_reshape_like;
  like.cpu = run_reshape_like;
  like.gradient = gradient;
  like.strided_ok = false;
  add_op(std::move(like));

  OpDef same = view_def("identity_like", "lhs itself; that it has rhs's shape is known.", nullptr);
  same.inputs = {{"lhs", "array"}, {"rhs", "array of its shape", false}};
  same.infer = infer_identity_like;
  same.cpu = run_copy;
  same.gradient = grad_first;
  same.strided_ok = false;
  add_op(std::move(same));

  add_op(renaming<flattened>("flatten", "(n, ...) to (n, k): all axes but the first become one."));

  OpDef expand = renaming<expanded>("expand_dims", "data with a new axis of size 1 before axis.");
  expand.attrs = {
      {"axis", AttrType::integer, nullptr, "place of the new axis, in [-ndim - 1, ndim]"}};
  add_op(std::move(expand));

  OpDef squeeze = renaming<squeezed>("squeeze", "data without axes of size 1.");
  squeeze.attrs = {
      {"axis", AttrType::ints, "None", "axes of size 1; None: all of them"},
      {"at_least_1d", AttrType::boolean, "False", "one axis stays when all would go (MXNet 1.x)"}};
  add_op(std::move(squeeze));

  OpDef transpose =
      view_def("transpose", "data with its axes in another order.", view_order<axes_order>);
  transpose.attrs = {
      {"axes", AttrType::ints, "()", "the old axis at each place; (): reversed", "None"}};
  transpose.infer = infer_order<axes_order>;
  transpose.gradient = grad_transpose;
  add_op(std::move(transpose));

  OpDef swap = view_def("swapaxes", "data with two axes exchanged.", view_order<swapped_order>);
  swap.attrs = {{"dim1", AttrType::integer, "0", "one axis"},
                {"dim2", AttrType::integer, "0", "the other axis"}};
  swap.infer = infer_order<swapped_order>;
  swap.gradient = grad_swapaxes;
  add_op(std::move(swap));

  OpDef contiguous = view_def("contiguous", "A copy of data laid out row by row.", nullptr);
  contiguous.infer = infer_like;
  contiguous.cpu = run_copy;
  contiguous.gradient = grad_pass;
  add_op(std::move(contiguous));

  OpDef shape = view_def("shape_array", "The shape of data, as an int64 array.", nullptr);
  shape.inputs[0].differentiable = false;
  shape.infer = infer_shape_array;
  shape.cpu = run_shape_array;
  shape.on_device = false;
  shape.flops = no_flops;
  add_op(std::move(shape));

  OpDef size = view_def(
      "size_array", "The number of elements of data, as an int64 array of shape (1,).", nullptr);
  size.inputs[0].differentiable = false;
  size.infer = infer_size_array;
  size.cpu = run_size_array;
  size.on_device = false;
  size.flops = no_flops;
  add_op(std::move(size));
}

}  // namespace hybrid
