// Convolution over one to three axes and its two gradient operators, each the others' gradient.
#include <cstring>

#include "kernels/device_kernels.h"
#include "ops/conv_attrs.h"
#include "ops/epilogue.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

std::vector<AttrDef> conv_attrs() {
  return {{"kernel", AttrType::ints, nullptr,
           "size of the filter: (width), (height, width) or (depth, height, width)"},
          {"stride", AttrType::ints, "()", "steps of the window; (): 1"},
          {"dilate", AttrType::ints, "()", "distance between the filter's taps; (): 1"},
          {"pad", AttrType::ints, "()", "zeros added on both sides of each axis; (): 0"},
          {"num_filter", AttrType::integer, nullptr, "number of output channels"},
          {"num_group", AttrType::integer, "1", "channels are split in this many groups"},
          {"no_bias", AttrType::boolean, "False", "no bias is given"},
          {"layout", AttrType::string, "None",
           "order of data's axes; None: the channels before the others", "None|NCW|NCHW|NCDHW"}};
}

std::vector<AttrDef> conv_grad_attrs() {
  std::vector<AttrDef> attrs = conv_attrs();
  attrs.push_back({"size", AttrType::ints, nullptr, "spatial sizes of the convolution's data"});
  return attrs;
}

// The weight of `channels` input channels (-1: unknown).
Shape weight_shape(const ConvAttrs& a, int64_t channels, const char* op) {
  require(channels < 0 || channels % a.groups == 0, op, ": given ", channels,
          " channels, expected a multiple of num_group ", a.groups);
  return with_kernel(a.window, a.filters, channels < 0 ? -1 : channels / a.groups);
}

Shape output_shape(const ConvAttrs& a, const Shape& data, const char* op) {
  Shape shape{data[0], a.filters};
  for (int i = 0; i < a.window.ndim; ++i) {
    shape.push_back(a.window.out_size(data[2 + i], i, false, op));
  }
  return shape;
}

// --- Convolution --------------------------------------------------------------------------------

void infer_conv(InferContext& c) {
  one_dtype(c);
  const ConvAttrs a(c.attrs);
  expect_image(c, 0, a.window);
  if (c.in_shapes.size() > 2) expect_shape(c, 2, {a.filters});
  if (!c.in_shapes[0].rank_known()) {
    expect_shape(c, 1, weight_shape(a, -1, c.op_name));
    return;
  }
  Shape& data = c.in_shapes[0];
  expect_shape(c, 1, weight_shape(a, data[1], c.op_name));
  set_shape(c, 0, output_shape(a, data, c.op_name));
  const Shape& out = c.out_shapes[0];
  if (data[0] < 0) data[0] = out[0];
  for (int i = 0; i < a.window.ndim; ++i) {  // of longer steps several sizes give one result
    if (data[2 + i] < 0 && out[2 + i] > 0 && a.window.stride[i] == 1) {
      data[2 + i] =
          out[2 + i] - 1 - 2 * a.window.pad[i] + a.window.dilate[i] * (a.window.kernel[i] - 1) + 1;
    }
  }
}

void run_conv(KernelContext& c) { run_convolution(c, nullptr); }

void run_conv_with(KernelContext& c, const Finish* finish) {
  if (c.out[0].size() == 0) return;
  const void* bias = c.num_in > 2 ? c.in[2].data : nullptr;
  conv2d_finished(c.in[0].dtype, conv_params(ConvAttrs(c.attrs), c.in[0].shape, c.out[0].shape),
                  c.in[0].data, c.in[1].data, bias, c.out[0].data, finish, c.resources);
}

// Copies the attributes that operators `from` and `to` share.
Attrs converted(const Attrs& from, const char* to, bool no_bias) {
  Attrs attrs(get_op(to));
  for (const AttrDef& def : from.op()->attrs) {
    if (attrs.op()->attr_index(def.name) >= 0) attrs.set(def.name, from.at(def.name));
  }
  attrs.set("no_bias", no_bias);
  return attrs;
}

Entry grad_data(GradBuilder& b, Entry g, Entry weight, const Shape& data) {
  Attrs attrs = converted(b.attrs(), "conv_grad_data", true);
  attrs.set("size", std::vector<int64_t>(data.begin() + 2, data.end()));
  return b.op("conv_grad_data", {g, weight}, attrs);
}

Entry grad_weight(GradBuilder& b, Entry g, Entry data) {
  return b.op("conv_grad_weight", {g, data}, converted(b.attrs(), "conv_grad_weight", true));
}

Entry forward(GradBuilder& b, Entry data, Entry weight) {
  return b.op("Convolution", {data, weight}, converted(b.attrs(), "Convolution", true));
}

void grad_conv(GradBuilder& b) {
  const Entry g = b.out_grad();
  if (b.wanted(0)) {
    b.set(0, grad_data(b, g, b.input(1), known_shape(b, b.input(0))));
  }
  if (b.wanted(1)) b.set(1, grad_weight(b, g, b.input(0)));
  if (b.num_inputs() > 2 && b.wanted(2)) {
    b.set(2, b.op("sum", {g}, {{"axis", all_but_channels(known_rank(b, g))}}));
  }
}

// --- conv_grad_data(g, weight): the transposed convolution --------------------------------------

