// DeformablePSROIPooling: position-sensitive regions of interest whose bins are moved (Dai and
// others, 2017).
#include <algorithm>
#include <cmath>

#include "kernels/by_dtype.h"
#include "ops/differentiable_once.h"
#include "ops/infer.h"
#include "ops/proposal.h"
#include "ops/states.h"

namespace hybrid {

namespace {

struct Sizes {
  int64_t dim, group, size, part, samples, classes;
  double scale, std;
  bool moves;
};

Sizes sizes_of(const Attrs& attrs, const Shape& trans) {
  Sizes s{
      attrs.integer("output_dim"), attrs.integer("group_size"),      attrs.integer("pooled_size"),
      attrs.integer("part_size"),  attrs.integer("sample_per_part"), 1,
      attrs.real("spatial_scale"), attrs.real("trans_std"),          !attrs.boolean("no_trans")};
  if (s.part == 0) s.part = s.size;
  for (const int64_t n : {s.dim, s.group, s.size, s.part, s.samples}) {
    require(n > 0 && n < 4096, attrs.op()->name, ": given output_dim ", s.dim, ", group_size ",
            s.group, ", pooled_size ", s.size, ", part_size ", s.part, " and sample_per_part ",
            s.samples, ", expected 1 to 4095");
  }
  if (s.moves && trans.known()) s.classes = std::max<int64_t>(trans[1] / 2, 1);
  return s;
}

// A place in a channel between four of its elements.
template <class T>
struct Point {
  int64_t at[4];  // left top, left bottom, right top, right bottom
  T weight[4], by_x[4], by_y[4];

