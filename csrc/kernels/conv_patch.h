// Patch: the input rows under a band of output rows, padded and sorted for direct convolution.
#pragma once
#include <vector>

#include "kernels/conv_direct.h"
#include "kernels/kernels.h"

namespace hybrid {

// Where the taps of a convolution find their values in a patch. Columns x of a row are stored by
// phase x mod stride, so that neighbouring outputs read neighbouring elements.
struct PatchLayout {
  int64_t channels;
  int64_t phase;     // elements of one phase of a row
  int64_t row;       // stride_w * phase
  int64_t rows;      // of one plane
  int64_t plane;     // rows * row
  int64_t row_step;  // from one output row to the next
  std::vector<int64_t> taps;

  // For bands of at most `out_rows` output rows of `channels` input channels.
  PatchLayout(const ConvParams& p, int64_t channels, int64_t out_rows);
  int64_t size() const { return channels * plane + kConvOverread; }
};

// Fills `patch` for the output rows [y0, y1) from planes of `image`; 0 outside the image.
template <class T>
void fill_patch(const ConvParams& p, const PatchLayout& layout, const T* image, int64_t y0,
                int64_t y1, T* patch);

extern template void fill_patch(const ConvParams&, const PatchLayout&, const float*, int64_t,
                                int64_t, float*);
extern template void fill_patch(const ConvParams&, const PatchLayout&, const double*, int64_t,
                                int64_t, double*);

}  // namespace hybrid
