// PSROIPooling and RROIAlign: regions of interest whose bins are weighted sums of a feature map.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/by_dtype.h"
#include "ops/bilinear_point.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

constexpr double kMostPoints = 1e5;  // along an axis of a bin

double bounded(double x) { return std::isnan(x) ? 0.0 : std::clamp(x, -1e9, 1e9); }

// Position-sensitive pooling (Dai et al. 2016): every bin is the mean of a channel of its own.
struct Psroi {
  static constexpr int64_t kColumns = 5;
  static int64_t pooled(const Attrs& attrs) { return attrs.integer("pooled_size"); }
  static int64_t groups(const Attrs& attrs) {
    const int64_t group = attrs.integer("group_size");
    return group == 0 ? pooled(attrs) : group;
  }

  static Shape result(const Attrs& attrs, int64_t regions, int64_t channels, const char* op) {
    const int64_t size = pooled(attrs), group = groups(attrs), dim = attrs.integer("output_dim");
    for (int64_t n : {size, group, dim}) {
      require(n > 0 && n < (int64_t{1} << 20), op, ": given pooled_size ", size, ", group_size ",
              attrs.integer("group_size"), " and output_dim ", dim,
              ", expected pooled_size and output_dim above 0");
    }
    require(channels < 0 || channels == dim * group * group, op, ": given ", channels,
            " channels, expected output_dim * group_size ** 2 = ", dim * group * group);
    return {regions, dim, size, size};
  }

  struct Span {
    int64_t begin, end;
  };
  template <class T>
  static Span span(T first, T bin, int64_t k, int64_t size) {
    const double begin = std::floor(static_cast<double>(static_cast<T>(k) * bin + first));
    const double end = std::ceil(static_cast<double>(static_cast<T>(k + 1) * bin + first));
    return {std::clamp<int64_t>(static_cast<int64_t>(bounded(begin)), 0, size),
            std::clamp<int64_t>(static_cast<int64_t>(bounded(end)), 0, size)};
  }

  // Calls body(channel, place among the region's results, place in the channel, weight).
  template <class T, class Body>
  static void each(const Attrs& attrs, const T* roi, const Shape& data, Body body) {
    const T scale = static_cast<T>(attrs.real("spatial_scale"));
    const int64_t size = pooled(attrs), group = groups(attrs);
    const T x = std::round(roi[1]) * scale, y = std::round(roi[2]) * scale;
    const T width = std::max((std::round(roi[3]) + 1) * scale - x, T(0.1));
    const T height = std::max((std::round(roi[4]) + 1) * scale - y, T(0.1));
    const T bin_h = height / static_cast<T>(size), bin_w = width / static_cast<T>(size);
    for (int64_t i = 0; i < size * size; ++i) {
      const int64_t ph = i / size, pw = i % size;
      const Span rows = span(y, bin_h, ph, data[2]), columns = span(x, bin_w, pw, data[3]);
      const int64_t area = (rows.end - rows.begin) * (columns.end - columns.begin);
      if (rows.end <= rows.begin || columns.end <= columns.begin) continue;
      const int64_t gh = ph * group / size, gw = pw * group / size;
      for (int64_t k = 0; k < attrs.integer("output_dim"); ++k) {
        for (int64_t row = rows.begin; row < rows.end; ++row) {
          for (int64_t column = columns.begin; column < columns.end; ++column) {
            body((k * group + gh) * group + gw, k * size * size + i, row * data[3] + column,
                 T(1) / static_cast<T>(area));
          }
        }
      }
    }
  }
};

// Rotated regions: centre, size and degrees (Ma et al. 2018).
struct Rotated {
  static constexpr int64_t kColumns = 6;

  static Shape result(const Attrs& attrs, int64_t regions, int64_t channels, const char* op) {
    const std::vector<int64_t>& size = attrs.ints("pooled_size");
    require(size.size() == 2 && size[0] > 0 && size[1] > 0, op, ": given pooled_size ",
            attrs.text("pooled_size"), ", expected (height, width), both above 0");
    return {regions, channels, size[0], size[1]};
  }

