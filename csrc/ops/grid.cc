// GridGenerator, BilinearSampler, SpatialTransformer (Jaderberg et al. 2015).
#include <cmath>
#include <cstring>

#include "kernels/by_dtype.h"
#include "ops/differentiable_once.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// --- GridGenerator: points (x, y) from -1 to 1, in the order of the result's places
// ---------------

bool is_affine(const Attrs& attrs) { return attrs.string("transform_type") == "affine"; }

Shape target_of(const Attrs& attrs) {
  const std::vector<int64_t>& size = attrs.ints("target_shape");
  require(size.size() == 2 && size[0] > 0 && size[1] > 0, attrs.op()->name, ": given target_shape ",
          attrs.text("target_shape"), ", expected (height, width), both above 0");
  return {size[0], size[1]};
}

void infer_grid(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  if (!is_affine(c.attrs)) {
    expect_shape(c, 0, {-1, 2, -1, -1});
    return set_shape(c, 0, c.in_shapes[0]);
  }
  const Shape size = target_of(c.attrs);
  expect_shape(c, 0, {-1, 6});
  set_shape(c, 0, {c.in_shapes[0][0], 2, size[0], size[1]});
}

// Place i of `size` as a number from -1 to 1.
template <class T>
T unit(int64_t i, int64_t size) {
  return size > 1 ? T(-1) + static_cast<T>(i) * T(2) / static_cast<T>(size - 1) : T(-1);
}

// What a flow of one place is worth.
template <class T>
T unit_step(int64_t size) {
  return T(2) / static_cast<T>(size - 1);
}

void run_grid(KernelContext& c) {
  const Shape& out = c.out[0].shape;
  const int64_t h = out[2], w = out[3];
  for_float(c.out[0].dtype, "GridGenerator", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t n = 0; n < out[0]; ++n) {
      for (int64_t k = 0; k < 2; ++k) {
        T* const to = c.out[0].as<T>() + (n * 2 + k) * h * w;
        for (int64_t i = 0; i < h * w; ++i) {
          const int64_t row = i / w, column = i % w;
          if (is_affine(c.attrs)) {
            const T* const m = c.in[0].as<T>() + n * 6 + 3 * k;
            to[i] = m[0] * unit<T>(column, w) + m[1] * unit<T>(row, h) + m[2];
          } else {
            const T flow = c.in[0].as<T>()[(n * 2 + k) * h * w + i];
            const int64_t size = k == 0 ? w : h, place = k == 0 ? column : row;
            to[i] = (flow + static_cast<T>(place)) * unit_step<T>(size) - 1;
          }
        }
      }
    }
  });
}

void grad_grid(GradBuilder& b) {
  if (!b.wanted(0)) return;
  b.set(0, b.op("grid_generator_grad", {b.out_grad()},
                {{"transform_type", b.attrs().string("transform_type")}}));
}

void infer_grid_grad(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_shape(c, 0, {-1, 2, -1, -1});
  const Shape& grad = c.in_shapes[0];
  set_shape(c, 0, is_affine(c.attrs) ? Shape{grad[0], 6} : grad);
}

void run_grid_grad(KernelContext& c) {
  const Shape& grad = c.in[0].shape;
  const int64_t h = grad[2], w = grad[3];
  for_float(c.out[0].dtype, "GridGenerator", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t p = 0; p < grad[0] * 2; ++p) {
      const T* const g = c.in[0].as<T>() + p * h * w;
      if (!is_affine(c.attrs)) {
        const T step = unit_step<T>(p % 2 == 0 ? w : h);
        for (int64_t i = 0; i < h * w; ++i) c.out[0].as<T>()[p * h * w + i] = g[i] * step;
        continue;
      }
      double sums[3] = {0, 0, 0};
      for (int64_t i = 0; i < h * w; ++i) {
        const auto flow = static_cast<double>(g[i]);
        sums[0] += flow * static_cast<double>(unit<T>(i % w, w));
        sums[1] += flow * static_cast<double>(unit<T>(i / w, h));
        sums[2] += flow;
      }
      for (int64_t k = 0; k < 3; ++k) c.out[0].as<T>()[p * 3 + k] = static_cast<T>(sums[k]);
    }
  });
}

