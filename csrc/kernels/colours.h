// Changes of images' colours, one after the other: the formulas of MXNet's image operators.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/elementwise.h"

namespace hybrid {

enum class Colour : uint8_t {
  brightness,  // times alpha
  contrast,    // to or from the image's mean grey: alpha x + (1 - alpha) mean
  saturation,  // to or from each pixel's grey
  hue,         // turned by 360 alpha degrees in HLS
  lighting     // plus a colour
};

struct ColourStep {
  Colour kind;
  double alpha;
  double colour[3];
};

// data (..., height, width, channels) of 1 or 3 channels to result, of one dtype; whole numbers are
// cut to their range and rounded to 0 after each step.
void change_colours(const std::vector<ColourStep>& steps, const TensorView& data,
                    const TensorView& result, Resources& resources);
// The gradient of data from that of the result; floats.
void change_colours_back(const std::vector<ColourStep>& steps, const TensorView& grad,
                         const TensorView& data, const TensorView& result, Resources& resources);

// The colour that weights of the principal components of ImageNet's colours make (Krizhevsky,
// Sutskever and Hinton 2012).
ColourStep lighting_step(const double alpha[3]);

}  // namespace hybrid
