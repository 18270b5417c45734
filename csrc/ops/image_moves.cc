// MXNet's image operators that move pixels or scale them: to_tensor, normalize, flips, crop.
#include <algorithm>

#include "kernels/by_dtype.h"
#include "kernels/distributions.h"
#include "kernels/kernels.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/images.h"
#include "ops/infer.h"

namespace hybrid {

void expect_images(const InferContext& c, const char* layout) {
  const Shape& data = c.in_shapes[0];
  require(!data.rank_known() || data.ndim() == 3 || data.ndim() == 4, c.op_name,
          ": given data of shape ", data, ", expected ", layout, " or a batch of them");
}

namespace {

using Ints = std::vector<int64_t>;

constexpr const char* kImage = "(height, width, channels)";
constexpr const char* kTensor = "(channels, height, width)";
constexpr int64_t kGrain = 16384;  // elements that a thread takes at once

// --- to_tensor ----------------------------------------------------------------------------------

void infer_to_tensor(InferContext& c) {
  expect_images(c, kImage);
  set_dtype(c, 0, DType::float32);
  Shape in = c.in_shapes[0];
  if (!in.rank_known()) return;
  const int first = in.ndim() - 3;
  set_shape(c, 0, first == 0 ? Shape{in[2], in[0], in[1]} : Shape{in[0], in[3], in[1], in[2]});
}

void run_to_tensor(KernelContext& c) {
  const Shape& in = c.in[0].shape;
  if (in.size() == 0) return;
  const int first = in.ndim() - 3;
  const int64_t pixels = in[first] * in[first + 1], channels = in[first + 2];
  float* y = c.out[0].as<float>();
  dispatch(c.in[0].dtype, c.attrs.op()->name, [&](auto zero) {
    using T = decltype(zero);
    const T* x = c.in[0].as<T>();
    auto planes = [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const T* from = x + p / channels * pixels * channels + p % channels;
        float* to = y + p * pixels;
        for (int64_t i = 0; i < pixels; ++i)
          to[i] = static_cast<float>(from[i * channels]) / 255.0f;
      }
    };
    c.resources.parallel(in.size() / pixels, std::max<int64_t>(1, kGrain / pixels), planes);
  });
}

void grad_to_tensor(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Ints axes = known_rank(b, b.input(0)) == 3 ? Ints{1, 2, 0} : Ints{0, 2, 3, 1};
  const Entry g = b.op("transpose", {b.out_grad()}, {{"axes", axes}});
  const DType dtype = known_dtype(b, b.input(0));
  const Entry cast = b.op("cast", {g}, {{"dtype", static_cast<int64_t>(dtype)}});
  b.set(0, b.op("div_scalar", {cast}, {{"scalar", 255.0}}));
}

// --- normalize ----------------------------------------------------------------------------------

// One number for all channels: given as one, or as equal ones (MXNet's defaults are four).
bool is_one(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](double v) { return v == numbers[0]; });
}

void check_numbers(const InferContext& c, const char* name, int64_t channels) {
  const std::vector<double>& numbers = c.attrs.reals(name);
  const auto count = static_cast<int64_t>(numbers.size());
  require(count > 0 && (channels < 0 || count == channels || is_one(numbers)), c.op_name,
          ": given ", name, " ", c.attrs.text(name), " for data of shape ", c.in_shapes[0],
          ", expected one number or one a channel");
}

void infer_normalize(InferContext& c) {
  expect_images(c, kTensor);
  infer_like(c);
  const Shape& data = c.in_shapes[0];
  const int64_t channels = data.rank_known() ? data[data.ndim() - 3] : -1;
  check_numbers(c, "mean", channels);
  check_numbers(c, "std", channels);
}

