// ConvAttrs: what Convolution, its gradients and Deconvolution are told.
#pragma once
#include <vector>

#include "kernels/kernels.h"
#include "ops/op.h"
#include "ops/window.h"

namespace hybrid {

struct ConvAttrs {
  Window window;
  int64_t filters = 0, groups = 1;

  explicit ConvAttrs(const Attrs& attrs);  // throws Error naming the operator
};
// For the kernels: a window that slides over data of shape `data` (NCHW) with a result of shape
// `out`; one group.
ConvParams window_params(const Window& window, const Shape& data, const Shape& out);
// For the kernels: a convolution of data of shape `data` (NCHW) with a result of shape `out`.
ConvParams conv_params(const ConvAttrs& attrs, const Shape& data, const Shape& out);

// (first, second, kernel...): a weight's shape.
Shape with_kernel(const Window& window, int64_t first, int64_t second);
// (first, second, unknown...): data of that window.
Shape any_image(const Window& window, int64_t first, int64_t second);
// Input `i` has that rank; fails naming the layout otherwise.
void expect_image(InferContext& c, size_t i, const Window& window);
// Every axis but the channels', over which a bias has its gradient.
std::vector<int64_t> all_but_channels(int ndim);
// Multiplications and additions for `results` results of a weight of that shape.
double conv_flops(const Shape& weight, int64_t results);

}  // namespace hybrid
