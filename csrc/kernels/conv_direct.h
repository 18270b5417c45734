// Direct convolution: a tile of output channels and columns held in registers over all taps.
#pragma once
#include <cstdint>

namespace hybrid {

// One band of output rows of one image and group. The patch holds the input as the taps read it:
// planes of `plane` elements, rows of `row`, already padded, columns sorted by phase of the stride.
template <class T>
struct ConvBand {
  const T* patch;
  const int64_t* taps;  // [num_taps] offsets into the patch, in order (channel, i, j)
  int64_t num_taps;
  int64_t row_step;     // patch elements from one output row to the next
  const T* weight;      // [channels, num_taps]
  const T* bias;        // [channels] or nullptr
  int64_t channels;     // of the output
  int64_t rows, width;  // of the output
  T* out;
  int64_t out_plane, out_row;
  int block;  // output channels a tile: as ConvDirect::block chooses
};

constexpr int kConvOverread = 16;  // elements after the patch that may be read (and are not used)

struct ConvDirect {
  void (*f32)(const ConvBand<float>&);
  void (*f64)(const ConvBand<double>&);
  int (*block)(int64_t channels);  // output channels a tile that waste least
  int vector_bytes;                // of the columns that are computed at once
};
const ConvDirect& conv_direct();

}  // namespace hybrid
