// What the kernels of convolution and of its gradients share.
#pragma once
#include "kernels/finish.h"

namespace hybrid {

// Direct convolution; `finish` may be null; padding may be negative (the image is cropped).
// Explicitly instantiated.
template <class T>
void convolve_direct(const ConvParams& p, const T* x, const T* w, const T* bias, T* y,
                     const Finish* finish, Resources& resources);

// By columns, for volumes: their bands are matrix products.
template <class T>
void convolve_columns(const ConvParams& p, const T* x, const T* w, const T* bias, T* y,
                      const Finish* finish, Resources& resources);

// Rows of the result, of every depth one after another, whose columns of `channels` channels stay
// in cache.
int64_t column_rows(const ConvParams& p, int64_t channels, size_t item);

constexpr double kTaskProducts = 2e6;  // multiplications of one task, about: 50 us

// Input channels a task of a gradient, so that the work on `images` is enough for several tasks but
// no task is too small.
int64_t channels_a_task(const ConvParams& p, int64_t in_c, int64_t out_c, int64_t images);

// A 1x1 kernel that reads every pixel once: a matrix product for every image.
inline bool is_pointwise(const ConvParams& p) {
  return p.taps() == 1 && p.stride_d == 1 && p.stride_h == 1 && p.stride_w == 1 && p.pad_d == 0 &&
         p.pad_h == 0 && p.pad_w == 0;
}
// p as for the forward direction from x to y; with `transpose`, w is [in_channels, out_channels] of
// a group (the gradient to the input).
template <class T>
void convolve_pointwise(const ConvParams& p, bool transpose, const T* x, const T* w, const T* bias,
                        T* y, const Finish* finish, Resources& resources);

}  // namespace hybrid
