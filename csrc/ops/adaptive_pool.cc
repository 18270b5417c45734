// AdaptiveAvgPooling2D: means over windows that cover the image evenly, and their adjoint.
#include <algorithm>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// The pixels under result `i` of `out` along an axis of `in`.
struct Span {
  int64_t begin, end;
  Span(int64_t i, int64_t in, int64_t out)
      : begin(i * in / out), end(((i + 1) * in + out - 1) / out) {}
  int64_t size() const { return end - begin; }
};

// (height, width); MXNet: one number for both, none for 1.
void read_sizes(const Attrs& attrs, const char* name, int64_t* height, int64_t* width) {
  const auto& given = attrs.ints(name);
  const char* op = attrs.op()->name;
  require(given.size() <= 2, op, ": given ", name, " ", attrs.text(name),
          ", expected (height, width)");
  *height = given.empty() ? 1 : given.front();
  *width = given.empty() ? 1 : given.back();
  for (const int64_t size : {*height, *width}) {
    require(size >= 1 && size < (int64_t{1} << 30), op, ": given ", name, " ", attrs.text(name),
            ", expected sizes of at least 1");
  }
}

void infer_adaptive(InferContext& c) {
  one_dtype(c);
  expect_rank(c, 0, 4, "NCHW");
  Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  require(in[2] != 0 && in[3] != 0, c.op_name, ": given data of shape ", in,
          ", expected an image that is not empty");
  Shape out = in;
  read_sizes(c.attrs, c.op_name[0] == 'A' ? "output_size" : "size", &out[2], &out[3]);
  set_shape(c, 0, out);
}

// Calls each(result pixel, first pixel of a row of its window, pixels of it, 1 / window) for a
// plane of `in` by `out` sizes.
template <class F>
void for_windows(const Shape& in, const Shape& out, F each) {
  for (int64_t oy = 0; oy < out[2]; ++oy) {
    const Span rows(oy, in[2], out[2]);
    for (int64_t ox = 0; ox < out[3]; ++ox) {
      const Span columns(ox, in[3], out[3]);
      const double share = 1.0 / static_cast<double>(rows.size() * columns.size());
      for (int64_t y = rows.begin; y < rows.end; ++y) {
        each(oy * out[3] + ox, y * in[3] + columns.begin, columns.size(), share);
      }
    }
  }
}

// Planes of the results `small`, of the pixels `large`.
template <class F>
void run_planes(KernelContext& c, F plane) {
  const Shape &in = c.in[0].shape, &out = c.out[0].shape;
  if (c.out[0].size() == 0) return;
  const int64_t from = in[2] * in[3], to = out[2] * out[3];
  dispatch(c.out[0].dtype, c.attrs.op()->name, [&](auto zero) {
    using T = decltype(zero);
    const int64_t grain = std::max<int64_t>(1, (1 << 14) / (from + to));
    c.resources.parallel(out[0] * out[1], grain, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end && !c.resources.cancelled(); ++p) {
        plane(c.in[0].as<T>() + p * from, c.out[0].as<T>() + p * to);
      }
    });
  });
}

void run_adaptive(KernelContext& c) {
  const Shape &in = c.in[0].shape, &out = c.out[0].shape;
  run_planes(c, [&](const auto* x, auto* y) {
    std::fill_n(y, out[2] * out[3], 0);
    for_windows(in, out, [&](int64_t to, int64_t from, int64_t count, double share) {
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(x[from + i]);
      y[to] = static_cast<std::decay_t<decltype(*y)>>(static_cast<double>(y[to]) + sum * share);
    });
  });
}

void run_spread(KernelContext& c) {
  const Shape &small = c.in[0].shape, &large = c.out[0].shape;
  run_planes(c, [&](const auto* g, auto* dx) {
    using T = std::decay_t<decltype(*dx)>;
    std::fill_n(dx, large[2] * large[3], T(0));
    for_windows(large, small, [&](int64_t from, int64_t to, int64_t count, double share) {
      const T part = static_cast<T>(static_cast<double>(g[from]) * share);
      for (int64_t i = 0; i < count; ++i) dx[to + i] = static_cast<T>(dx[to + i] + part);
    });
  });
}

std::vector<int64_t> image_of(GradBuilder& b, Entry e) {
  const Shape shape = known_shape(b, e);
  return {shape[2], shape[3]};
}

void grad_adaptive(GradBuilder& b) {
  if (!b.wanted(0)) return;
  b.set(0, b.op("adaptive_pool_grad", {b.out_grad()}, {{"size", image_of(b, b.input(0))}}));
}

void grad_spread(GradBuilder& b) {
  if (!b.wanted(0)) return;
  b.set(0,
        b.op("AdaptiveAvgPooling2D", {b.out_grad()}, {{"output_size", image_of(b, b.input(0))}}));
}

}  // namespace

void register_adaptive_pool() {
  OpDef pool;
  pool.name = "AdaptiveAvgPooling2D";
  pool.family = Family::conv;
  pool.doc =
      "Means of windows of an image (n, c, h, w) that give a result of output_size: row i covers "
      "the pixels floor(i h / height) to ceil((i + 1) h / height). MXNet's "
      "contrib.AdaptiveAvgPooling2D.";
  pool.inputs = {{"data", "(n, c, h, w)"}};
  pool.attrs = {
      {"output_size", AttrType::ints, "()", "(height, width), one number for both; (): 1"}};
  pool.infer = infer_adaptive;
  pool.cpu = run_adaptive;
  pool.gradient = grad_adaptive;
  pool.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
    return static_cast<double>(in[0].size() + 4 * out[0].size());
  };
  add_op(std::move(pool));

  OpDef spread;
  spread.name = "adaptive_pool_grad";
  spread.family = Family::conv;
  spread.doc = "Gradient of AdaptiveAvgPooling2D: every element of grad spread over its window.";
  spread.inputs = {{"grad", "gradient of the result, (n, c, height, width)"}};
  spread.attrs = {{"size", AttrType::ints, nullptr, "(height, width) of the pooling's data"}};
  spread.infer = infer_adaptive;
  spread.cpu = run_spread;
  spread.gradient = grad_spread;
  add_op(std::move(spread));
}

}  // namespace hybrid
