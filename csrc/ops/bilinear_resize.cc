// BilinearResize2D: images of another size, and the adjoint.
#include <algorithm>
#include <cmath>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

constexpr int64_t kLimit = int64_t{1} << 30;

// Where results along an axis lie between two neighbours.
struct Taps {
  std::vector<int64_t> first, second;
  std::vector<double> weight;  // of the second one

  Taps(int64_t in, int64_t out, bool align_corners) {
    const auto have = static_cast<double>(in), want = static_cast<double>(out);
    // One result lies on the first element, as in MXNet.
    const double step = out == 1 ? 0.0 : align_corners ? (have - 1) / (want - 1) : have / want;
    for (int64_t i = 0; i < out; ++i) {
      const auto place = static_cast<double>(i);
      const double at = align_corners ? step * place : std::max(0.0, step * (place + 0.5) - 0.5);
      const int64_t low = std::min(static_cast<int64_t>(at), in - 1);
      first.push_back(low);
      second.push_back(std::min(low + 1, in - 1));
      weight.push_back(at - static_cast<double>(low));
    }
  }
};

int64_t odd_or_even(const std::string& mode, int64_t size) {
  if (mode == "to_even_down") return size - size % 2;
  if (mode == "to_even_up") return size + size % 2;
  return mode == "to_odd_down" ? size - (size + 1) % 2 : size + (size + 1) % 2;
}

// The result's size along an axis; -1 while the data's is not known and matters.
int64_t resized(const Attrs& a, int64_t size, const char* given, const char* scale_name) {
  const std::string& mode = a.string("mode");
  const bool scales = (mode == "size" || mode == "odd_scale") && a.has("scale_height");
  if (mode == "size" && !scales) return a.integer(given);
  if (size < 0) return -1;
  if (mode.compare(0, 3, "to_") == 0) return odd_or_even(mode, size);
  const double scale = a.real(scale_name);
  require(scale > 0 && scale * static_cast<double>(size) < static_cast<double>(kLimit),
          a.op()->name, ": given ", scale_name, " ", scale, ", expected a positive factor");
  if (mode == "size" || size % 2 == 0)
    return static_cast<int64_t>(scale * static_cast<double>(size));
  return static_cast<int64_t>(scale * static_cast<double>(size - 1)) + 1;
}

void infer_resize(InferContext& c) {
  const Attrs& a = c.attrs;
  const std::string& mode = a.string("mode");
  one_dtype(c);
  expect_rank(c, 0, 4, "NCHW");
  require(a.has("scale_height") == a.has("scale_width"), c.op_name,
          ": given one of scale_height and scale_width, expected both or none");
  require(mode != "odd_scale" || a.has("scale_height"), c.op_name,
          ": given mode odd_scale, expected scale_height and scale_width");
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  require(data[2] != 0 && data[3] != 0, c.op_name, ": given data of shape ", data,
          ", expected an image that is not empty");
  Shape out = data;
  if (mode == "like") {
    expect_rank(c, 1, 4, "NCHW");
    const Shape& like = c.in_shapes[1];
    for (int i : {2, 3}) out[i] = like.rank_known() ? like[i] : -1;
  } else {
    out[2] = resized(a, data[2], "height", "scale_height");
    out[3] = resized(a, data[3], "width", "scale_width");
  }
  for (int i : {2, 3}) {
    require(out[i] != 0 && out[i] >= -1 && out[i] < kLimit, c.op_name, ": given data of shape ",
            data, ", whose result would be ", out[2], " by ", out[3], ", expected at least 1 by 1");
  }
  if (out.known()) checked_shape(out.to_vector(), c.op_name);
  set_shape(c, 0, out);
}

// Calls each(small or large plane in, plane out) over all planes.
template <class F>
void run_planes(KernelContext& c, F each) {
  const Shape &in = c.in[0].shape, &out = c.out[0].shape;
  if (c.out[0].size() == 0) return;
  const int64_t from = in[2] * in[3], to = out[2] * out[3];
  dispatch(c.out[0].dtype, c.attrs.op()->name, [&](auto zero) {
    using T = decltype(zero);
    const int64_t grain = std::max<int64_t>(1, (1 << 14) / (from + to));
    c.resources.parallel(out[0] * out[1], grain, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end && !c.resources.cancelled(); ++p) {
        each(c.in[0].as<T>() + p * from, c.out[0].as<T>() + p * to);
      }
    });
  });
}

void run_resize(KernelContext& c) {
  const Shape &in = c.in[0].shape, &out = c.out[0].shape;
  if (c.out[0].size() == 0) return;
  const bool align = c.attrs.boolean("align_corners");
  const Taps rows(in[2], out[2], align), columns(in[3], out[3], align);
  run_planes(c, [&](const auto* x, auto* y) {
    using T = std::decay_t<decltype(*y)>;
    for (size_t i = 0; i < rows.first.size(); ++i) {
      const auto *top = x + rows.first[i] * in[3], *bottom = x + rows.second[i] * in[3];
      const double v = rows.weight[i];
      for (size_t j = 0; j < columns.first.size(); ++j) {
        const int64_t left = columns.first[j], right = columns.second[j];
        const double h = columns.weight[j];
        const double above =
            (1 - h) * static_cast<double>(top[left]) + h * static_cast<double>(top[right]);
        const double below =
            (1 - h) * static_cast<double>(bottom[left]) + h * static_cast<double>(bottom[right]);
        *y++ = static_cast<T>((1 - v) * above + v * below);
      }
    }
  });
}

