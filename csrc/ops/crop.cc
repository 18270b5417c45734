// Crop: a window of the images, in the middle or at an offset.
#include "kernels/kernels.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

using Ints = std::vector<int64_t>;

const Ints& two_sizes(const Attrs& attrs, const char* name) {
  const Ints& given = attrs.ints(name);
  require(given.size() == 2 && given[0] >= 0 && given[1] >= 0, attrs.op()->name, ": given ", name,
          " ", attrs.text(name), ", expected (y, x), 0 or more");
  return given;
}

void infer_crop(InferContext& c) {
  const size_t inputs = c.in_shapes.size();
  require(inputs == 1 || inputs == 2, c.op_name, ": given ", inputs,
          " arrays, expected data, or data and what its size is taken from");
  one_dtype(c);
  for (size_t i = 0; i < inputs; ++i) expect_rank(c, i, 4, "NCHW");
  const Shape& data = c.in_shapes[0];
  const Shape& like = c.in_shapes[inputs - 1];
  const Ints &h_w = two_sizes(c.attrs, "h_w"), &offset = two_sizes(c.attrs, "offset");
  if (!data.rank_known() || !like.rank_known()) return;
  Shape out = data;
  for (int i = 0; i < 2; ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t size = inputs == 2 ? like[2 + i] : h_w[at];
    const int64_t begin = c.attrs.boolean("center_crop") ? 0 : offset[at];
    require(size != 0, c.op_name, ": given h_w ", c.attrs.text("h_w"),
            ", expected at least (1, 1)");
    require(data[2 + i] < 0 || size < 0 || begin + size <= data[2 + i], c.op_name,
            ": given data of shape ", data, ", offset ", c.attrs.text("offset"),
            ", expected a window of ", size, i == 0 ? " rows" : " columns", " inside");
    out[2 + i] = size;
  }
  set_shape(c, 0, out);
}

// The window's first row and column.
Ints place(const Attrs& attrs, const Shape& data, const Shape& out) {
  if (!attrs.boolean("center_crop")) return attrs.ints("offset");
  return {(data[2] - out[2]) / 2, (data[3] - out[3]) / 2};
}

void run_crop(KernelContext& c) {
  const Shape& out = c.out[0].shape;
  if (c.out[0].size() == 0) return;
  const Ints first = place(c.attrs, c.in[0].shape, out);
  TensorView window = c.in[0];
  window.shape = out;
  const int64_t offset = first[0] * window.strides[2] + first[1] * window.strides[3];
  window.data = c.in[0].as<char>() + offset * static_cast<int64_t>(dtype_size(window.dtype));
  strided_copy(window, c.out[0], c.resources);
}

void grad_crop(GradBuilder& b) {
  if (b.num_inputs() > 1 && b.wanted(1)) b.set(1, b.zeros_as(b.input(1)));
  if (!b.wanted(0)) return;
  const Shape data = known_shape(b, b.input(0)), out = known_shape(b, b.output());
  const Ints first = place(b.attrs(), data, out);
  Ints width{0, 0, 0, 0};
  for (int i = 0; i < 2; ++i) {
    const int64_t before = first[static_cast<size_t>(i)];
    width.push_back(before);
    width.push_back(data[2 + i] - out[2 + i] - before);
  }
  b.set(0, b.op("pad", {b.out_grad()}, {{"mode", std::string("constant")}, {"pad_width", width}}));
}

}  // namespace

void register_crop() {
  OpDef crop;
  crop.name = "Crop";
  crop.family = Family::shape;
  crop.doc =
      "A window of images (n, c, h, w): of size h_w or, with a second array, of that array's "
      "height "
      "and width; from offset, or in the middle (center_crop). MXNet's Crop.";
  crop.inputs = {{"data", "images, and an array whose height and width the window has"}};
  crop.variadic = true;
  crop.attrs = {
      {"offset", AttrType::ints, "(0, 0)", "(y, x) of the window's first pixel"},
      {"h_w", AttrType::ints, "(0, 0)", "(height, width), of one array"},
      {"center_crop", AttrType::boolean, "False", "in the middle; offset counts nothing"}};
  crop.dtypes = kNumbers;
  crop.infer = infer_crop;
  crop.cpu = run_crop;
  crop.on_device = true;
  crop.gradient = grad_crop;
  crop.strided_ok = true;
  add_op(std::move(crop));
}

}  // namespace hybrid
