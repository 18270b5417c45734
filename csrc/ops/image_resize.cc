// MXNet's image.resize, and its adjoint.
#include "kernels/resize.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/images.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kLimit = int64_t{1} << 30;
constexpr DTypeSet kResized = kFloats | dtype_bit(DType::uint8);

Interpolation interpolation(const Attrs& attrs) {
  const int64_t given = attrs.integer("interp");
  require(given >= 0 && given <= 4, attrs.op()->name, ": given interp ", given,
          ", expected 0 nearest, 1 linear, 2 cubic, 3 area or 4 Lanczos");
  constexpr Interpolation methods[] = {Interpolation::nearest, Interpolation::linear,
                                       Interpolation::cubic, Interpolation::area,
                                       Interpolation::lanczos};
  return methods[given];
}

// (height, width) of the result; -1 where it depends on what is not known yet.
Ints new_size(const Attrs& a, int64_t height, int64_t width) {
  const Ints& size = a.ints("size");
  const bool one = size.size() == 1;
  require(one || size.size() == 2, a.op()->name, ": given size ", a.text("size"),
          ", expected (width, height) or one number");
  for (const int64_t v : size)
    require(v >= 1 && v < kLimit, a.op()->name, ": given size ", a.text("size"),
            ", expected at least one pixel");
  if (!one) return {size[1], size[0]};
  if (!a.boolean("keep_ratio")) return {size[0], size[0]};
  if (height < 0 || width < 0) return {-1, -1};
  // The sizes are below 2^30 each (require_image).
  return height > width ? Ints{size[0] * height / width, size[0]}
                        : Ints{size[0], size[0] * width / height};
}

void require_image(const InferContext& c, int64_t height, int64_t width) {
  require(height != 0 && width != 0 && height < kLimit && width < kLimit, c.op_name,
          ": given data of shape ", c.in_shapes[0], ", expected images of at least one pixel");
}

void infer_image_resize(InferContext& c) {
  expect_images(c, "(height, width, channels)");
  one_dtype(c);
  interpolation(c.attrs);
  Shape out = c.in_shapes[0];
  const int rows = out.rank_known() ? out.ndim() - 3 : 0;
  const int64_t height = out.rank_known() ? out[rows] : -1;
  const int64_t width = out.rank_known() ? out[rows + 1] : -1;
  require_image(c, height, width);
  const Ints size = new_size(c.attrs, height, width);
  if (!out.rank_known()) return;
  require(size[0] < kLimit && size[1] < kLimit && size[0] != 0 && size[1] != 0, c.op_name,
          ": given data of shape ", out, ", whose result would be ", size[0], " by ", size[1],
          ", expected at least one pixel");
  out[rows] = size[0];
  out[rows + 1] = size[1];
  if (out.known()) checked_shape(out.to_vector(), c.op_name);
  set_shape(c, 0, out);
}

// (n, height, width, channels)
TensorView as_batch(TensorView images) {
  if (images.shape.ndim() == 4) return images;
  const Shape one = images.shape;
  images.shape = {1, one[0], one[1], one[2]};
  images.strides = contiguous_strides(images.shape);
  return images;
}

Resizing resizing(const Attrs& attrs, const Shape& data, const Shape& result) {
  return Resizing(interpolation(attrs), data[1], data[2], result[1], result[2]);
}

void run_image_resize(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const TensorView data = as_batch(c.in[0]), result = as_batch(c.out[0]);
  resize_images(resizing(c.attrs, data.shape, result.shape), data, result, c.resources);
}

void infer_resize_back(InferContext& c) {
  expect_images(c, "(height, width, channels)");
  one_dtype(c);
  interpolation(c.attrs);
  const Ints& size = c.attrs.ints("size");
  require(size.size() == 2 && size[0] >= 1 && size[1] >= 1, c.op_name, ": given size ",
          c.attrs.text("size"), ", expected (height, width)");
  Shape data = c.in_shapes[0];
  if (!data.rank_known()) return;
  const int rows = data.ndim() - 3;
  require_image(c, data[rows], data[rows + 1]);
  data[rows] = size[0];
  data[rows + 1] = size[1];
  set_shape(c, 0, data);
}

void run_resize_back(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const TensorView grad = as_batch(c.in[0]), data = as_batch(c.out[0]);
  resize_images_back(resizing(c.attrs, data.shape, grad.shape), grad, data, c.resources);
}

void grad_image_resize(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape data = known_shape(b, b.input(0));
  const int rows = data.ndim() - 3;
  b.set(0, b.op("image_resize_grad", {b.out_grad()},
                {{"size", Ints{data[rows], data[rows + 1]}}, {"interp", b.attrs().at("interp")}}));
}

void grad_resize_back(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape small = known_shape(b, b.input(0));
  const int rows = small.ndim() - 3;
  b.set(0,
        b.op("image_resize", {b.out_grad()},
             {{"size", Ints{small[rows + 1], small[rows]}}, {"interp", b.attrs().at("interp")}}));
}

double resize_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  return 8.0 * static_cast<double>(std::max(in[0].size(), out[0].size()));
}

}  // namespace

void register_image_resize() {
  OpDef resize;
  resize.name = "image_resize";
  resize.family = Family::other;
  resize.doc =
      "Images of another size, as OpenCV resizes them. MXNet's image.resize; its gradient, which "
      "has no kernel there, is that of the interpolation.";
  resize.inputs = {{"data", "images (height, width, channels), or a batch of them"}};
  resize.attrs = {
      {"size", AttrType::ints, "()", "(width, height), or one number for both"},
      {"keep_ratio", AttrType::boolean, "False",
       "the one number is the shorter edge's length, and the proportions stay"},
      {"interp", AttrType::integer, "1", "0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos"}};
  resize.dtypes = kResized;
  resize.infer = infer_image_resize;
  resize.cpu = run_image_resize;
  resize.gradient = grad_image_resize;
  resize.flops = resize_flops;
  add_op(std::move(resize));

  OpDef grad;
  grad.name = "image_resize_grad";
  grad.family = Family::other;
  grad.doc = "Gradient of image_resize: every pixel of grad spread over the pixels it is made of.";
  grad.inputs = {{"grad", "gradient of the resized images"}};
  grad.attrs = {{"size", AttrType::ints, nullptr, "(height, width) of the images"},
                {"interp", AttrType::integer, "1", "as of image_resize"}};
  grad.infer = infer_resize_back;
  grad.cpu = run_resize_back;
  grad.gradient = grad_resize_back;
  grad.flops = resize_flops;
  add_op(std::move(grad));
}

}  // namespace hybrid
