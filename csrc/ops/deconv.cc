// Deconvolution: the transposed convolution over one to three axes. MXNet 1.9.1's own result is
// wrong where both stride and dilate are above 1 (it is not the adjoint of its gradient); this one
// is not.
#include "ops/conv_attrs.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// It is the gradient by its data of a convolution with the same weight, whose filters are the
// channels here.

using Ints = std::vector<int64_t>;

struct DeconvAttrs : ConvAttrs {
  int64_t adj[3] = {0, 0, 0};
  Ints target;  // sizes of the result; empty: they follow from pad and adj

  explicit DeconvAttrs(const Attrs& a) : ConvAttrs(a) {
    const char* op = a.op()->name;
    const Ints& wanted = a.ints("target_shape");
    bool any = false;
    for (const int64_t size : wanted) any = any || size != 0;
    if (any) {
      set_target(a, wanted);
      return;
    }
    const Ints& more = a.ints("adj");
    require(more.empty() || static_cast<int>(more.size()) == window.ndim, op, ": given adj ",
            a.text("adj"), " and kernel ", a.text("kernel"),
            ", expected as many sizes as the kernel has");
    for (size_t i = 0; i < more.size(); ++i) {
      require(more[i] >= 0 && more[i] < window.stride[i], op, ": given adj ", a.text("adj"),
              ", expected 0 or more and less than the stride ", a.text("stride"));
      adj[i] = more[i];
    }
  }

  void set_target(const Attrs& a, const Ints& wanted) {
    const char* op = a.op()->name;
    require(static_cast<int>(wanted.size()) == window.ndim, op, ": given target_shape ",
            a.text("target_shape"), " and kernel ", a.text("kernel"),
            ", expected as many sizes as the kernel has");
    for (const int64_t size : wanted) {
      require(size > 0 && size < (int64_t{1} << 40), op, ": given target_shape ",
              a.text("target_shape"), ", expected sizes of at least 1");
    }
    target = wanted;
  }

  // Size along axis i without padding.
  int64_t whole_size(int64_t in, int i, const char* op) const {
    require(in > 0, op, ": given an image of size ", in, ", expected at least 1");
    require(in < (int64_t{1} << 40) / window.stride[i], op, ": given an image of size ", in,
            " and stride ", window.stride[i], ", expected less");
    return (in - 1) * window.stride[i] + (window.kernel[i] - 1) * window.dilate[i] + 1;
  }

  int64_t out_size(int64_t in, int i, const char* op) const {
    if (in < 0) return target.empty() ? -1 : target[static_cast<size_t>(i)];
    const int64_t whole = whole_size(in, i, op);
    if (!target.empty()) {
      const int64_t wanted = target[static_cast<size_t>(i)];
      require(wanted <= whole, op, ": given target_shape of ", wanted, " for data of size ", in,
              ", expected at most ", whole);
      require((whole - wanted) % 2 < window.stride[i], op, ": given target_shape of ", wanted,
              " for data of size ", in, " and stride 1, expected ", whole, " less an even number");
      return wanted;
    }
    const int64_t out = whole - 2 * window.pad[i] + adj[i];
    require(out > 0, op, ": the result would have size ", out, " for data of size ", in,
            ", kernel ", window.kernel[i], ", pad ", window.pad[i]);
    return out;
  }

  // With the padding that leads from data of this shape to target_shape.
  const DeconvAttrs& resolve(const Shape& data, const char* op) {
    for (size_t i = 0; i < target.size(); ++i) {
      const int axis = static_cast<int>(i);
      const int64_t cut = whole_size(data[2 + axis], axis, op) - target[i];
      window.pad[i] = (cut + 1) / 2;
      adj[i] = cut % 2;
    }
    return *this;
  }
};

void infer_deconv(InferContext& c) {
  one_dtype(c);
  const DeconvAttrs a(c.attrs);
  expect_image(c, 0, a.window);
  if (c.in_shapes.size() > 2) expect_shape(c, 2, {a.filters});
  const bool known = c.in_shapes[0].rank_known();
  const int64_t channels = known ? c.in_shapes[0][1] : -1;
  require(channels < 0 || channels % a.groups == 0, c.op_name, ": given ", channels,
          " channels, expected a multiple of num_group ", a.groups);
  expect_shape(c, 1, with_kernel(a.window, channels, a.filters / a.groups));
  if (!known) return;
  Shape& data = c.in_shapes[0];
  data[1] = c.in_shapes[1][0];
  Shape out{data[0], a.filters};
  for (int i = 0; i < a.window.ndim; ++i) out.push_back(a.out_size(data[2 + i], i, c.op_name));
  set_shape(c, 0, out);
}

