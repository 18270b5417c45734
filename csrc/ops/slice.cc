// Windows on an array: slice, slice_axis, slice_like, reverse; and writing through one.
#include <algorithm>

#include "ops/emit.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/run_elem.h"
#include "ops/view.h"

namespace hybrid {

namespace {

// Start and step per axis of the input, and the size that results (-1: unknown).
struct Range {
  int64_t start = 0, step = 1, size = -1;
};

// Python's rule: negative bounds count from the end, bounds outside are cut; kNoneInt: no bound.
Range resolve(int64_t begin, int64_t end, int64_t step, int64_t size, const char* op) {
  require(step != 0, op, ": given step 0, expected any other step");
  if (step == kNoneInt) step = 1;
  Range r;
  r.step = step;
  if (begin == kNoneInt && end == kNoneInt && step == 1) {
    r.size = size;
    return r;
  }
  if (size < 0) return r;
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto bound = [&](int64_t at, int64_t none) {
    if (at == kNoneInt) return none;
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  r.start = bound(begin, step > 0 ? low : high);
  const int64_t stop = bound(end, step > 0 ? high : low);
  const int64_t span = step > 0 ? stop - r.start : r.start - stop;
  const int64_t stride = step > 0 ? step : -step;
  r.size = span <= 0 ? 0 : (span - 1) / stride + 1;
  if (r.size == 0) r.start = 0;
  if (r.size <= 1) r.step = 1;  // nowhere to step to: keeps strides small
  return r;
}

using Ranges = std::vector<Range>;
using Rule = Ranges (*)(const Attrs& attrs, const Shape& in);

Ranges whole(const Shape& in) {
  Ranges ranges(static_cast<size_t>(in.ndim()));
  for (int i = 0; i < in.ndim(); ++i) ranges[static_cast<size_t>(i)].size = in[i];
  return ranges;
}

Ranges slice_ranges(const Attrs& a, const Shape& in) {
  const char* op = a.op()->name;
  const auto &begin = a.ints("begin"), &end = a.ints("end");
  const std::vector<int64_t> step = a.has("step") ? a.ints("step") : std::vector<int64_t>();
  require(begin.size() == end.size() && begin.size() <= static_cast<size_t>(in.ndim()) &&
              (step.empty() || step.size() == begin.size()),
          op, ": given data of shape ", in, ", begin ", a.text("begin"), ", end ", a.text("end"),
          ", step ", a.text("step"), ", expected as many of each, at most ", in.ndim());
  Ranges ranges = whole(in);
  for (size_t i = 0; i < begin.size(); ++i) {
    ranges[i] = resolve(begin[i], end[i], step.empty() ? 1 : step[i], in[static_cast<int>(i)], op);
  }
  return ranges;
}

Ranges axis_ranges(const Attrs& a, const Shape& in) {
  const char* op = a.op()->name;
  Ranges ranges = whole(in);
  const int axis = normalize_axis(a.integer("axis"), in.ndim(), op);
  const int64_t end = a.has("end") ? a.integer("end") : kNoneInt;
  ranges[static_cast<size_t>(axis)] = resolve(a.integer("begin"), end, 1, in[axis], op);
  return ranges;
}

Ranges reverse_ranges(const Attrs& a, const Shape& in) {
  Ranges ranges = whole(in);
  for (int64_t axis : a.ints("axis")) {
    Range& r = ranges[static_cast<size_t>(normalize_axis(axis, in.ndim(), a.op()->name))];
    r.step = -1;
    r.start = std::max<int64_t>(r.size - 1, 0);
  }
  return ranges;
}

Shape sizes(const Ranges& ranges) {
  Shape shape;
  for (const Range& r : ranges) shape.push_back(r.size);
  return shape;
}

void window(const Ranges& ranges, const TensorView& in, Shape* shape, Shape* strides,
            int64_t* offset) {
  *shape = sizes(ranges);
  *strides = in.strides;
  *offset = 0;
  for (int i = 0; i < in.shape.ndim(); ++i) {
    const Range& r = ranges[static_cast<size_t>(i)];
    *offset += r.start * in.strides[i];
    (*strides)[i] = r.step * in.strides[i];
  }
}

template <Rule rule>
void infer_window(InferContext& c) {
  one_dtype(c);
  if (c.in_shapes[0].rank_known()) set_shape(c, 0, sizes(rule(c.attrs, c.in_shapes[0])));
}

template <Rule rule>
bool view_window(const Attrs& attrs, const TensorView& in, Shape* shape, Shape* strides,
                 int64_t* offset) {
  window(rule(attrs, in.shape), in, shape, strides, offset);
  return true;
}

using Ints = std::vector<int64_t>;

// The gradient of a window: zeros with g written through it.
Entry written(GradBuilder& b, Entry base, Entry g, Ints begin, Ints end, Ints step) {
  return b.op("slice_assign", {base, g},
              {{"begin", std::move(begin)}, {"end", std::move(end)}, {"step", std::move(step)}});
}

Ints steps_of(const Attrs& a) { return a.has("step") ? a.ints("step") : Ints(); }

void grad_slice(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Attrs& a = b.attrs();
  b.set(0, written(b, b.zeros_as(b.input(0)), b.out_grad(), a.ints("begin"), a.ints("end"),
                   steps_of(a)));
}

void grad_slice_axis(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Attrs& a = b.attrs();
  const int ndim = known_rank(b, b.input(0));
  const size_t axis = static_cast<size_t>(normalize_axis(a.integer("axis"), ndim, "slice_axis"));
  Ints begin(axis + 1, kNoneInt), end(axis + 1, kNoneInt);
  begin[axis] = a.integer("begin");
  if (a.has("end")) end[axis] = a.integer("end");
  b.set(0, written(b, b.zeros_as(b.input(0)), b.out_grad(), begin, end, {}));
}

void grad_reverse(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op("reverse", {b.out_grad()}, b.attrs()));
}

// --- slice_like ---------------------------------------------------------------------------------

void infer_slice_like(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  const Shape &in = c.in_shapes[0], &like = c.in_shapes[1];
  if (!in.rank_known() || !like.rank_known()) return;
  Shape out = in;
  Ints axes = c.attrs.ints("axes");
  if (axes.empty()) {
    require(in.ndim() == like.ndim(), c.op_name, ": given data of shape ", in, " and shape_like ",
            like, ", expected as many dimensions (or axes)");
    for (int i = 0; i < in.ndim(); ++i) axes.push_back(i);
  }
  for (int64_t given : axes) {
    const int to = normalize_axis(given, in.ndim(), c.op_name);
    const int from = normalize_axis(given, like.ndim(), c.op_name);
    require(in[to] < 0 || like[from] < 0 || like[from] <= in[to], c.op_name,
            ": given data of shape ", in, " and shape_like ", like,
            ", expected no larger size on axis ", given);
    out[to] = like[from];
  }
  set_shape(c, 0, out);
}

void run_slice_like(KernelContext& c) {
  TensorView part = c.in[0];
  part.shape = c.out[0].shape;
  strided_copy(part, c.out[0], c.resources);
}

void grad_slice_like(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape part = known_shape(b, b.output());
  b.set(0, written(b, b.zeros_as(b.input(0)), b.out_grad(), Ints(part.to_vector().size(), 0),
                   part.to_vector(), {}));
}

// --- slice_assign, slice_assign_scalar: writing as a function
// -------------------------------------

void infer_assign(InferContext& c) {
  one_dtype(c);
  Shape whole = c.in_shapes[0];
  merge_shape(&whole, c.out_shapes[0]);
  if (whole.rank_known() && c.in_shapes.size() > 1 && c.in_shapes[1].rank_known()) {
    const Shape part = sizes(slice_ranges(c.attrs, whole));
    const Shape& rhs = c.in_shapes[1];
    bool fits = rhs.ndim() <= part.ndim();
    for (int i = 1; fits && i <= rhs.ndim(); ++i) {
      const int64_t r = rhs[rhs.ndim() - i], p = part[part.ndim() - i];
      fits = r == 1 || r == p || r < 0 || p < 0;
    }
    require(fits, c.op_name, ": given rhs of shape ", rhs, ", expected one that broadcasts to the ",
            "window ", part);
  } else if (whole.rank_known()) {
    slice_ranges(c.attrs, whole);
  }
  expect_shape(c, 0, whole);
  set_shape(c, 0, whole);
}

TensorView target_window(KernelContext& c) {
  if (c.out[0].data != c.in[0].data) strided_copy(c.in[0], c.out[0], c.resources);
  TensorView part = c.out[0];
  int64_t offset = 0;
  window(slice_ranges(c.attrs, c.out[0].shape), c.out[0], &part.shape, &part.strides, &offset);
  part.data = part.as<char>() + offset * static_cast<int64_t>(dtype_size(part.dtype));
  return part;
}

void run_assign(KernelContext& c) {
  const TensorView part = target_window(c);
  if (part.size() == 0) return;
  TensorView rhs = c.in[1];
  const int extra = part.shape.ndim() - rhs.shape.ndim();
  Shape strides = Shape::of_rank(part.shape.ndim(), 0);
  for (int i = 0; i < rhs.shape.ndim(); ++i) {
    if (rhs.shape[i] != 1) strides[i + extra] = rhs.strides[i];
  }
  rhs.shape = part.shape;
  rhs.strides = strides;
  strided_copy(rhs, part, c.resources);
}

void run_assign_scalar(KernelContext& c) {
  const TensorView part = target_window(c);
  if (part.size() == 0) return;
  ElemProgram program;
  Emitter(&program.instrs).fill(part.dtype, Emitter::number(c.attrs.at("scalar")));
  program.outputs = {0};
  run_elementwise(program, nullptr, &part, c.resources);
}

void grad_assign(GradBuilder& b) {
  const Attrs& a = b.attrs();
  const Entry g = b.out_grad();
  if (b.wanted(0)) {
    b.set(0, b.op("slice_assign_scalar", {g},
                  {{"begin", a.ints("begin")},
                   {"end", a.ints("end")},
                   {"step", steps_of(a)},
                   {"scalar", 0}}));
  }
  if (b.num_inputs() > 1 && b.wanted(1)) {
    const Entry part = b.op(
        "slice", {g}, {{"begin", a.ints("begin")}, {"end", a.ints("end")}, {"step", steps_of(a)}});
    b.set(1, b.sum_like(part, b.input(1)));
  }
}

std::vector<AttrDef> slice_attrs() {
  return {{"begin", AttrType::ints, nullptr, "first index per axis; None: from the start"},
          {"end", AttrType::ints, nullptr, "index after the last, per axis; None: to the end"},
          {"step", AttrType::ints, "()", "step per axis, may be negative; (): 1", "None"}};
}

}  // namespace

void register_slice() {
  OpDef slice =
      view_def("slice",
               "The window begin:end:step of the first axes, whole on the others; Python's "
               "rule for negative and missing bounds.",
               view_window<slice_ranges>);
  slice.attrs = slice_attrs();
  slice.infer = infer_window<slice_ranges>;
  slice.gradient = grad_slice;
  add_op(std::move(slice));

  OpDef axis =
      view_def("slice_axis", "The window begin:end of one axis.", view_window<axis_ranges>);
  axis.attrs = {{"axis", AttrType::integer, nullptr, "axis to cut"},
                {"begin", AttrType::integer, nullptr, "first index, may be negative"},
                {"end", AttrType::integer, "None", "index after the last; None: to the end"}};
  axis.infer = infer_window<axis_ranges>;
  axis.gradient = grad_slice_axis;
  add_op(std::move(axis));

  OpDef like =
      view_def("slice_like", "The leading part of data in the size of shape_like.", nullptr);
  like.inputs = {{"data", "array"}, {"shape_like", "array whose sizes are taken", false}};
  like.attrs = {{"axes", AttrType::ints, "()", "axes to cut; (): all"}};
  like.infer = infer_slice_like;
  like.cpu = run_slice_like;
  like.gradient = grad_slice_like;
  add_op(std::move(like));

  OpDef reverse =
      view_def("reverse", "data in the opposite order along axes.", view_window<reverse_ranges>);
  reverse.attrs = {{"axis", AttrType::ints, nullptr, "axes to reverse"}};
  reverse.infer = infer_window<reverse_ranges>;
  reverse.gradient = grad_reverse;
  add_op(std::move(reverse));

  OpDef assign =
      view_def("slice_assign",
               "lhs with rhs, which may broadcast, written in the window begin:end:step: "
               "the functional form of lhs[...] = rhs.",
               nullptr);
  assign.inputs = {{"lhs", "array"}, {"rhs", "what is written, of lhs's dtype"}};
  assign.attrs = slice_attrs();
  assign.infer = infer_assign;
  assign.cpu = run_assign;
  assign.gradient = grad_assign;
  assign.in_place = {{0, 0}};
  add_op(std::move(assign));

  OpDef scalar = view_def("slice_assign_scalar",
                          "data with one number written in the window begin:end:step.", nullptr);
  scalar.attrs = slice_attrs();
  scalar.attrs.push_back({"scalar", AttrType::scalar, "0", "the number"});
  scalar.infer = infer_assign;
  scalar.cpu = run_assign_scalar;
  scalar.gradient = grad_assign;
  scalar.in_place = {{0, 0}};
  add_op(std::move(scalar));
}

}  // namespace hybrid
