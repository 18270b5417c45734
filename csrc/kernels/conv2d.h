// What the kernels of convolution and of its gradients share.
#pragma once
#include "kernels/finish.h"

namespace hybrid {

// Direct convolution; `finish` may be null; padding may be negative (the image is cropped).
// Explicitly instantiated.
template <class T>
void convolve_direct(const ConvParams& p, const T* x, const T* w, const T* bias, T* y,
                     const Finish* finish, Resources& resources);

// A 1x1 kernel that reads every pixel once: a matrix product for every image.
inline bool is_pointwise(const ConvParams& p) {
  return p.kernel_h == 1 && p.kernel_w == 1 && p.stride_h == 1 && p.stride_w == 1 && p.pad_h == 0 &&
         p.pad_w == 0;
}
// p as for the forward direction from x to y; with `transpose`, w is [in_channels, out_channels] of
// a group (the gradient to the input).
template <class T>
void convolve_pointwise(const ConvParams& p, bool transpose, const T* x, const T* w, const T* bias,
                        T* y, const Finish* finish, Resources& resources);

}  // namespace hybrid
