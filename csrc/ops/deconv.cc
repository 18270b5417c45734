// Deconvolution: the transposed convolution.
#include "ops/conv_attrs.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// It is the gradient by its data of a convolution with the same weight, whose filters are the
// channels here.

struct DeconvAttrs : ConvAttrs {
  int64_t adj[2] = {0, 0};

  explicit DeconvAttrs(const Attrs& a) : ConvAttrs(a) {
    const char* op = a.op()->name;
    const auto& more = a.ints("adj");
    require(more.empty() || more.size() == 2, op, ": given adj ", a.text("adj"),
            ", expected (height, width)");
    for (size_t i = 0; i < more.size(); ++i) {
      require(more[i] >= 0 && more[i] < window.stride[i], op, ": given adj ", a.text("adj"),
              ", expected 0 or more and less than the stride ", a.text("stride"));
      adj[i] = more[i];
    }
  }

  int64_t out_size(int64_t in, int i, const char* op) const {
    if (in < 0) return -1;
    require(in > 0, op, ": given an image of size ", in, ", expected at least 1");
    require(in < (int64_t{1} << 40) / window.stride[i], op, ": given an image of size ", in,
            " and stride ", window.stride[i], ", expected less");
    const int64_t reach = (window.kernel[i] - 1) * window.dilate[i] + 1;
    const int64_t out = (in - 1) * window.stride[i] + reach - 2 * window.pad[i] + adj[i];
    require(out > 0, op, ": the result would have size ", out, " for data of size ", in,
            ", kernel ", window.kernel[i], ", pad ", window.pad[i]);
    return out;
  }
};

void infer_deconv(InferContext& c) {
  one_dtype(c);
  const DeconvAttrs a(c.attrs);
  expect_rank(c, 0, 4, "NCHW");
  if (c.in_shapes.size() > 2) expect_shape(c, 2, {a.filters});
  const bool known = c.in_shapes[0].rank_known();
  const int64_t channels = known ? c.in_shapes[0][1] : -1;
  require(channels < 0 || channels % a.groups == 0, c.op_name, ": given ", channels,
          " channels, expected a multiple of num_group ", a.groups);
  expect_shape(c, 1, {channels, a.filters / a.groups, a.window.kernel[0], a.window.kernel[1]});
  if (!known) return;
  Shape& data = c.in_shapes[0];
  data[1] = c.in_shapes[1][0];
  set_shape(
      c, 0,
      {data[0], a.filters, a.out_size(data[2], 0, c.op_name), a.out_size(data[3], 1, c.op_name)});
}

void run_deconv(KernelContext& c) {
  const Shape &in = c.in[0].shape, &out = c.out[0].shape;
  if (c.out[0].size() == 0) return;
  const DeconvAttrs a(c.attrs);
  conv2d_grad_input(c.in[0].dtype, conv_params(a, out, in), c.in[0].data, c.in[1].data,
                    c.out[0].data, c.resources);
  if (c.num_in < 3) return;
  dispatch(c.out[0].dtype, "Deconvolution", [&](auto zero) {
    using T = decltype(zero);
    const T* bias = c.in[2].as<T>();
    T* y = c.out[0].as<T>();
    const int64_t image = out[2] * out[3];
    for (int64_t i = 0; i < out[0] * out[1]; ++i) {
      const T term = bias[i % out[1]];
      for (int64_t k = 0; k < image; ++k)
        y[i * image + k] = static_cast<T>(y[i * image + k] + term);
    }
  });
}

// Attributes of the convolution that leads back.
Attrs convolution(const GradBuilder& b, const char* op, int64_t channels) {
  Attrs attrs(get_op(op));
  for (const char* name : {"kernel", "stride", "dilate", "pad", "num_group"}) {
    attrs.set(name, b.attrs().at(name));
  }
  attrs.set("num_filter", channels);
  attrs.set("no_bias", true);
  return attrs;
}

void grad_deconv(GradBuilder& b) {
  const Entry g = b.out_grad();
  const int64_t channels = known_shape(b, b.input(1))[0];
  if (b.wanted(0)) {
    b.set(0, b.op("Convolution", {g, b.input(1)}, convolution(b, "Convolution", channels)));
  }
  if (b.wanted(1)) {
    b.set(1,
          b.op("conv_grad_weight", {b.input(0), g}, convolution(b, "conv_grad_weight", channels)));
  }
  if (b.num_inputs() > 2 && b.wanted(2)) {
    b.set(2, b.op("sum", {g}, {{"axis", std::vector<int64_t>{0, 2, 3}}}));
  }
}

}  // namespace

void register_deconv() {
  OpDef deconv;
  deconv.name = "Deconvolution";
  deconv.family = Family::conv;
  deconv.doc =
      "Transposed convolution in two dimensions: data (n, c, h, w) gives (n, num_filter, oh, ow), "
      "where oh = stride (h - 1) + dilate (kernel - 1) + 1 - 2 pad + adj. It is the gradient of a "
      "convolution with the same weight by its data. MXNet's Deconvolution, layout NCHW.";
  deconv.inputs = {{"data", "(n, c, h, w)"},
                   {"weight", "(c, num_filter / num_group, kernel height, kernel width)"},
                   {"bias", "(num_filter,)", true, "no_bias"}};
  deconv.attrs = {{"kernel", AttrType::ints, nullptr, "(height, width) of the filter"},
                  {"stride", AttrType::ints, "(1, 1)", "distance of neighbours in the result"},
                  {"dilate", AttrType::ints, "(1, 1)", "distance between the filter's taps"},
                  {"pad", AttrType::ints, "(0, 0)", "cut off on both sides of each axis"},
                  {"adj", AttrType::ints, "(0, 0)", "added behind each axis, below the stride"},
                  {"num_filter", AttrType::integer, nullptr, "number of output channels"},
                  {"num_group", AttrType::integer, "1", "channels are split in this many groups"},
                  {"no_bias", AttrType::boolean, "True", "no bias is given"},
                  {"layout", AttrType::string, "NCHW", "order of data's axes", "NCHW|None"}};
  deconv.infer = infer_deconv;
  deconv.cpu = run_deconv;
  deconv.gradient = grad_deconv;
  deconv.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
    return 2.0 * static_cast<double>(in[1][1] * in[1][2] * in[1][3]) *
           static_cast<double>(in[0].size());
  };
  add_op(std::move(deconv));
}

}  // namespace hybrid
