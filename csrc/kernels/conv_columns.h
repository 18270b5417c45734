// Columns: the input values under every kernel position, so that convolution is a matrix product.
#pragma once
#include "kernels/kernels.h"

namespace hybrid {

// columns[(c, d, i, j), (y, x)] for the channels of `image` (one after another) and the rows [y0,
// y1) of the result, counted through its depth; 0 outside the image.
template <class T>
void image_to_columns(const ConvParams& p, const T* image, int64_t channels, int64_t y0, int64_t y1,
                      T* columns);
// The adjoint: adds every entry of columns to the pixel it came from.
template <class T>
void add_columns_to_image(const ConvParams& p, const T* columns, int64_t channels, int64_t y0,
                          int64_t y1, T* image);

extern template void image_to_columns(const ConvParams&, const float*, int64_t, int64_t, int64_t,
                                      float*);
extern template void image_to_columns(const ConvParams&, const double*, int64_t, int64_t, int64_t,
                                      double*);
extern template void add_columns_to_image(const ConvParams&, const float*, int64_t, int64_t,
                                          int64_t, float*);
extern template void add_columns_to_image(const ConvParams&, const double*, int64_t, int64_t,
                                          int64_t, double*);

}  // namespace hybrid