// It is linear: backward it is the generator itself, without what a flow starts from.
void grad_grid_grad(GradBuilder& b) {
  if (!b.wanted(0)) return;
  if (!is_affine(b.attrs())) {
    return b.set(0, b.op("grid_generator_grad", {b.out_grad()}, b.attrs()));
  }
  const Shape grad = known_shape(b, b.input(0));
  b.set(0, b.op("GridGenerator", {b.out_grad()},
                {{"transform_type", std::string("affine")},
                 {"target_shape", std::vector<int64_t>{grad[2], grad[3]}}}));
}

// --- BilinearSampler: data at the points of a grid, 0 outside
// -------------------------------------

void infer_sampler(InferContext& c) {
  set_dtype(c, 0, unify_dtypes(c, {0, 1}));
  expect_rank(c, 0, 4, "n, c, h, w");
  const Shape& data = c.in_shapes[0];
  expect_shape(c, 1, {data.rank_known() ? data[0] : -1, 2, -1, -1});
  const Shape& grid = c.in_shapes[1];
  set_shape(c, 0, {grid[0], data.rank_known() ? data[1] : -1, grid[2], grid[3]});
}

// A point between four places, each there or outside.
template <class T>
struct Sample {
  int64_t x, y;  // of the place above and to the left
  T wx, wy;      // weight of it along each axis
  int64_t h, w;
  Sample(T gx, T gy, int64_t height, int64_t width) : h(height), w(width) {
    const T px = (gx + 1) * static_cast<T>(width - 1) / 2;
    const T py = (gy + 1) * static_cast<T>(height - 1) / 2;
    const T fx = std::floor(px), fy = std::floor(py);
    const bool near = fx > -3 && fx < static_cast<T>(width + 2) && fy > -3 &&
                      fy < static_cast<T>(height + 2);  // and not NaN
    x = near ? static_cast<int64_t>(fx) : -3;
    y = near ? static_cast<int64_t>(fy) : -3;
    wx = near ? 1 - (px - fx) : T(0);
    wy = near ? 1 - (py - fy) : T(0);
  }
  // Calls body(place, its weight along x, along y, sign of the slopes) for those that are there.
  template <class Body>
  void each(Body body) const {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        const int64_t row = y + i, column = x + j;
        if (row < 0 || row >= h || column < 0 || column >= w) continue;
        body(row * w + column, j == 0 ? wx : 1 - wx, i == 0 ? wy : 1 - wy, j == 0 ? -1 : 1,
             i == 0 ? -1 : 1);
      }
    }
  }
};

// Calls body(image, place in the result, sample).
template <class T, class Body>
void for_each_sample(const TensorView& grid, const Shape& data, int64_t begin, int64_t end,
                     Body body) {
  const int64_t places = grid.shape[2] * grid.shape[3];
  for (int64_t n = begin; n < end; ++n) {
    const T* const g = grid.as<T>() + n * 2 * places;
    for (int64_t i = 0; i < places; ++i) {
      body(n, i, Sample<T>(g[i], g[places + i], data[2], data[3]));
    }
  }
}

template <class T>
void sample(const TensorView& x, const TensorView& grid, const TensorView& y,
            Resources& resources) {
  const Shape& data = x.shape;
  const int64_t area = data[2] * data[3], places = grid.shape[2] * grid.shape[3];
  resources.parallel(data[0], 1, [&](int64_t begin, int64_t end) {
    for_each_sample<T>(grid, data, begin, end, [&](int64_t n, int64_t i, const Sample<T>& s) {
      for (int64_t k = 0; k < data[1]; ++k) {
        const T* const map = x.as<T>() + (n * data[1] + k) * area;
        T value = 0;
        s.each([&](int64_t at, T wx, T wy, int, int) { value += map[at] * wx * wy; });
        y.as<T>()[(n * data[1] + k) * places + i] = value;
      }
    });
  });
}