void run_resize_grad(KernelContext& c) {
  const Shape &small = c.in[0].shape, &image = c.out[0].shape;
  if (c.out[0].size() == 0) return;
  const bool align = c.attrs.boolean("align_corners");
  const Taps rows(image[2], small[2], align), columns(image[3], small[3], align);
  run_planes(c, [&](const auto* g, auto* dx) {
    using T = std::decay_t<decltype(*dx)>;
    std::fill_n(dx, image[2] * image[3], T(0));
    const auto add = [](T* to, double part) {
      *to = static_cast<T>(static_cast<double>(*to) + part);
    };
    for (size_t i = 0; i < rows.first.size(); ++i) {
      T *top = dx + rows.first[i] * image[3], *bottom = dx + rows.second[i] * image[3];
      for (size_t j = 0; j < columns.first.size(); ++j) {
        const int64_t left = columns.first[j], right = columns.second[j];
        const auto value = static_cast<double>(*g++);
        const double below = value * rows.weight[i], above = value - below, h = columns.weight[j];
        add(top + left, above * (1 - h));
        add(top + right, above * h);
        add(bottom + left, below * (1 - h));
        add(bottom + right, below * h);
      }
    }
  });
}

void infer_resize_grad(InferContext& c) {
  one_dtype(c);
  expect_rank(c, 0, 4, "NCHW");
  const auto& size = c.attrs.ints("size");
  require(size.size() == 2 && size[0] >= 1 && size[1] >= 1, c.op_name, ": given size ",
          c.attrs.text("size"), ", expected (height, width)");
  if (!c.in_shapes[0].rank_known()) return;
  Shape data = c.in_shapes[0];
  data[2] = size[0];
  data[3] = size[1];
  set_shape(c, 0, data);
}

void grad_resize(GradBuilder& b) {
  if (b.num_inputs() > 1 && b.wanted(1)) b.set(1, b.zeros_as(b.input(1)));
  if (!b.wanted(0)) return;
  const Shape data = known_shape(b, b.input(0));
  b.set(0, b.op("bilinear_resize_grad", {b.out_grad()},
                {{"size", std::vector<int64_t>{data[2], data[3]}},
                 {"align_corners", b.attrs().at("align_corners")}}));
}

void grad_resize_grad(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape small = known_shape(b, b.input(0));
  b.set(0, b.op("BilinearResize2D", {b.out_grad()},
                {{"height", small[2]},
                 {"width", small[3]},
                 {"align_corners", b.attrs().at("align_corners")}}));
}

double resize_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  return 8.0 * static_cast<double>(std::max(in[0].size(), out[0].size()));
}

}  // namespace

void register_bilinear_resize() {
  OpDef resize;
  resize.name = "BilinearResize2D";
  resize.family = Family::conv;
  resize.doc =
      "Images (n, c, h, w) of another size by linear interpolation along both axes. MXNet's "
      "contrib.BilinearResize2D.";
  resize.inputs = {
      {"data", "(n, c, h, w)"},
      {"like", "mode like: an array of the wanted height and width", true, "mode!like"}};
  resize.attrs = {
      {"height", AttrType::integer, "1", "mode size: of the result"},
      {"width", AttrType::integer, "1", "mode size: of the result"},
      {"scale_height", AttrType::real, "None", "modes size and odd_scale: height by that of data"},
      {"scale_width", AttrType::real, "None", "modes size and odd_scale: width by that of data"},
      {"mode", AttrType::string, "size",
       "odd_scale: 1 + scale (size - 1) of an odd size; to_even_down: the next even size; ...",
       "like|odd_scale|size|to_even_down|to_even_up|to_odd_down|to_odd_up"},
      {"align_corners", AttrType::boolean, "True",
       "corners of data and of the result are the same points; else they are corners of pixels"}};
  resize.infer = infer_resize;
  resize.cpu = run_resize;
  resize.gradient = grad_resize;
  resize.flops = resize_flops;
  add_op(std::move(resize));

  OpDef grad;
  grad.name = "bilinear_resize_grad";
  grad.family = Family::conv;
  grad.doc = "Gradient of BilinearResize2D: every element of grad spread over the pixels it is of.";
  grad.inputs = {{"grad", "gradient of the result, (n, c, height, width)"}};
  grad.attrs = {{"size", AttrType::ints, nullptr, "(height, width) of the resized data"},
                {"align_corners", AttrType::boolean, "True", "as of BilinearResize2D"}};
  grad.infer = infer_resize_grad;
  grad.cpu = run_resize_grad;
  grad.gradient = grad_resize_grad;
  grad.flops = resize_flops;
  add_op(std::move(grad));
}

}  // namespace hybrid