void infer_grad_data(InferContext& c) {
  one_dtype(c);
  const ConvAttrs a(c.attrs);
  const auto& size = c.attrs.ints("size");
  require(static_cast<int>(size.size()) == a.window.ndim, c.op_name, ": given size ",
          c.attrs.text("size"), ", expected ", a.window.ndim, " sizes");
  expect_shape(c, 0, any_image(a.window, -1, a.filters));
  expect_shape(c, 1, weight_shape(a, -1, c.op_name));
  const int64_t channels = c.in_shapes[1][1];
  Shape data{c.in_shapes[0][0], channels < 0 ? -1 : channels * a.groups};
  for (const int64_t s : size) data.push_back(s);
  expect_shape(c, 0, output_shape(a, data, c.op_name));
  set_shape(c, 0, data);
}

void run_grad_data(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  conv2d_grad_input(c.in[0].dtype, conv_params(ConvAttrs(c.attrs), c.out[0].shape, c.in[0].shape),
                    c.in[0].data, c.in[1].data, c.out[0].data, c.resources);
}

void grad_grad_data(GradBuilder& b) {
  const Entry h = b.out_grad();
  if (b.wanted(0)) b.set(0, forward(b, h, b.input(1)));
  if (b.wanted(1)) b.set(1, grad_weight(b, b.input(0), h));
}

// --- conv_grad_weight(g, data) ------------------------------------------------------------------

void infer_grad_weight(InferContext& c) {
  one_dtype(c);
  const ConvAttrs a(c.attrs);
  expect_shape(c, 0, any_image(a.window, -1, a.filters));
  expect_image(c, 1, a.window);
  if (!c.in_shapes[1].rank_known()) {
    set_shape(c, 0, weight_shape(a, -1, c.op_name));
    return;
  }
  const Shape& data = c.in_shapes[1];
  expect_shape(c, 0, output_shape(a, data, c.op_name));
  set_shape(c, 0, weight_shape(a, data[1], c.op_name));
}

void run_grad_weight(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  if (c.in[0].size() == 0) {  // an empty batch
    only_on_host(c.resources, "the weights' gradient of no images");
    std::memset(c.out[0].data, 0,
                static_cast<size_t>(c.out[0].size()) * dtype_size(c.out[0].dtype));
    return;
  }
  conv2d_grad_weight(c.in[0].dtype, conv_params(ConvAttrs(c.attrs), c.in[1].shape, c.in[0].shape),
                     c.in[0].data, c.in[1].data, c.out[0].data, c.resources);
}

void grad_grad_weight(GradBuilder& b) {
  const Entry h = b.out_grad();
  if (b.wanted(0)) b.set(0, forward(b, b.input(1), h));
  if (b.wanted(1)) {
    b.set(1, grad_data(b, b.input(0), h, known_shape(b, b.input(1))));
  }
}

}  // namespace

void run_convolution(KernelContext& c, const Finish* finish) { run_conv_with(c, finish); }

void register_conv() {
  OpDef conv;
  conv.name = "Convolution";
  conv.family = Family::conv;
  conv.doc =
      "Convolution (cross-correlation) over one to three axes: data (n, c, w), (n, c, h, w) or (n, "
      "c, d, h, w) with num_filter filters of weight (num_filter, c / num_group, kernel) gives (n, "
      "num_filter, output sizes), where an axis of size h gets floor((h + 2 pad - dilate (kernel - "
      "1) - 1) / stride) + 1. MXNet's Convolution.";
  conv.inputs = {{"data", "(n, c, spatial axes)"},
                 {"weight", "(num_filter, c / num_group, kernel)"},
                 {"bias", "(num_filter,)", true, "no_bias"}};
  conv.attrs = conv_attrs();
  conv.infer = infer_conv;
  conv.cpu = run_conv;
  conv.on_device = true;
  conv.gradient = grad_conv;
  conv.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
    return conv_flops(in[1], out[0].size());
  };
  add_op(std::move(conv));

  OpDef data;
  data.name = "conv_grad_data";
  data.family = Family::conv;
  data.doc =
      "Gradient of Convolution by its data: the transposed convolution of the gradient (n, "
      "num_filter, output sizes) with weight; gives (n, c, size).";
  data.inputs = {{"grad", "gradient of the result, (n, num_filter, output sizes)"},
                 {"weight", "the convolution's weight"}};
  data.attrs = conv_grad_attrs();
  data.infer = infer_grad_data;
  data.cpu = run_grad_data;
  data.on_device = true;
  data.gradient = grad_grad_data;
  data.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
    return conv_flops(in[1], in[0].size());
  };
  add_op(std::move(data));

  OpDef weight;
  weight.name = "conv_grad_weight";
  weight.family = Family::conv;
  weight.doc =
      "Gradient of Convolution by its weight: the sum over the batch of data's windows times the "
      "gradient (n, num_filter, output sizes).";
  weight.inputs = {{"grad", "gradient of the result, (n, num_filter, output sizes)"},
                   {"data", "the convolution's data"}};
  weight.attrs = conv_attrs();
  weight.infer = infer_grad_weight;
  weight.cpu = run_grad_weight;
  weight.on_device = true;
  weight.gradient = grad_grad_weight;
  weight.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
    return conv_flops(out[0], in[0].size());
  };
  add_op(std::move(weight));
}

}  // namespace hybrid
