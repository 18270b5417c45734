// Patch: the input rows under a band of output rows, padded and sorted for direct convolution.
#pragma once
#include <vector>

#include "kernels/conv_direct.h"
#include "kernels/kernels.h"

namespace hybrid {

// Where the taps of a convolution find their values in a patch. Columns x of a row are stored by
// phase x mod stride, so that neighbouring outputs read neighbouring elements. Several images lie
// pixel beside pixel: a row of theirs is a long row of vectors where one image's is short.
struct PatchLayout {
  int64_t channels;
  int64_t images;    // so many elements a pixel
  int64_t phase;     // elements of one phase of a row
  int64_t row;       // stride_w * phase
  int64_t rows;      // of one plane
  int64_t plane;     // rows * row
  int64_t row_step;  // from one output row to the next
  std::vector<int64_t> taps;
  std::vector<bool> read_rows, read_phases;  // by remainder of the stride: what taps read

  // For bands of at most `out_rows` output rows of `channels` input channels.
  PatchLayout(const ConvParams& p, int64_t channels, int64_t out_rows, int64_t images);
  int64_t size() const { return channels * plane + kConvOverread; }
};

// How many images, at most `most`, are best convolved side by side: 1 if their rows fill vectors of
// `lanes` elements by themselves. From the shape alone.
int64_t images_together(const ConvParams& p, int64_t in_channels, int64_t out_channels,
                        int64_t lanes, int64_t most);

// Memory of images side by side, and their planes apart: turns[pixel * images + image] =
// planes[image * step + pixel] for the first `count` images; the others are 0.
template <class T>
void put_together(const T* planes, int64_t step, int64_t count, int64_t pixels, int64_t images,
                  T* turns);
template <class T>
void take_apart(const T* turns, int64_t images, int64_t pixels, int64_t count, int64_t step,
                T* planes);

// Fills `patch` for the output rows [y0, y1) from planes of `count` images, `step` elements from
// one to the next; 0 outside the images.
template <class T>
void fill_patch(const ConvParams& p, const PatchLayout& layout, const T* image, int64_t step,
                int64_t count, int64_t y0, int64_t y1, T* patch);

#define HYBRID_PATCHES(declared, T)                                                           \
  declared template void put_together(const T*, int64_t, int64_t, int64_t, int64_t, T*);      \
  declared template void take_apart(const T*, int64_t, int64_t, int64_t, int64_t, T*);        \
  declared template void fill_patch(const ConvParams&, const PatchLayout&, const T*, int64_t, \
                                    int64_t, int64_t, int64_t, T*);
HYBRID_PATCHES(extern, float)
HYBRID_PATCHES(extern, double)

}  // namespace hybrid