void run_sampler(KernelContext& c) {
  for_float(c.in[0].dtype, "BilinearSampler",
            [&](auto zero) { sample<decltype(zero)>(c.in[0], c.in[1], c.out[0], c.resources); });
}

void grad_sampler(GradBuilder& b) {
  const Entry both = b.op("bilinear_sampler_grad", {b.out_grad(), b.input(0), b.input(1)});
  for (int i = 0; i < 2; ++i) {
    if (b.wanted(i)) b.set(i, {both.node, i});
  }
}

void infer_sampler_grad(InferContext& c) {
  const DType dtype = unify_dtypes(c, {0, 1, 2});
  for (size_t i : {0, 1}) {
    set_dtype(c, i, dtype);
    set_shape(c, i, c.in_shapes[i + 1]);
  }
}

void run_sampler_grad(KernelContext& c) {
  const Shape& data = c.in[1].shape;
  const TensorView& grid = c.in[2];
  const int64_t area = data[2] * data[3], places = grid.shape[2] * grid.shape[3];
  std::memset(c.out[0].data, 0, static_cast<size_t>(c.out[0].size()) * dtype_size(c.out[0].dtype));
  for_float(c.in[0].dtype, "BilinearSampler", [&](auto zero) {
    using T = decltype(zero);
    const auto one = [&](int64_t n, int64_t i, const Sample<T>& s) {
      T by_x = 0, by_y = 0;
      for (int64_t k = 0; k < data[1]; ++k) {
        const int64_t plane = n * data[1] + k;
        const T flow = c.in[0].as<T>()[plane * places + i];
        const T* const map = c.in[1].as<T>() + plane * area;
        T* const to = c.out[0].as<T>() + plane * area;
        s.each([&](int64_t at, T wx, T wy, int sign_x, int sign_y) {
          to[at] += flow * wx * wy;
          by_x += flow * map[at] * wy * static_cast<T>(sign_x);
          by_y += flow * map[at] * wx * static_cast<T>(sign_y);
        });
      }
      T* const to = c.out[1].as<T>() + n * 2 * places + i;
      to[0] = by_x * static_cast<T>(data[3] - 1) / 2;
      to[places] = by_y * static_cast<T>(data[2] - 1) / 2;
    };
    c.resources.parallel(data[0], 1, [&](int64_t begin, int64_t end) {
      for_each_sample<T>(grid, data, begin, end, one);
    });
  });
}

// --- SpatialTransformer: both -------------------------------------------------------------------

void infer_transformer(InferContext& c) {
  const Shape size = target_of(c.attrs);
  set_dtype(c, 0, unify_dtypes(c, {0, 1}));
  expect_rank(c, 0, 4, "n, c, h, w");
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  expect_shape(c, 1, {data[0], 6});
  set_shape(c, 0, {data[0], data[1], size[0], size[1]});
}

void run_transformer(KernelContext& c) {
  const std::vector<int64_t>& size = c.attrs.ints("target_shape");
  for_float(c.in[0].dtype, "SpatialTransformer", [&](auto zero) {
    using T = decltype(zero);
    TensorView grid;
    grid.dtype = c.in[0].dtype;
    grid.shape = {c.in[0].shape[0], 2, size[0], size[1]};
    grid.strides = contiguous_strides(grid.shape);
    grid.data = c.resources.workspace(static_cast<size_t>(grid.size()) * sizeof(T));
    Attrs attrs(get_op("GridGenerator"));
    attrs.set("transform_type", std::string("affine"));
    attrs.set("target_shape", size);
    KernelContext inner{attrs, &c.in[1], 1, &grid, 1, 0, c.resources};
    run_grid(inner);
    sample<T>(c.in[0], grid, c.out[0], c.resources);
  });
}

