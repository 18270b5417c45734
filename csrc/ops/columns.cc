// im2col and col2im: the values under every place of a window as columns, and their sum back.
#include <algorithm>

#include "kernels/conv_columns.h"
#include "ops/conv_attrs.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

using Ints = std::vector<int64_t>;

std::vector<AttrDef> window_attrs() {
  return {{"kernel", AttrType::ints, nullptr,
           "size of the window: (width), (height, width) or (depth, height, width)"},
          {"stride", AttrType::ints, "()", "steps of the window; (): 1"},
          {"dilate", AttrType::ints, "()", "distance between the window's taps; (): 1"},
          {"pad", AttrType::ints, "()", "zeros added on both sides of each axis; (): 0"}};
}

int64_t taps_of(const Window& w) { return w.kernel[0] * w.kernel[1] * w.kernel[2]; }

// (n, c, sizes) of the places of the window; -1 for what is not known.
Shape places(const Window& w, const Shape& image, const char* op) {
  Shape shape{image[0], image[1]};
  for (int i = 0; i < w.ndim; ++i) {
    shape.push_back(w.out_size(image[2 + i], i, false, op));
  }
  return shape;
}

// (n, c * taps, places) for images of that shape.
Shape columns_shape(const Window& w, const Shape& image, const char* op) {
  int64_t rows = image[1], count = 1;
  if (rows >= 0) {
    Ints factors(w.kernel, w.kernel + 3);
    factors.push_back(rows);
    rows = checked_shape(factors, op).size();
  }
  const Shape at = places(w, image, op);
  for (int i = 2; i < at.ndim(); ++i) count = at[i] < 0 || count < 0 ? -1 : count * at[i];
  return {image[0], rows, count};
}

void infer_im2col(InferContext& c) {
  one_dtype(c);
  const Window w(c.attrs, true);
  expect_image(c, 0, w);
  if (!c.in_shapes[0].rank_known()) return;
  set_shape(c, 0, columns_shape(w, c.in_shapes[0], c.op_name));
}

void infer_col2im(InferContext& c) {
  one_dtype(c);
  const Window w(c.attrs, true);
  const Ints& size = c.attrs.ints("output_size");
  require(static_cast<int>(size.size()) == w.ndim, c.op_name, ": given output_size ",
          c.attrs.text("output_size"), " and kernel ", c.attrs.text("kernel"),
          ", expected as many sizes as the kernel has");
  expect_rank(c, 0, 3, "n, c * kernel, places");
  const Shape& columns = c.in_shapes[0];
  if (!columns.rank_known()) return;
  require(columns[1] < 0 || columns[1] % taps_of(w) == 0, c.op_name, ": given data of shape ",
          columns, ", expected a multiple of the kernel's ", taps_of(w), " along axis 1");
  Shape image{columns[0], columns[1] < 0 ? -1 : columns[1] / taps_of(w)};
  for (const int64_t s : size) {
    require(s >= 1, c.op_name, ": given output_size ", c.attrs.text("output_size"),
            ", expected sizes of at least 1");
    image.push_back(s);
  }
  checked_shape(image.known() ? image.to_vector() : size, c.op_name);
  expect_shape(c, 0, columns_shape(w, image, c.op_name));
  set_shape(c, 0, image);
}

// Calls each(parameters, channel's image, its columns) for every channel of every sample.
template <class T, class F>
void for_channels(KernelContext& c, const TensorView& image, const TensorView& columns, F each) {
  const Window w(c.attrs, true);
  const ConvParams p = window_params(w, image.shape, places(w, image.shape, c.attrs.op()->name));
  const int64_t size = p.taps() * p.out_size();
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, size));
  c.resources.parallel(p.batch * p.in_channels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end && !c.resources.cancelled(); ++i) {
      each(p, image.as<T>() + i * p.in_size(), columns.as<T>() + i * size);
    }
  });
}

template <class F>
void for_type(DType dtype, const char* op, F body) {
  if (dtype == DType::float64) return body(double{});
  require(dtype == DType::float32, op, ": has no kernel for ", dtype_name(dtype));
  body(float{});
}

void run_im2col(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  for_type(c.out[0].dtype, "im2col", [&](auto zero) {
    using T = decltype(zero);
    for_channels<T>(c, c.in[0], c.out[0], [](const ConvParams& p, const T* image, T* columns) {
      image_to_columns(p, image, 1, 0, p.out_d * p.out_h, columns);
    });
  });
}

void run_col2im(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  for_type(c.out[0].dtype, "col2im", [&](auto zero) {
    using T = decltype(zero);
    for_channels<T>(c, c.out[0], c.in[0], [](const ConvParams& p, T* image, const T* columns) {
      std::fill_n(image, p.in_size(), T(0));
      add_columns_to_image(p, columns, 1, 0, p.out_d * p.out_h, image);
    });
  });
}

Attrs with_window(const Attrs& from, const char* op) {
  Attrs attrs(get_op(op));
  for (const AttrDef& def : window_attrs()) attrs.set(def.name, from.at(def.name));
  return attrs;
}

void grad_im2col(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape image = known_shape(b, b.input(0));
  Attrs attrs = with_window(b.attrs(), "col2im");
  attrs.set("output_size", Ints(image.begin() + 2, image.end()));
  b.set(0, b.op("col2im", {b.out_grad()}, attrs));
}

void grad_col2im(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op("im2col", {b.out_grad()}, with_window(b.attrs(), "im2col")));
}

}  // namespace

void register_columns() {
  OpDef columns;
  columns.name = "im2col";
  columns.family = Family::conv;
  columns.doc =
      "The values under every place of a window as columns: data (n, c, spatial axes) gives (n, c "
      "* "
      "size of the kernel, places); rows are ordered as (c, kernel), places as the result of a "
      "convolution. MXNet's im2col.";
  columns.inputs = {{"data", "(n, c, spatial axes)"}};
  columns.attrs = window_attrs();
  columns.infer = infer_im2col;
  columns.cpu = run_im2col;
  columns.gradient = grad_im2col;
  add_op(std::move(columns));

  OpDef image;
  image.name = "col2im";
  image.family = Family::conv;
  image.doc =
      "The adjoint of im2col: columns (n, c * size of the kernel, places) added up at the pixels "
      "that they come from, (n, c, output_size). MXNet's col2im.";
  image.inputs = {{"data", "(n, c * size of the kernel, places)"}};
  image.attrs = window_attrs();
  image.attrs.insert(image.attrs.begin(),
                     {"output_size", AttrType::ints, nullptr, "spatial sizes of the image"});
  image.infer = infer_col2im;
  image.cpu = run_col2im;
  image.gradient = grad_col2im;
  image.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
    return static_cast<double>(in[0].size());
  };
  add_op(std::move(image));
}

}  // namespace hybrid
