// Window: kernel, stride, dilation and padding of operators that slide a window over 1 to 3 axes.
#pragma once
#include <cstdint>

#include "ops/attrs.h"

namespace hybrid {

struct Window {
  int ndim = 0;  // axes that it slides over: (w), (h, w) or (d, h, w)
  int64_t kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilate[3] = {1, 1, 1}, pad[3] = {0, 0, 0};

  // Checks ranks and ranges; throws Error naming the operator. `dilated`: has the attribute dilate.
  Window(const Attrs& attrs, bool dilated);
  // Output size along an axis of the window: floor, or ceiling when `full`; -1 for -1.
  int64_t out_size(int64_t in, int axis, bool full, const char* op) const;
  // The sizes that a kernel of three axes sees: those that are missing in front are `missing`.
  static int64_t of_three(const int64_t* values, int ndim, int axis, int64_t missing) {
    return axis < 3 - ndim ? missing : values[axis - (3 - ndim)];
  }
};

// MXNet's default order of the axes of data with so many spatial axes: "NCHW" for 2.
const char* default_layout(int spatial);
// Is the layout (an attribute, may be None) one with the channels last? Throws Error when it is not
// one of `spatial` axes.
bool channels_last(const Attrs& attrs, int spatial);
// What an axis of so many is called: "height".
const char* axis_name(int spatial, int axis);

}  // namespace hybrid
