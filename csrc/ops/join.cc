// Putting arrays together and taking them apart: concat, stack, split.
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/view.h"

namespace hybrid {

namespace {

// The part of `whole` that begins at `start` on `axis` and has the shape of `part`.
TensorView part_of(const TensorView& whole, const Shape& part, int axis, int64_t start) {
  TensorView view = whole;
  view.shape = part;
  view.data = whole.as<char>() +
              start * whole.strides[axis] * static_cast<int64_t>(dtype_size(whole.dtype));
  return view;
}

OpDef join_def(const char* name, const char* doc, const char* axis, const char* default_axis) {
  OpDef def;
  def.name = name;
  def.family = Family::shape;
  def.doc = doc;
  def.inputs = {{"data", "arrays of one dtype"}};
  def.variadic = true;
  def.attrs = {{axis, AttrType::integer, default_axis, "axis to join along"}};
  def.dtypes = kAllComputed;
  def.strided_ok = true;
  def.on_device = true;
  return def;
}

// --- concat -------------------------------------------------------------------------------------

void infer_concat(InferContext& c) {
  one_dtype(c);
  int ndim = -1;
  for (const Shape& s : c.in_shapes) {
    if (s.rank_known()) ndim = s.ndim();
  }
  const Shape whole = c.out_shapes[0];  // what reads it may know sizes
  if (ndim < 0) return;
  const int dim = normalize_axis(c.attrs.integer("dim"), ndim, c.op_name);
  Shape common = Shape::of_rank(ndim);
  for (size_t i = 0; i < c.in_shapes.size(); ++i) {
    Shape other = c.in_shapes[i];
    if (other.rank_known() && other.ndim() == ndim) other[dim] = -1;
    require(merge_shape(&common, other), c.op_name, ": given data", i, " of shape ", c.in_shapes[i],
            ", expected ", common, " but for axis ", dim);
  }
  if (whole.rank_known() && whole.ndim() == ndim) {
    Shape other = whole;
    other[dim] = -1;
    require(merge_shape(&common, other), c.op_name, ": gives shape ", common, " but for axis ", dim,
            ", but shape ", whole, " is expected of its output");
  }
  int64_t total = 0;
  for (Shape& s : c.in_shapes) {
    merge_shape(&s, common);
    total = s[dim] < 0 || total < 0 ? -1 : total + s[dim];
  }
  common[dim] = total;
  set_shape(c, 0, common);
}

void run_concat(KernelContext& c) {
  const int dim = normalize_axis(c.attrs.integer("dim"), c.out[0].shape.ndim(), "concat");
  int64_t start = 0;
  for (int i = 0; i < c.num_in; ++i) {
    if (c.in[i].size() > 0) {
      strided_copy(c.in[i], part_of(c.out[0], c.in[i].shape, dim, start), c.resources);
    }
    start += c.in[i].shape[dim];
  }
}

void grad_concat(GradBuilder& b) {
  const int dim = normalize_axis(b.attrs().integer("dim"), known_rank(b, b.output()), "concat");
  int64_t start = 0;
  for (int i = 0; i < b.num_inputs(); ++i) {
    const int64_t size = b.shape(b.input(i))[dim];
    require(size >= 0, "concat: its gradient needs the sizes along axis ", dim,
            ": give the shapes of the inputs");
    if (b.wanted(i)) {
      b.set(i, b.op("slice_axis", {b.out_grad()},
                    {{"axis", dim}, {"begin", start}, {"end", start + size}}));
    }
    start += size;
  }
}

// --- stack --------------------------------------------------------------------------------------

void infer_stack(InferContext& c) {
  one_dtype(c);
  Shape common = Shape::unknown();
  for (size_t i = 0; i < c.in_shapes.size(); ++i) {
    require(merge_shape(&common, c.in_shapes[i]), c.op_name, ": given data", i, " of shape ",
            c.in_shapes[i], ", expected ", common);
  }
  if (!common.rank_known()) return;
  for (Shape& s : c.in_shapes) s = common;
  require(common.ndim() < kMaxDims, c.op_name, ": given data of ", common.ndim(),
          " dimensions, expected fewer than ", kMaxDims);
  const int axis = normalize_axis(c.attrs.integer("axis"), common.ndim() + 1, c.op_name);
  Shape out;
  for (int i = 0; i <= common.ndim(); ++i) {
    if (i == axis) out.push_back(static_cast<int64_t>(c.in_shapes.size()));
    if (i < common.ndim()) out.push_back(common[i]);
  }
  set_shape(c, 0, out);
}

void run_stack(KernelContext& c) {
  const Shape& out = c.out[0].shape;
  const int axis = normalize_axis(c.attrs.integer("axis"), out.ndim(), "stack");
  Shape part = out;
  part[axis] = 1;
  if (part.size() == 0) return;
  for (int i = 0; i < c.num_in; ++i) {
    TensorView in = c.in[i];  // with the new axis
    in.strides = Shape::of_rank(out.ndim(), 0);
    for (int d = 0; d < c.in[i].shape.ndim(); ++d) {
      in.strides[d < axis ? d : d + 1] = c.in[i].strides[d];
    }
    in.shape = part;
    strided_copy(in, part_of(c.out[0], part, axis, i), c.resources);
  }
}

void grad_stack(GradBuilder& b) {
  const int64_t axis = b.attrs().integer("axis");
  const Attrs attrs = [&] {
    Attrs a(get_op("split"));
    a.set("num_outputs", static_cast<int64_t>(b.num_inputs()));
    a.set("axis", axis);
    a.set("squeeze_axis", true);
    return a;
  }();
  const Entry parts = b.op("split", {b.out_grad()}, attrs);
  for (int i = 0; i < b.num_inputs(); ++i) b.set(i, {parts.node, i});
}

// --- split --------------------------------------------------------------------------------------

int count_parts(const Attrs& attrs) {
  const int64_t count = attrs.integer("num_outputs");
  require(count > 0 && count <= 65536, "split: given num_outputs ", count, ", expected 1 to 65536");
  return static_cast<int>(count);
}

void infer_split(InferContext& c) {
  one_dtype(c);
  const int64_t count = count_parts(c.attrs);
  Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  const int axis = normalize_axis(c.attrs.integer("axis"), in.ndim(), c.op_name);
  const bool squeeze = c.attrs.boolean("squeeze_axis");
  for (const Shape& out : c.out_shapes) {  // what reads a part may know sizes
    if (!out.rank_known() || out.ndim() != in.ndim() - squeeze) continue;
    for (int i = 0, k = 0; i < in.ndim(); ++i) {
      if (i == axis && squeeze) continue;
      const int64_t size = out[k++];
      if (in[i] < 0 && size >= 0) in[i] = i == axis ? size * count : size;
    }
  }
  require(in[axis] < 0 || in[axis] % count == 0, c.op_name, ": given data of shape ", in,
          ", expected a size on axis ", axis, " that num_outputs ", count, " divides");
  require(!squeeze || in[axis] < 0 || in[axis] == count, c.op_name, ": given data of shape ", in,
          " and squeeze_axis, expected size ", count, " on axis ", axis);
  Shape part;
  for (int i = 0; i < in.ndim(); ++i) {
    if (i != axis) {
      part.push_back(in[i]);
    } else if (!squeeze) {
      part.push_back(in[i] < 0 ? -1 : in[i] / count);
    }
  }
  for (size_t i = 0; i < c.out_shapes.size(); ++i) set_shape(c, i, part);
}

void run_split(KernelContext& c) {
  const Shape& in = c.in[0].shape;
  const int axis = normalize_axis(c.attrs.integer("axis"), in.ndim(), "split");
  Shape part = in;
  part[axis] = in[axis] / c.num_out;
  if (part.size() == 0) return;
  for (int i = 0; i < c.num_out; ++i) {
    TensorView out = c.out[i];
    out.shape = part;
    out.strides = contiguous_strides(part);
    strided_copy(part_of(c.in[0], part, axis, i * part[axis]), out, c.resources);
  }
}

void grad_split(GradBuilder& b) {
  std::vector<Entry> grads;
  const int count = count_parts(b.attrs());
  for (int i = 0; i < count; ++i) grads.push_back(b.out_grad(i));
  const int64_t axis = b.attrs().integer("axis");
  const bool squeezed = b.attrs().boolean("squeeze_axis");
  b.set(0,
        squeezed ? b.op("stack", grads, {{"axis", axis}}) : b.op("concat", grads, {{"dim", axis}}));
}

}  // namespace

void register_join() {
  OpDef concat = join_def("concat", "Arrays one after the other along dim; other sizes are equal.",
                          "dim", "1");
  concat.infer = infer_concat;
  concat.cpu = run_concat;
  concat.gradient = grad_concat;
  add_op(std::move(concat));

  OpDef stack = join_def("stack", "Arrays of one shape along a new axis.", "axis", "0");
  stack.infer = infer_stack;
  stack.cpu = run_stack;
  stack.gradient = grad_stack;
  add_op(std::move(stack));

  OpDef split;
  split.name = "split";
  split.family = Family::shape;
  split.doc = "data cut in num_outputs equal parts along axis. MXNet's SliceChannel.";
  split.inputs = {{"data", "array"}};
  split.attrs = {
      {"num_outputs", AttrType::integer, nullptr, "number of parts"},
      {"axis", AttrType::integer, "1", "axis to cut"},
      {"squeeze_axis", AttrType::boolean, "False", "drop the axis, which has size 1 then"}};
  split.num_outputs_fn = count_parts;
  split.dtypes = kAllComputed;
  split.strided_ok = true;
  split.infer = infer_split;
  split.cpu = run_split;
  split.on_device = true;
  split.gradient = grad_split;
  add_op(std::move(split));
}

}  // namespace hybrid
