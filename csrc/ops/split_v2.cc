// split_v2: an array cut along an axis at given indices, or in equal sections.
#include "kernels/kernels.h"
#include "ops/families.h"
#include "ops/grad_builder.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

int count_parts(const Attrs& attrs) {
  const int64_t sections = attrs.integer("sections");
  const int64_t count =
      sections > 0 ? sections : static_cast<int64_t>(attrs.ints("indices").size());
  require(sections >= 0 && count > 0 && count < (1 << 20), "split_v2: given sections ", sections,
          " and indices ", attrs.text("indices"), ", expected at least one part");
  return static_cast<int>(count);
}

// Where each part begins, and the end; empty while the size is not known.
std::vector<int64_t> cuts_of(const Attrs& attrs, int64_t size) {
  const int count = count_parts(attrs);
  const int64_t sections = attrs.integer("sections");
  std::vector<int64_t> cuts = attrs.ints("indices");
  if (size < 0) return {};
  require(sections == 0 || size % sections == 0, "split_v2: given sections ", sections,
          " for an axis of size ", size, ", expected a divisor of it");
  if (sections > 0) {
    cuts.clear();
    for (int i = 0; i < count; ++i) cuts.push_back(size / sections * i);
  }
  cuts.push_back(size);
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    require(cuts[i] >= 0 && cuts[i] <= cuts[i + 1], "split_v2: given indices ",
            attrs.text("indices"), " for an axis of size ", size,
            ", expected them in order, from 0 ", "to the size");
  }
  return cuts;
}

void infer(InferContext& c) {
  one_dtype(c);
  const int count = count_parts(c.attrs);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  const int axis = normalize_axis(c.attrs.integer("axis"), in.ndim(), c.op_name);
  const std::vector<int64_t> cuts = cuts_of(c.attrs, in[axis]);
  const bool squeeze = c.attrs.boolean("squeeze_axis");
  for (int k = 0; k < count; ++k) {
    const auto at = static_cast<size_t>(k);
    const int64_t size = cuts.empty() ? -1 : cuts[at + 1] - cuts[at];
    require(!squeeze || size < 0 || size == 1, c.op_name,
            ": given squeeze_axis and a part of size ", size, ", expected parts of size 1");
    Shape part;
    for (int i = 0; i < in.ndim(); ++i) {
      if (i != axis) {
        part.push_back(in[i]);
      } else if (!squeeze) {
        part.push_back(size);
      }
    }
    set_shape(c, at, part);
  }
}

void run(KernelContext& c) {
  const TensorView& in = c.in[0];
  const int axis = normalize_axis(c.attrs.integer("axis"), in.shape.ndim(), "split_v2");
  const std::vector<int64_t> cuts = cuts_of(c.attrs, in.shape[axis]);
  for (int k = 0; k < c.num_out; ++k) {
    if (c.out[k].size() == 0) continue;
    const auto at = static_cast<size_t>(k);
    TensorView part = in, out = c.out[k];
    part.shape[axis] = cuts[at + 1] - cuts[at];
    part.data =
        in.as<char>() + cuts[at] * in.strides[axis] * static_cast<int64_t>(dtype_size(in.dtype));
    out.shape = part.shape;
    out.strides = contiguous_strides(out.shape);
    strided_copy(part, out, c.resources);
  }
}

void gradient(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const int64_t axis = b.attrs().integer("axis");
  std::vector<Entry> grads;
  for (int i = 0; i < b.num_outputs(); ++i) grads.push_back(b.out_grad(i));
  const bool squeezed = b.attrs().boolean("squeeze_axis");
  b.set(0,
        squeezed ? b.op("stack", grads, {{"axis", axis}}) : b.op("concat", grads, {{"dim", axis}}));
}

}  // namespace

void register_split_v2() {
  OpDef def;
  def.name = "split_v2";
  def.family = Family::shape;
  def.doc =
      "data cut along axis: in that many equal sections, or in parts that begin at the indices, of "
      "which the first is 0.";
  def.inputs = {{"data", "array"}};
  def.attrs = {{"indices", AttrType::ints, "()", "where the parts begin"},
               {"axis", AttrType::integer, "1", "axis to cut"},
               {"squeeze_axis", AttrType::boolean, "False", "drop the axis; parts have size 1"},
               {"sections", AttrType::integer, "0", "number of equal parts; 0: indices"}};
  def.num_outputs_fn = count_parts;
  def.dtypes = kAllComputed;
  def.strided_ok = true;
  def.infer = infer;
  def.cpu = run;
  def.gradient = gradient;
  add_op(std::move(def));
}

}  // namespace hybrid
