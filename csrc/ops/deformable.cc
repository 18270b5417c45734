// DeformableConvolution and ModulatedDeformableConvolution: convolutions with moved taps.
#include "kernels/deformable.h"

#include "ops/conv_attrs.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// Inputs come in the order data, offset, mask (of the modulated one), weight, bias.
bool is_modulated(const Attrs& attrs) { return attrs.op()->name[0] == 'M'; }
size_t weight_at(const Attrs& attrs) { return is_modulated(attrs) ? 3 : 2; }

struct DeformableAttrs : ConvAttrs {
  int64_t offset_groups;

  explicit DeformableAttrs(const Attrs& a)
      : ConvAttrs(a), offset_groups(a.integer("num_deformable_group")) {
    const char* op = a.op()->name;
    require(window.ndim == 2, op, ": given kernel ", a.text("kernel"),
            ", expected (height, width)");
    require(offset_groups > 0, op, ": given num_deformable_group ", offset_groups,
            ", expected at least 1");
  }
  int64_t taps() const { return window.kernel[0] * window.kernel[1]; }
  Shape result(const Shape& data, const char* op) const {
    return {data[0], filters, window.out_size(data[2], 0, false, op),
            window.out_size(data[3], 1, false, op)};
  }
};

void infer_deformable(InferContext& c) {
  one_dtype(c);
  const DeformableAttrs a(c.attrs);
  const size_t weight = weight_at(c.attrs);
  expect_image(c, 0, a.window);
  if (c.in_shapes.size() > weight + 1) expect_shape(c, weight + 1, {a.filters});
  const Shape& data = c.in_shapes[0];
  const bool known = data.rank_known();
  const int64_t channels = known ? data[1] : -1;
  require(channels < 0 || (channels % a.groups == 0 && channels % a.offset_groups == 0), c.op_name,
          ": given ", channels, " channels, expected a multiple of num_group ", a.groups,
          " and of num_deformable_group ", a.offset_groups);
  expect_shape(c, weight,
               with_kernel(a.window, a.filters, channels < 0 ? -1 : channels / a.groups));
  if (!known) return;
  const Shape out = a.result(data, c.op_name);
  const int64_t rows = checked_shape({a.offset_groups, a.taps(), 2}, c.op_name).size();
  expect_shape(c, 1, {data[0], rows, out[2], out[3]});
  if (is_modulated(c.attrs)) expect_shape(c, 2, {data[0], rows / 2, out[2], out[3]});
  set_shape(c, 0, out);
}

DeformableParams params_of(const DeformableAttrs& a, const Shape& data, const Shape& out) {
  return {conv_params(a, data, out), a.offset_groups};
}

void run_deformable(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const int weight = static_cast<int>(weight_at(c.attrs));
  deformable_convolution(
      c.in[0].dtype, params_of(DeformableAttrs(c.attrs), c.in[0].shape, c.out[0].shape),
      c.in[0].data, c.in[1].data, weight == 3 ? c.in[2].data : nullptr, c.in[weight].data,
      c.num_in > weight + 1 ? c.in[weight + 1].data : nullptr, c.out[0].data, c.resources);
}

// Copies the attributes that both operators have.
Attrs shared(const Attrs& from, const char* to) {
  Attrs attrs(get_op(to));
  for (const AttrDef& def : from.op()->attrs) {
    if (attrs.op()->attr_index(def.name) >= 0) attrs.set(def.name, from.at(def.name));
  }
  return attrs;
}

void grad_deformable(GradBuilder& b) {
  const int weight = static_cast<int>(weight_at(b.attrs()));
  const Entry g = b.out_grad();
  if (b.num_inputs() > weight + 1 && b.wanted(weight + 1)) {
    b.set(weight + 1, b.op("sum", {g}, {{"axis", all_but_channels(4)}}));
  }
  std::vector<Entry> inputs{g};
  bool any = false;
  for (int i = 0; i <= weight; ++i) {
    inputs.push_back(b.input(i));
    any = any || b.wanted(i);
  }
  if (!any) return;
  const char* op = weight == 3 ? "modulated_deformable_grad" : "deformable_grad";
  const Entry first = b.op(op, inputs, shared(b.attrs(), op));
  for (int i = 0; i <= weight; ++i) {
    if (b.wanted(i)) b.set(i, {first.node, i});
  }
}

// --- the gradients: (g, inputs) to one result for each input but the bias -----------------------