  Point(T x, T y, int64_t height, int64_t width) {
    x = std::min(std::max(x, T(0)), static_cast<T>(width - 1));
    y = std::min(std::max(y, T(0)), static_cast<T>(height - 1));
    const auto x0 = static_cast<int64_t>(std::floor(x)), x1 = static_cast<int64_t>(std::ceil(x));
    const auto y0 = static_cast<int64_t>(std::floor(y)), y1 = static_cast<int64_t>(std::ceil(y));
    const T dx = x - static_cast<T>(x0), dy = y - static_cast<T>(y0);
    const int64_t places[] = {y0 * width + x0, y1 * width + x0, y0 * width + x1, y1 * width + x1};
    const T weights[] = {(1 - dx) * (1 - dy), (1 - dx) * dy, dx * (1 - dy), dx * dy};
    const T xs[] = {dy - 1, -dy, 1 - dy, dy}, ys[] = {dx - 1, 1 - dx, -dx, dx};
    std::copy(places, places + 4, at);
    std::copy(weights, weights + 4, weight);
    std::copy(xs, xs + 4, by_x);
    std::copy(ys, ys + 4, by_y);
  }
};

// One bin of a region: which channel and which move it reads, and its points.
template <class T>
struct Bin {
  int64_t channel, move;  // of the image's data; the x of the region's moves, y is a plane further
  T x, y, step_x, step_y, width, height;
};

template <class T>
Bin<T> bin_of(const Sizes& s, const T* roi, const T* moves, int64_t out, int64_t row,
              int64_t column) {
  const T scale = static_cast<T>(s.scale), half = T(0.5);
  const T x = std::round(roi[1]) * scale - half, y = std::round(roi[2]) * scale - half;
  Bin<T> b{};
  b.width = std::max((std::round(roi[3]) + 1) * scale - half - x, T(0.1));
  b.height = std::max((std::round(roi[4]) + 1) * scale - half - y, T(0.1));
  const T wide = b.width / static_cast<T>(s.size), high = b.height / static_cast<T>(s.size);
  b.step_x = wide / static_cast<T>(s.samples);
  b.step_y = high / static_cast<T>(s.samples);
  const int64_t group_row = std::min(row * s.group / s.size, s.group - 1);
  const int64_t group_column = std::min(column * s.group / s.size, s.group - 1);
  b.channel = (out * s.group + group_row) * s.group + group_column;
  const int64_t kind = std::min(out / std::max<int64_t>(s.dim / s.classes, 1), s.classes - 1);
  b.move = (2 * kind * s.part + row * s.part / s.size) * s.part + column * s.part / s.size;
  const T dx = moves ? moves[b.move] * static_cast<T>(s.std) : T(0);
  const T dy = moves ? moves[b.move + s.part * s.part] * static_cast<T>(s.std) : T(0);
  b.x = static_cast<T>(column) * wide + x + dx * b.width;
  b.y = static_cast<T>(row) * high + y + dy * b.height;
  return b;
}

// Calls body(point) for the bin's points on the map; returns how many there are.
template <class T, class Body>
int64_t each_point(const Sizes& s, const Bin<T>& b, int64_t height, int64_t width, Body body) {
  int64_t count = 0;
  for (int64_t i = 0; i < s.samples; ++i) {
    for (int64_t j = 0; j < s.samples; ++j) {
      const T x = b.x + static_cast<T>(j) * b.step_x, y = b.y + static_cast<T>(i) * b.step_y;
      const bool inside = x >= T(-0.5) && x <= static_cast<T>(width) - T(0.5) && y >= T(-0.5) &&
                          y <= static_cast<T>(height) - T(0.5);
      if (!inside) continue;
      body(Point<T>(x, y, height, width));
      ++count;
    }
  }
  return count;
}

// Calls body(result's place, image or -1, region, bin) for every bin of every region.
template <class T, class Body>
void each_bin(const Sizes& s, const T* rois, int64_t regions, int64_t images, const T* trans,
              Body body) {
  const int64_t moves = 2 * s.classes * s.part * s.part;
  int64_t place = 0;
  for (int64_t n = 0; n < regions; ++n) {
    const T index = rois[5 * n];
    const bool exists = index >= 0 && index < static_cast<T>(images);
    for (int64_t out = 0; out < s.dim; ++out) {
      for (int64_t k = 0; k < s.size * s.size; ++k, ++place) {
        const Bin<T> bin = bin_of(s, rois + 5 * n, trans ? trans + n * moves : nullptr, out,
                                  k / s.size, k % s.size);
        body(place, exists ? static_cast<int64_t>(index) : -1, n, bin);
      }
    }
  }
}

template <class T>
void pool(KernelContext& c) {
  const Shape& data = c.in[0].shape;
  const Sizes s = sizes_of(c.attrs, c.num_in > 2 ? c.in[2].shape : Shape::unknown());
  const int64_t plane = data[2] * data[3];
  each_bin(s, c.in[1].as<T>(), c.in[1].shape[0], data[0], s.moves ? c.in[2].as<T>() : nullptr,
           [&](int64_t place, int64_t image, int64_t, const Bin<T>& bin) {
             T sum = 0;
             int64_t count = 0;
             if (image >= 0) {
               const T* from = c.in[0].as<T>() + (image * data[1] + bin.channel) * plane;
               count = each_point(s, bin, data[2], data[3], [&](const Point<T>& p) {
                 for (int i = 0; i < 4; ++i) sum += p.weight[i] * from[p.at[i]];
               });
             }
             c.out[0].as<T>()[place] = count ? sum / static_cast<T>(count) : T(0);
           });
}

// Inputs: gradient, data, rois and, unless no_trans, trans.
template <class T>
void spread(KernelContext& c) {
  const Shape& data = c.in[1].shape;
  const Sizes s = sizes_of(c.attrs, c.num_in > 3 ? c.in[3].shape : Shape::unknown());
  const int64_t plane = data[2] * data[3], moves = 2 * s.classes * s.part * s.part;
  for (int i = 0; i < c.num_out; ++i) {
    std::fill_n(c.out[i].as<T>(), static_cast<size_t>(c.out[i].size()), T(0));
  }
  each_bin(s, c.in[2].as<T>(), c.in[2].shape[0], data[0], s.moves ? c.in[3].as<T>() : nullptr,
           [&](int64_t place, int64_t image, int64_t region, const Bin<T>& bin) {
             if (image < 0) return;
             const int64_t count = each_point(s, bin, data[2], data[3], [](const Point<T>&) {});
             if (count == 0) return;
             const T g = c.in[0].as<T>()[place] / static_cast<T>(count);
             const int64_t first = (image * data[1] + bin.channel) * plane;
             const T* from = c.in[1].as<T>() + first;
             T dx = 0, dy = 0;
             each_point(s, bin, data[2], data[3], [&](const Point<T>& p) {
               for (int i = 0; i < 4; ++i) {
                 c.out[0].as<T>()[first + p.at[i]] += p.weight[i] * g;
                 dx += p.by_x[i] * from[p.at[i]] * g;
                 dy += p.by_y[i] * from[p.at[i]] * g;
               }
             });
             if (!s.moves) return;
             T* const to = c.out[1].as<T>() + region * moves + bin.move;
             to[0] += dx * static_cast<T>(s.std) * bin.width;
             to[s.part * s.part] += dy * static_cast<T>(s.std) * bin.height;
           });
}

void run_pool(KernelContext& c) {
  for_float(c.in[0].dtype, "DeformablePSROIPooling", [&](auto zero) { pool<decltype(zero)>(c); });
}

void run_spread(KernelContext& c) {
  for_float(c.in[0].dtype, "DeformablePSROIPooling", [&](auto zero) { spread<decltype(zero)>(c); });
}

// `first`: the place of data among the inputs.
void check_inputs(InferContext& c, size_t first) {
  const bool moves = !c.attrs.boolean("no_trans");
  const Shape& trans = moves ? c.in_shapes[first + 2] : Shape::unknown();
  const Sizes s = sizes_of(c.attrs, trans);
  expect_rank(c, first, 4, "batch, channels, height, width");
  const Shape& data = c.in_shapes[first];
  if (data.rank_known()) {
    expect_shape(c, first, Shape({data[0], s.dim * s.group * s.group, data[2], data[3]}));
    require(data[2] != 0 && data[3] != 0, c.op_name, ": given data of shape ", data,
            ", expected a map that is not empty");
  }
  expect_shape(c, first + 1, Shape({-1, 5}));
  if (!moves) return;
  expect_shape(c, first + 2, Shape({c.in_shapes[first + 1][0], -1, s.part, s.part}));
  const int64_t channels = c.in_shapes[first + 2][1];
  require(channels < 0 || (channels > 0 && channels % 2 == 0 && s.dim % (channels / 2) == 0),
          c.op_name, ": given trans of shape ", c.in_shapes[first + 2],
          ", expected 2 channels a class, and output_dim ", s.dim, " to be divided by the classes");
}

void infer_pool(InferContext& c) {
  one_dtype(c);
  check_inputs(c, 0);
  const int64_t dim = c.attrs.integer("output_dim"), size = c.attrs.integer("pooled_size");
  set_shape(c, 0, Shape({c.in_shapes[1][0], dim, size, size}));
}

void infer_spread(InferContext& c) {
  one_dtype(c);
  check_inputs(c, 1);
  set_shape(c, 0, c.in_shapes[1]);
  if (c.out_shapes.size() > 1) set_shape(c, 1, c.in_shapes[3]);
}

void grad_pool(GradBuilder& b) {
  const bool moves = !b.attrs().boolean("no_trans");
  if (!b.wanted(0) && !(moves && b.wanted(2))) return;
  std::vector<Entry> inputs = {b.out_grad(), b.input(0), b.input(1)};
  if (moves) inputs.push_back(b.input(2));
  Attrs attrs(get_op("deformable_psroi_grad"));
  for (const AttrDef& def : attrs.op()->attrs) attrs.set(def.name, b.attrs().at(def.name));
  const Entry made = b.op("deformable_psroi_grad", inputs, attrs);
  if (b.wanted(0)) b.set(0, made);
  if (moves && b.wanted(2)) b.set(2, {made.node, 1});
}

}  // namespace

void register_deformable_psroi() {
  OpDef def;
  def.name = "DeformablePSROIPooling";
  def.family = Family::other;
  def.doc =
      "Position-sensitive pooling of regions whose bins are moved by trans (Dai and others, 2017): "
      "each bin is the mean of sample_per_part ** 2 points of a channel of its own. Gives "
      "(regions, output_dim, pooled_size, pooled_size). MXNet's contrib.DeformablePSROIPooling.";
  def.inputs = {{"data", "(batch, output_dim * group_size ** 2, height, width)"},
                {"rois", "rows (image, left, top, right, bottom) in pixels", false},
                {"trans",
                 "moves of the bins, in parts of the region: (regions, 2 * classes, "
                 "part_size, part_size)",
                 true, "no_trans"}};
  def.attrs = {
      {"spatial_scale", AttrType::real, nullptr, "of rois' pixels to data's"},
      {"output_dim", AttrType::integer, nullptr, "channels of the result"},
      {"group_size", AttrType::integer, nullptr, "a channel is read by so many bins a side"},
      {"pooled_size", AttrType::integer, nullptr, "bins along each side"},
      {"part_size", AttrType::integer, "0", "moves along each side; 0: one a bin"},
      {"sample_per_part", AttrType::integer, "1", "points of a bin along each side"},
      {"trans_std", AttrType::real, "0.0", "factor of trans"},
      {"no_trans", AttrType::boolean, "False", "without trans"}};
  def.infer = infer_pool;
  def.cpu = run_pool;
  def.gradient = grad_pool;
  OpDef grad = def;
  StatesDef shown;
  shown.num_visible = [](const Attrs&) { return 1; };
  shown.mx_outputs = 2;
  add_states(add_op(std::move(def)), std::move(shown));

  grad.name = "deformable_psroi_grad";
  grad.doc = "The gradients of DeformablePSROIPooling by data and trans.";
  grad.inputs.insert(grad.inputs.begin(), {"grad", "gradient of the result"});
  grad.num_outputs_fn = [](const Attrs& attrs) { return attrs.boolean("no_trans") ? 1 : 2; };
  grad.infer = infer_spread;
  grad.cpu = run_spread;
  grad.gradient = differentiable_once;
  add_op(std::move(grad));
}

}  // namespace hybrid
