#include "ops/conv_attrs.h"

#include "core/error.h"
#include "ops/infer.h"

namespace hybrid {

ConvAttrs::ConvAttrs(const Attrs& a)
    : window(a, true), filters(a.integer("num_filter")), groups(a.integer("num_group")) {
  const char* op = a.op()->name;
  require(filters > 0, op, ": given num_filter ", filters, ", expected at least 1");
  require(groups > 0 && filters % groups == 0, op, ": given num_group ", groups,
          ", expected a divisor of num_filter ", filters);
  channels_last(a, window.ndim);  // checks the layout
}

ConvParams conv_params(const ConvAttrs& a, const Shape& data, const Shape& out) {
  ConvParams p = window_params(a.window, data, out);
  p.groups = a.groups;
  return p;
}

ConvParams window_params(const Window& w, const Shape& data, const Shape& out) {
  const int64_t *in = data.begin() + 2, *result = out.begin() + 2;
  const auto of = [&](const int64_t* values, int axis, int64_t missing) {
    return Window::of_three(values, w.ndim, axis, missing);
  };
  ConvParams p;
  p.batch = data[0];
  p.in_channels = data[1];
  p.out_channels = out[1];
  p.in_d = of(in, 0, 1), p.in_h = of(in, 1, 1), p.in_w = of(in, 2, 1);
  p.out_d = of(result, 0, 1), p.out_h = of(result, 1, 1), p.out_w = of(result, 2, 1);
  p.kernel_d = of(w.kernel, 0, 1), p.kernel_h = of(w.kernel, 1, 1);
  p.kernel_w = of(w.kernel, 2, 1);
  p.stride_d = of(w.stride, 0, 1), p.stride_h = of(w.stride, 1, 1);
  p.stride_w = of(w.stride, 2, 1);
  p.pad_d = of(w.pad, 0, 0), p.pad_h = of(w.pad, 1, 0), p.pad_w = of(w.pad, 2, 0);
  p.dilate_d = of(w.dilate, 0, 1), p.dilate_h = of(w.dilate, 1, 1);
  p.dilate_w = of(w.dilate, 2, 1);
  p.groups = 1;
  return p;
}

Shape with_kernel(const Window& window, int64_t first, int64_t second) {
  Shape shape{first, second};
  for (int i = 0; i < window.ndim; ++i) shape.push_back(window.kernel[i]);
  return shape;
}

Shape any_image(const Window& window, int64_t first, int64_t second) {
  Shape shape{first, second};
  for (int i = 0; i < window.ndim; ++i) shape.push_back(-1);
  return shape;
}

void expect_image(InferContext& c, size_t i, const Window& window) {
  expect_rank(c, i, window.ndim + 2, default_layout(window.ndim));
}

std::vector<int64_t> all_but_channels(int ndim) {
  std::vector<int64_t> axes{0};
  for (int i = 2; i < ndim; ++i) axes.push_back(i);
  return axes;
}

double conv_flops(const Shape& weight, int64_t results) {
  double taps = 2;
  for (int i = 1; i < weight.ndim(); ++i) taps *= static_cast<double>(weight[i]);
  return taps * static_cast<double>(results);
}

}  // namespace hybrid