void run_normalize(KernelContext& c) {
  const Shape& in = c.in[0].shape;
  if (in.size() == 0) return;
  const int last = in.ndim() - 1;
  const int64_t pixels = in[last] * in[last - 1], channels = in[last - 2];
  const std::vector<double>&means = c.attrs.reals("mean"), &stds = c.attrs.reals("std");
  const auto of = [&](const std::vector<double>& numbers, int64_t channel) {
    return numbers[is_one(numbers) ? 0 : static_cast<size_t>(channel)];
  };
  for_float(c.in[0].dtype, c.attrs.op()->name, [&](auto zero) {
    using T = decltype(zero);
    auto planes = [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const T mean = static_cast<T>(of(means, p % channels));
        const T std = static_cast<T>(of(stds, p % channels));
        const T* x = c.in[0].as<T>() + p * pixels;
        T* y = c.out[0].as<T>() + p * pixels;
        for (int64_t i = 0; i < pixels; ++i) y[i] = (x[i] - mean) / std;
      }
    };
    c.resources.parallel(in.size() / pixels, std::max<int64_t>(1, kGrain / pixels), planes);
  });
}

void grad_normalize(GradBuilder& b) {
  if (!b.wanted(0)) return;
  b.set(0, b.op("image_normalize", {b.out_grad()}, {{"std", b.attrs().at("std")}}));
}

// --- flips --------------------------------------------------------------------------------------

void infer_flip(InferContext& c) {
  expect_images(c, kImage);
  infer_like(c);
}

bool is_sideways(const OpDef& op) {
  const std::string name = op.name;
  return name.compare(name.size() - 5, 5, "right") == 0;
}

void run_flip(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  TensorView mirrored = c.in[0];
  const bool flips = !c.attrs.op()->random || RandomStream(c.key, 0).uniform() < 0.5;
  if (flips) {
    const int axis = mirrored.shape.ndim() - (is_sideways(*c.attrs.op()) ? 2 : 3);
    const int64_t last = (mirrored.shape[axis] - 1) * mirrored.strides[axis];
    mirrored.data = mirrored.as<char>() + last * static_cast<int64_t>(dtype_size(mirrored.dtype));
    mirrored.strides[axis] = -mirrored.strides[axis];
  }
  strided_copy(mirrored, c.out[0], c.resources);
}

// The same flip again; a random one redraws whether there was one.
void grad_flip(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op(b.attrs(), {b.out_grad()}));
}

void add_flip(const char* name, const char* doc, bool random) {
  OpDef flip;
  flip.name = name;
  flip.family = random ? Family::random : Family::shape;
  flip.doc = doc;
  flip.inputs = {{"data", "images (height, width, channels), or a batch of them"}};
  flip.dtypes = kNumbers;
  flip.infer = infer_flip;
  flip.cpu = run_flip;
  flip.gradient = grad_flip;
  flip.random = random;
  flip.strided_ok = true;
  add_op(std::move(flip));
}

// --- crop ---------------------------------------------------------------------------------------

void infer_image_crop(InferContext& c) {
  expect_images(c, kImage);
  one_dtype(c);
  const Attrs& a = c.attrs;
  const int64_t x = a.integer("x"), y = a.integer("y");
  const int64_t width = a.integer("width"), height = a.integer("height");
  require(x >= 0 && y >= 0 && width >= 1 && height >= 1, c.op_name, ": given ", width, " x ",
          height, " pixels at (", x, ", ", y, "), expected at least one, from (0, 0) on");
  Shape out = c.in_shapes[0];
  if (!out.rank_known()) return;
  const int rows = out.ndim() - 3, columns = rows + 1;
  require((out[rows] < 0 || (y <= out[rows] && height <= out[rows] - y)) &&
              (out[columns] < 0 || (x <= out[columns] && width <= out[columns] - x)),
          c.op_name, ": given ", width, " x ", height, " pixels at (", x, ", ", y,
          ") of data of shape ", out, ", expected a part of the image");
  out[rows] = height;
  out[columns] = width;
  set_shape(c, 0, out);
}

void run_image_crop(KernelContext& c) {
  TensorView window = c.in[0];
  window.shape = c.out[0].shape;
  const int rows = window.shape.ndim() - 3;
  const int64_t first =
      c.attrs.integer("y") * window.strides[rows] + c.attrs.integer("x") * window.strides[rows + 1];
  window.data = window.as<char>() + first * static_cast<int64_t>(dtype_size(window.dtype));
  if (window.size() > 0) strided_copy(window, c.out[0], c.resources);
}