  template <class T, class Body>
  static void each(const Attrs& attrs, const T* roi, const Shape& data, Body body) {
    constexpr double kRadians = 3.14159265358979323846 / 180;
    const T scale = static_cast<T>(attrs.real("spatial_scale"));
    const int64_t rows = attrs.ints("pooled_size")[0], columns = attrs.ints("pooled_size")[1];
    const T x = roi[1] * scale, y = roi[2] * scale;
    const T width = std::max(roi[3] * scale, T(1)), height = std::max(roi[4] * scale, T(1));
    const T angle = static_cast<T>(static_cast<double>(roi[5]) * kRadians);
    const T cos = std::cos(angle), sin = std::sin(angle);
    const T bin_h = height / static_cast<T>(rows), bin_w = width / static_cast<T>(columns);
    const int64_t grid_h = points(attrs, bin_h), grid_w = points(attrs, bin_w);
    const T part = T(1) / static_cast<T>(std::max<int64_t>(grid_h * grid_w, 1));
    for (int64_t i = 0; i < rows * columns; ++i) {
      for (int64_t j = 0; j < grid_h * grid_w; ++j) {
        const T v = along(i / columns, j / grid_w, grid_h, bin_h) - height / 2;
        const T u = along(i % columns, j % grid_w, grid_w, bin_w) - width / 2;
        BilinearPoint<T> p;
        if (!p.place(v * cos - u * sin + y, u * cos + v * sin + x, data[2], data[3])) continue;
        for (int64_t k = 0; k < data[1]; ++k) {
          for (int n = 0; n < 4; ++n) body(k, k * rows * columns + i, p.at[n], p.weight[n] * part);
        }
      }
    }
  }

 private:
  template <class T>
  static T along(int64_t bin, int64_t point, int64_t points, T size) {
    return (static_cast<T>(bin) + (static_cast<T>(point) + T(0.5)) / static_cast<T>(points)) * size;
  }
  template <class T>
  static int64_t points(const Attrs& attrs, T bin) {
    const int64_t ratio = attrs.integer("sampling_ratio");
    const double count =
        ratio > 0 ? static_cast<double>(ratio) : std::ceil(static_cast<double>(bin));
    require(count < kMostPoints, "RROIAlign: given a region of ", count, " points a bin");
    return std::max<int64_t>(0, static_cast<int64_t>(count));
  }
};

void clear(const TensorView& out) {
  std::memset(out.data, 0, static_cast<size_t>(out.size()) * dtype_size(out.dtype));
}

template <class Kind>
void infer_sums(InferContext& c) {
  expect_rank(c, 0, 4, "n, c, h, w");
  expect_shape(c, 1, {-1, Kind::kColumns});
  set_dtype(c, 0, unify_dtypes(c, {0, 1}));
  const int64_t channels = c.in_shapes[0].rank_known() ? c.in_shapes[0][1] : -1;
  set_shape(c, 0, Kind::result(c.attrs, c.in_shapes[1][0], channels, c.op_name));
}

// Calls body(region, offset of its image's first channel) for every region.
template <class T, class Body>
void for_each_region(const char* op, const TensorView& rois, const Shape& data, int64_t begin,
                     int64_t end, Body body) {
  for (int64_t r = begin; r < end; ++r) {
    const T image = rois.as<T>()[r * rois.shape[1]];
    require(image > -1 && image < static_cast<T>(data[0]), op, ": given batch index ", image,
            ", expected 0 to ", data[0] - 1);
    body(r, static_cast<int64_t>(image) * data[1] * data[2] * data[3]);
  }
}

template <class Kind>
void run_sums(KernelContext& c) {
  const Shape& data = c.in[0].shape;
  const int64_t area = data[2] * data[3];
  clear(c.out[0]);
  if (c.out[0].size() == 0 || area == 0) return;
  const int64_t results = c.out[0].size() / c.in[1].shape[0];
  for_float(c.in[0].dtype, c.attrs.op()->name, [&](auto zero) {
    using T = decltype(zero);
    c.resources.parallel(c.in[1].shape[0], 1, [&](int64_t begin, int64_t end) {
      for_each_region<T>(c.attrs.op()->name, c.in[1], data, begin, end, [&](int64_t r, int64_t at) {
        Kind::template each<T>(c.attrs, c.in[1].as<T>() + r * Kind::kColumns, data,
                               [&](int64_t channel, int64_t to, int64_t place, T weight) {
                                 c.out[0].as<T>()[r * results + to] +=
                                     weight * c.in[0].as<T>()[at + channel * area + place];
                               });
      });
    });
  });
}