void run_deconv(KernelContext& c) {
  const Shape &in = c.in[0].shape, &out = c.out[0].shape;
  if (c.out[0].size() == 0) return;
  DeconvAttrs a(c.attrs);
  const ConvParams p = conv_params(a.resolve(in, "Deconvolution"), out, in);
  conv2d_grad_input(c.in[0].dtype, p, c.in[0].data, c.in[1].data, c.out[0].data, c.resources);
  if (c.num_in < 3) return;
  dispatch(c.out[0].dtype, "Deconvolution", [&](auto zero) {
    using T = decltype(zero);
    const T* bias = c.in[2].as<T>();
    T* y = c.out[0].as<T>();
    const int64_t image = p.in_size();
    for (int64_t i = 0; i < out[0] * out[1]; ++i) {
      const T term = bias[i % out[1]];
      for (int64_t k = 0; k < image; ++k)
        y[i * image + k] = static_cast<T>(y[i * image + k] + term);
    }
  });
}

// Attributes of the convolution that leads back.
Attrs convolution(const GradBuilder& b, const DeconvAttrs& a, const char* op, int64_t channels) {
  Attrs attrs(get_op(op));
  for (const char* name : {"kernel", "stride", "dilate", "num_group"}) {
    attrs.set(name, b.attrs().at(name));
  }
  attrs.set("pad", Ints(a.window.pad, a.window.pad + a.window.ndim));
  attrs.set("num_filter", channels);
  attrs.set("no_bias", true);
  return attrs;
}

void grad_deconv(GradBuilder& b) {
  const Entry g = b.out_grad();
  if (b.num_inputs() > 2 && b.wanted(2)) {
    b.set(2, b.op("sum", {g}, {{"axis", all_but_channels(known_rank(b, g))}}));
  }
  if (!b.wanted(0) && !b.wanted(1)) return;
  const Shape data = known_shape(b, b.input(0));
  DeconvAttrs a(b.attrs());
  a.resolve(data, "Deconvolution");
  if (b.wanted(0)) {
    b.set(0, b.op("Convolution", {g, b.input(1)}, convolution(b, a, "Convolution", data[1])));
  }
  if (b.wanted(1)) {
    b.set(1, b.op("conv_grad_weight", {b.input(0), g},
                  convolution(b, a, "conv_grad_weight", data[1])));
  }
}

}  // namespace

void register_deconv() {
  OpDef deconv;
  deconv.name = "Deconvolution";
  deconv.family = Family::conv;
  deconv.doc =
      "Transposed convolution over one to three axes: data (n, c, sizes) gives (n, num_filter, "
      "output sizes), where an axis of size h gets stride (h - 1) + dilate (kernel - 1) + 1 - 2 "
      "pad "
      "+ adj. It is the gradient of a convolution with the same weight by its data. MXNet's "
      "Deconvolution.";
  deconv.inputs = {{"data", "(n, c, spatial axes)"},
                   {"weight", "(c, num_filter / num_group, kernel)"},
                   {"bias", "(num_filter,)", true, "no_bias"}};
  deconv.attrs = {
      {"kernel", AttrType::ints, nullptr,
       "size of the filter: (width), (height, width) or (depth, height, width)"},
      {"stride", AttrType::ints, "()", "distance of neighbours in the result; (): 1"},
      {"dilate", AttrType::ints, "()", "distance between the filter's taps; (): 1"},
      {"pad", AttrType::ints, "()", "cut off on both sides of each axis; (): 0"},
      {"adj", AttrType::ints, "()", "added behind each axis, below the stride; (): 0"},
      {"target_shape", AttrType::ints, "()",
       "spatial sizes of the result, from which pad and adj are computed; (): they are given"},
      {"num_filter", AttrType::integer, nullptr, "number of output channels"},
      {"num_group", AttrType::integer, "1", "channels are split in this many groups"},
      {"no_bias", AttrType::boolean, "True", "no bias is given"},
      {"layout", AttrType::string, "None",
       "order of data's axes; None: the channels before the others", "None|NCW|NCHW|NCDHW"}};
  deconv.infer = infer_deconv;
  deconv.cpu = run_deconv;
  deconv.gradient = grad_deconv;
  deconv.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
    return conv_flops(in[1], in[0].size());
  };
  add_op(std::move(deconv));
}

}  // namespace hybrid