void grad_transformer(GradBuilder& b) {
  const Entry grid = b.op("GridGenerator", {b.input(1)},
                          {{"transform_type", std::string("affine")},
                           {"target_shape", b.attrs().ints("target_shape")}});
  const Entry both = b.op("bilinear_sampler_grad", {b.out_grad(), b.input(0), grid});
  if (b.wanted(0)) b.set(0, both);
  if (!b.wanted(1)) return;
  b.set(1, b.op("grid_generator_grad", {Entry{both.node, 1}},
                {{"transform_type", std::string("affine")}}));
}

const AttrDef kTransform{"transform_type", AttrType::string, nullptr,
                         "data is an affine matrix, or a flow in places", "affine|warp"};

}  // namespace

void register_grid() {
  OpDef grid;
  grid.name = "GridGenerator";
  grid.family = Family::conv;
  grid.doc =
      "Points (x, y) from -1 to 1 for every place of target_shape, (n, 2, h, w): places under an "
      "affine matrix (n, 6), or moved by a flow (n, 2, h, w). MXNet's GridGenerator.";
  grid.inputs = {{"data", "(n, 6), or (n, 2, h, w) for warp"}};
  grid.attrs = {kTransform, {"target_shape", AttrType::ints, "(0, 0)", "(h, w) of an affine grid"}};
  grid.infer = infer_grid;
  grid.cpu = run_grid;
  grid.gradient = grad_grid;
  add_op(std::move(grid));

  OpDef grid_grad;
  grid_grad.name = "grid_generator_grad";
  grid_grad.family = Family::conv;
  grid_grad.doc = "The gradient of GridGenerator by its data.";
  grid_grad.inputs = {{"grad", "gradient of the result (n, 2, h, w)"}};
  grid_grad.attrs = {kTransform};
  grid_grad.infer = infer_grid_grad;
  grid_grad.cpu = run_grid_grad;
  grid_grad.gradient = grad_grid_grad;
  add_op(std::move(grid_grad));

  OpDef sampler;
  sampler.name = "BilinearSampler";
  sampler.family = Family::conv;
  sampler.doc =
      "data (n, c, h, w) at points (x, y) from -1 to 1, interpolated between four places that are "
      "0 outside: (n, c, oh, ow) for a grid (n, 2, oh, ow). MXNet's BilinearSampler.";
  sampler.inputs = {{"data", "(n, c, h, w)"}, {"grid", "(n, 2, oh, ow): x, y"}};
  sampler.infer = infer_sampler;
  sampler.cpu = run_sampler;
  sampler.gradient = grad_sampler;
  add_op(std::move(sampler));

  OpDef sampler_grad;
  sampler_grad.name = "bilinear_sampler_grad";
  sampler_grad.family = Family::conv;
  sampler_grad.doc = "The gradients of BilinearSampler by data and grid.";
  sampler_grad.inputs = {
      {"grad", "gradient of the result"}, {"data", "(n, c, h, w)"}, {"grid", "(n, 2, oh, ow)"}};
  sampler_grad.num_outputs = 2;
  sampler_grad.infer = infer_sampler_grad;
  sampler_grad.cpu = run_sampler_grad;
  sampler_grad.gradient = differentiable_once;
  add_op(std::move(sampler_grad));

  OpDef transformer;
  transformer.name = "SpatialTransformer";
  transformer.family = Family::conv;
  transformer.doc =
      "BilinearSampler at GridGenerator's points: data seen through an affine matrix, of "
      "target_shape (Jaderberg et al. 2015). MXNet's SpatialTransformer.";
  transformer.inputs = {{"data", "(n, c, h, w)"}, {"loc", "affine matrices (n, 6)"}};
  transformer.attrs = {
      {"target_shape", AttrType::ints, "(0, 0)", "(h, w) of the result"},
      {"transform_type", AttrType::string, nullptr, "kind of the transformation", "affine"},
      {"sampler_type", AttrType::string, nullptr, "kind of the interpolation", "bilinear"}};
  transformer.infer = infer_transformer;
  transformer.cpu = run_transformer;
  transformer.gradient = grad_transformer;
  add_op(std::move(transformer));
}

}  // namespace hybrid