template <class Kind>
void run_sums_grad(KernelContext& c) {
  const Shape& data = c.out[0].shape;
  const int64_t area = data[2] * data[3];
  clear(c.out[0]);
  if (c.in[0].size() == 0 || data.size() == 0) return;
  const int64_t results = c.in[0].size() / c.in[1].shape[0];
  for_float(c.in[0].dtype, c.attrs.op()->name, [&](auto zero) {
    using T = decltype(zero);
    const auto one = [&](int64_t r, int64_t at) {
      Kind::template each<T>(c.attrs, c.in[1].as<T>() + r * Kind::kColumns, data,
                             [&](int64_t channel, int64_t from, int64_t place, T weight) {
                               c.out[0].as<T>()[at + channel * area + place] +=
                                   weight * c.in[0].as<T>()[r * results + from];
                             });
    };
    for_each_region<T>(c.attrs.op()->name, c.in[1], data, 0, c.in[1].shape[0], one);
  });
}

void infer_sums_grad(InferContext& c) {
  set_dtype(c, 0, unify_dtypes(c, {0, 1}));
  set_shape(c, 0, checked_shape(c.attrs.ints("shape"), c.op_name));
}

// Linear in data: backward and forward are each other's gradients.
Attrs attrs_for(const GradBuilder& b, const char* op) {
  Attrs attrs(get_op(op));
  for (const AttrDef& def : attrs.op()->attrs) {
    if (b.attrs().op()->attr_index(def.name) >= 0) attrs.set(def.name, b.attrs().at(def.name));
  }
  return attrs;
}

template <const char* const* op>
void grad_sums(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Attrs attrs = attrs_for(b, op[1]);
  attrs.set("shape", known_shape(b, b.input(0)).to_vector());
  b.set(0, b.op(op[1], {b.out_grad(), b.input(1)}, attrs));
}

template <const char* const* op>
void grad_sums_grad(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op(op[0], {b.out_grad(), b.input(1)}, attrs_for(b, op[0])));
}

constexpr const char* kPsroi[] = {"PSROIPooling", "psroi_pooling_grad"};
constexpr const char* kRotated[] = {"RROIAlign", "rroi_align_grad"};

template <class Kind, const char* const* op>
void add_both(const char* doc, const char* rois, std::vector<AttrDef> attrs) {
  OpDef def;
  def.name = op[0];
  def.family = Family::conv;
  def.doc = doc;
  def.inputs = {{"data", "(n, c, h, w)"}, {"rois", rois, false}};
  def.attrs = std::move(attrs);
  def.infer = infer_sums<Kind>;
  def.cpu = run_sums<Kind>;
  def.gradient = grad_sums<op>;
  OpDef grad = def;
  add_op(std::move(def));

  grad.name = op[1];
  grad.doc = "The gradient of these bins by data of a shape.";
  grad.inputs[0] = {"grad", "gradient of the result"};
  grad.attrs.push_back({"shape", AttrType::ints, nullptr, "of the data"});
  grad.infer = infer_sums_grad;
  grad.cpu = run_sums_grad<Kind>;
  grad.gradient = grad_sums_grad<op>;
  add_op(std::move(grad));
}

}  // namespace

void register_roi_sums() {
  const AttrDef scale{"spatial_scale", AttrType::real, nullptr,
                      "size of the map by that of the image"};
  add_both<Psroi, kPsroi>(
      "Position-sensitive pooling (Dai et al. 2016): every bin of a region is the mean of its part "
      "of a channel of its own: (r, output_dim, pooled_size, pooled_size). MXNet's "
      "contrib.PSROIPooling.",
      "(r, 5): batch index, x1, y1, x2, y2 in the image's pixels",
      {scale,
       {"output_dim", AttrType::integer, nullptr, "channels of the result"},
       {"pooled_size", AttrType::integer, nullptr, "bins along each axis"},
       {"group_size", AttrType::integer, "0", "groups of channels along each axis; 0: as bins"}});
  add_both<Rotated, kRotated>(
      "Rotated regions as bins, each the mean of points between the places of the feature map (Ma "
      "et al. 2018): (r, c, *pooled_size). MXNet's contrib.RROIAlign.",
      "(r, 6): batch index, x, y of the centre, width, height, degrees",
      {{"pooled_size", AttrType::ints, nullptr, "(height, width) of the result"},
       scale,
       {"sampling_ratio", AttrType::integer, "-1",
        "points of a bin along each axis; -1: one a place of the map"}});
}

}  // namespace hybrid
