// What operators on images share. Images are (height, width, channels), tensors (channels, height,
// width); both may have samples before them.
#pragma once
#include "ops/op.h"

namespace hybrid {

// Throws Error unless the rank of the first input is known to be 3 or 4, or is not known.
void expect_images(const InferContext& c, const char* layout);

void register_image_moves();
void register_image_resize();
void register_image_colours();

}  // namespace hybrid
