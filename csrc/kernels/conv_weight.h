// The gradient to a convolution's weight, direct: sums over a band of its output, tap by tap.
#pragma once
#include <cstdint>

namespace hybrid {

// A patch as ConvBand has it, and the gradient of the band's outputs, laid out as they are there.
template <class T>
struct WeightBand {
  const T* patch;
  const int64_t* taps;  // [num_taps] offsets into the patch
  int64_t num_taps;
  int64_t row_step;   // patch elements from one output row to the next
  const T* gradient;  // [channels, rows, width], channels `plane` and rows `row` apart
  int64_t channels;   // of the output
  int64_t rows, width;
  int64_t plane, row;
  T* out;  // [channels, num_taps], channels `out_row` apart
  int64_t out_row;
  bool fresh;  // `out` is written, else added to
};

struct ConvWeight {
  void (*f32)(const WeightBand<float>&);
  void (*f64)(const WeightBand<double>&);
};
const ConvWeight& conv_weight();

}  // namespace hybrid
