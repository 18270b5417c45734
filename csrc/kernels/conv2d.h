// What the kernels of convolution and of its gradients share.
#pragma once
#include "kernels/kernels.h"

namespace hybrid {

// Direct convolution; padding may be negative (the image is cropped). Explicitly instantiated.
template <class T>
void convolve_direct(const ConvParams& p, const T* x, const T* w, const T* bias, T* y,
                     Resources& resources);

}  // namespace hybrid
