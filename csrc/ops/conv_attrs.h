// ConvAttrs: what Convolution, its gradients and Deconvolution are told.
#pragma once
#include "kernels/kernels.h"
#include "ops/window.h"

namespace hybrid {

struct ConvAttrs {
  Window2d window;
  int64_t filters = 0, groups = 1;

  explicit ConvAttrs(const Attrs& attrs);  // throws Error naming the operator
};
// For the kernels: a convolution of data of shape `data` (NCHW) with a result of shape `out`.
ConvParams conv_params(const ConvAttrs& attrs, const Shape& data, const Shape& out);

}  // namespace hybrid
