// UpSampling: an image whose elements are repeated.
#include <algorithm>
#include <cstring>

#include "kernels/kernels.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_builder.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

int64_t checked_scale(const Attrs& attrs) {
  const int64_t scale = attrs.integer("scale");
  require(scale >= 1 && scale <= 1000, attrs.op()->name, ": given scale ", scale,
          ", expected 1 to 1000");
  return scale;
}

void infer_upsampling(InferContext& c) {
  one_dtype(c);
  const int64_t scale = checked_scale(c.attrs);
  expect_rank(c, 0, 4, "NCHW");
  if (!c.in_shapes[0].rank_known()) return;
  Shape out = c.in_shapes[0];
  for (int i : {2, 3}) {
    if (out[i] >= 0) out[i] *= scale;
  }
  set_shape(c, 0, out);
}

void run_upsampling(KernelContext& c) {
  const Shape& out = c.out[0].shape;
  if (c.out[0].size() == 0) return;
  const int64_t scale = checked_scale(c.attrs), width = out[3];
  dispatch_size(dtype_size(c.out[0].dtype), "UpSampling", [&](auto zero) {
    using T = decltype(zero);
    const T* x = c.in[0].as<T>();
    T* y = c.out[0].as<T>();
    const int64_t rows = out[0] * out[1] * out[2] / scale;
    auto some = [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        T* row = y + r * scale * width;
        for (int64_t j = 0; j < width; ++j) row[j] = x[r * (width / scale) + j / scale];
        for (int64_t k = 1; k < scale; ++k) {
          std::memcpy(row + k * width, row, static_cast<size_t>(width) * sizeof(T));
        }
      }
    };
    c.resources.parallel(rows, std::max<int64_t>(1, 16384 / (scale * width)), some);
  });
}

void grad_upsampling(GradBuilder& b) {
  const int64_t scale = checked_scale(b.attrs());
  const std::vector<int64_t> window{scale, scale};
  if (b.wanted(0)) {
    b.set(0, b.op("Pooling", {b.out_grad()},
                  {{"kernel", window}, {"stride", window}, {"pool_type", std::string("sum")}}));
  }
}

}  // namespace

void register_upsampling() {
  OpDef up;
  up.name = "UpSampling";
  up.family = Family::conv;
  up.doc =
      "Every element of an image (n, c, h, w) repeated scale times in both directions: (n, c, "
      "scale h, scale w). MXNet's UpSampling with sample_type 'nearest' and one input.";
  up.inputs = {{"data", "(n, c, h, w)"}};
  up.attrs = {{"scale", AttrType::integer, nullptr, "how often, 1 to 1000"},
              {"sample_type", AttrType::string, "nearest", "what lies between", "nearest"}};
  up.infer = infer_upsampling;
  up.cpu = run_upsampling;
  up.gradient = grad_upsampling;
  add_op(std::move(up));
}

}  // namespace hybrid
