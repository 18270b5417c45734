// Deformable convolution: every tap of the filter reads the image at a place of its own.
#pragma once
#include "kernels/kernels.h"

namespace hybrid {

// A convolution whose taps are moved by offsets (batch, groups * 2 * taps, pixels of the result):
// rows of (y, x) for each tap, and weighted by masks (batch, groups * taps, pixels of the result),
// for `offset_groups` groups of neighbouring input channels. Between pixels the image is
// interpolated linearly; outside it is 0, but without masks its last row and column go on for one
// pixel.
struct DeformableParams {
  ConvParams conv;
  int64_t offset_groups;
};
// bias and mask may be null.
void deformable_convolution(DType dtype, const DeformableParams& p, const void* x,
                            const void* offset, const void* mask, const void* w, const void* bias,
                            void* y, Resources& resources);
// Gradients by the image, the offsets, the masks (null without masks) and the weight.
void deformable_gradient(DType dtype, const DeformableParams& p, const void* dy, const void* x,
                         const void* offset, const void* mask, const void* w, void* dx,
                         void* doffset, void* dmask, void* dw, Resources& resources);

}  // namespace hybrid