void grad_image_crop(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape data = known_shape(b, b.input(0));
  const int64_t x = b.attrs().integer("x"), y = b.attrs().integer("y");
  const int64_t right = x + b.attrs().integer("width"), bottom = y + b.attrs().integer("height");
  // `pad` takes arrays of four dimensions.
  const int rows = data.ndim() - 3;
  Shape batch = rows == 0 ? Shape{1} : Shape{data[0]};
  for (int i = 0; i < 3; ++i) batch.push_back(data[rows + i]);
  Shape small = batch;
  small[1] = bottom - y;
  small[2] = right - x;
  const Ints width{0, 0, y, batch[1] - bottom, x, batch[2] - right, 0, 0};
  const Entry g = reshape_to(b, b.out_grad(), small);
  const Entry padded = b.op("pad", {g}, {{"mode", std::string("constant")}, {"pad_width", width}});
  b.set(0, reshape_to(b, padded, data));
}

}  // namespace

void register_image_moves() {
  OpDef tensor;
  tensor.name = "image_to_tensor";
  tensor.family = Family::other;
  tensor.doc =
      "Images of numbers from 0 to 255 as tensors (channels, height, width), float32 from 0 to 1. "
      "MXNet's image.to_tensor; its gradient, which has no kernel there, is that of the formula.";
  tensor.inputs = {{"data", "images (height, width, channels), or a batch of them"}};
  tensor.dtypes = kNumbers;
  tensor.infer = infer_to_tensor;
  tensor.cpu = run_to_tensor;
  tensor.gradient = grad_to_tensor;
  add_op(std::move(tensor));

  OpDef normalize;
  normalize.name = "image_normalize";
  normalize.family = Family::other;
  normalize.doc = "(data - mean) / std of each channel of tensors. MXNet's image.normalize.";
  normalize.inputs = {{"data", "tensors (channels, height, width), or a batch of them"}};
  normalize.attrs = {{"mean", AttrType::reals, "(0, 0, 0, 0)", "one number, or one a channel"},
                     {"std", AttrType::reals, "(1, 1, 1, 1)", "one number, or one a channel"}};
  normalize.infer = infer_normalize;
  normalize.cpu = run_normalize;
  normalize.gradient = grad_normalize;
  normalize.in_place = {{0, 0}};
  add_op(std::move(normalize));

  add_flip("image_flip_left_right",
           "Images in the mirror. MXNet's image.flip_left_right, which leaves the middle column "
           "of odd widths unwritten.",
           false);
  add_flip("image_flip_top_bottom",
           "Images upside down. MXNet's image.flip_top_bottom, which leaves the middle row of odd "
           "heights unwritten.",
           false);
  add_flip("image_random_flip_left_right",
           "Images in the mirror with probability 1/2, a whole batch at once. MXNet's "
           "image.random_flip_left_right, whose gradient is never flipped.",
           true);
  add_flip("image_random_flip_top_bottom",
           "Images upside down with probability 1/2, a whole batch at once. MXNet's "
           "image.random_flip_top_bottom, whose gradient is never flipped.",
           true);

  OpDef crop;
  crop.name = "image_crop";
  crop.family = Family::shape;
  crop.doc = "A part of images: width x height pixels from (x, y) on. MXNet's image.crop.";
  crop.inputs = {{"data", "images (height, width, channels), or a batch of them"}};
  crop.attrs = {{"x", AttrType::integer, nullptr, "first column"},
                {"y", AttrType::integer, nullptr, "first row"},
                {"width", AttrType::integer, nullptr, "columns"},
                {"height", AttrType::integer, nullptr, "rows"}};
  crop.dtypes = kNumbers;
  crop.infer = infer_image_crop;
  crop.cpu = run_image_crop;
  crop.on_device = true;
  crop.gradient = grad_image_crop;
  crop.strided_ok = true;
  add_op(std::move(crop));
}

}  // namespace hybrid