void infer_grad(InferContext& c) {
  one_dtype(c);
  const DeformableAttrs a(c.attrs);
  expect_image(c, 1, a.window);
  for (size_t i = 0; i < c.out_shapes.size(); ++i) {
    require(!c.in_shapes[i + 1].rank_known() || c.in_shapes[i + 1].ndim() == 4, c.op_name,
            ": given input ", i + 1, " of shape ", c.in_shapes[i + 1], ", expected 4 dimensions");
    set_shape(c, i, c.in_shapes[i + 1]);
  }
  if (c.in_shapes[1].rank_known()) expect_shape(c, 0, a.result(c.in_shapes[1], c.op_name));
}

void run_grad(KernelContext& c) {
  const bool masked = c.num_in == 5;
  const int last = masked ? 3 : 2;
  const DeformableParams p = params_of(DeformableAttrs(c.attrs), c.in[1].shape, c.in[0].shape);
  deformable_gradient(c.in[0].dtype, p, c.in[0].data, c.in[1].data, c.in[2].data,
                      masked ? c.in[3].data : nullptr, c.in[last + 1].data, c.out[0].data,
                      c.out[1].data, masked ? c.out[2].data : nullptr, c.out[last].data,
                      c.resources);
}

std::vector<AttrDef> deformable_attrs() {
  return {{"kernel", AttrType::ints, nullptr, "(height, width) of the filter"},
          {"stride", AttrType::ints, "()", "steps of the window; (): 1"},
          {"dilate", AttrType::ints, "()", "distance between the filter's taps; (): 1"},
          {"pad", AttrType::ints, "()", "zeros added on both sides of each axis; (): 0"},
          {"num_filter", AttrType::integer, nullptr, "number of output channels"},
          {"num_group", AttrType::integer, "1", "channels are split in this many groups"},
          {"num_deformable_group", AttrType::integer, "1",
           "channels are split in this many groups that have offsets of their own"},
          {"no_bias", AttrType::boolean, "False", "no bias is given"},
          {"layout", AttrType::string, "None", "order of data's axes", "None|NCW|NCHW|NCDHW"}};
}

double deformable_flops(const Attrs& a, const std::vector<Shape>&, const std::vector<Shape>& out) {
  const auto& kernel = a.ints("kernel");
  const double taps = kernel.size() == 2 ? static_cast<double>(kernel[0] * kernel[1]) : 1;
  return 20 * taps * static_cast<double>(out[0].size());
}

void add_pair(bool modulated, const char* name, const char* grad_name, const char* doc) {
  OpDef conv;
  conv.name = name;
  conv.family = Family::conv;
  conv.doc = doc;
  conv.inputs = {{"data", "(n, c, h, w)"},
                 {"offset", "(n, 2 * num_deformable_group * kernel, oh, ow): (y, x) for each tap"}};
  if (modulated) conv.inputs.push_back({"mask", "(n, num_deformable_group * kernel, oh, ow)"});
  conv.inputs.push_back({"weight", "(num_filter, c / num_group, kernel)"});
  conv.inputs.push_back({"bias", "(num_filter,)", true, "no_bias"});
  conv.attrs = deformable_attrs();
  conv.infer = infer_deformable;
  conv.cpu = run_deformable;
  conv.gradient = grad_deformable;
  conv.flops = deformable_flops;

  OpDef grad;
  grad.name = grad_name;
  grad.family = Family::conv;
  grad.doc = "Gradients of a deformable convolution by all its inputs but the bias.";
  grad.inputs = {{"grad", "gradient of the result, (n, num_filter, oh, ow)"}};
  for (size_t i = 0; i + 1 < conv.inputs.size(); ++i) grad.inputs.push_back(conv.inputs[i]);
  for (InputDef& input : grad.inputs) input.differentiable = false;
  grad.attrs = deformable_attrs();
  grad.num_outputs = modulated ? 4 : 3;
  grad.infer = infer_grad;
  grad.cpu = run_grad;
  grad.flops = deformable_flops;
  add_op(std::move(conv));
  add_op(std::move(grad));
}

}  // namespace

void register_deformable() {
  add_pair(
      false, "DeformableConvolution", "deformable_grad",
      "Convolution of images (n, c, h, w) whose filters' taps are moved by offset, with linear "
      "interpolation between pixels (Dai et al. 2017). MXNet's contrib.DeformableConvolution. "
      "Differentiable once.");
  add_pair(
      true, "ModulatedDeformableConvolution", "modulated_deformable_grad",
      "DeformableConvolution whose taps are weighted by mask as well (Zhu et al. 2018). MXNet's "
      "contrib.ModulatedDeformableConvolution. Differentiable once.");
}

}  // namespace hybrid
