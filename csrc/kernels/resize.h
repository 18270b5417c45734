// Images of another size, as OpenCV resizes them (its documentation, "Geometric Image
// Transformations"): bytes in its fixed point numbers, floats in theirs.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/elementwise.h"

namespace hybrid {

enum class Interpolation : uint8_t { nearest, linear, cubic, area, lanczos };

// Which elements of a line make each element of the resized line, and with what weights.
struct Taps {
  std::vector<int64_t> begin;  // of result i: [begin[i], begin[i + 1]) in the lists below
  std::vector<int64_t> from;
  std::vector<float> weight;
};

// How one image is resized.
struct Resizing {
  Resizing(Interpolation method, int64_t height, int64_t width, int64_t new_height,
           int64_t new_width);
  // Averages of whole squares of pixels, or of parts of pixels.
  bool averages = false;
  bool halves = false;  // of squares of 2 x 2
  Interpolation method;
  Taps rows, columns;
};

// data (n, height, width, channels) to result, of one dtype: uint8, float32, float64.
void resize_images(const Resizing& how, const TensorView& data, const TensorView& result,
                   Resources& resources);
// The adjoint: the gradient of result spread over the pixels of data; floats.
void resize_images_back(const Resizing& how, const TensorView& grad, const TensorView& data,
                        Resources& resources);

}  // namespace hybrid
