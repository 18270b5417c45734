// ROIAlign: regions of interest as averages of interpolated points (He et al. 2017).
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

struct Sizes {
  int64_t height, width;  // of the result
  bool position_sensitive, aligned;
  int64_t channels_of(int64_t channels) const {
    return position_sensitive && channels >= 0 ? channels / (height * width) : channels;
  }
};

Sizes sizes_of(const Attrs& attrs) {
  const char* op = attrs.op()->name;
  const std::vector<int64_t>& size = attrs.ints("pooled_size");
  require(size.size() == 2 && size[0] > 0 && size[1] > 0 && size[0] < 100000 && size[1] < 100000,
          op, ": given pooled_size ", attrs.text("pooled_size"),
          ", expected (height, width), both above 0");
  return {size[0], size[1], attrs.boolean("position_sensitive"), attrs.boolean("aligned")};
}

void infer_align(InferContext& c) {
  const Sizes s = sizes_of(c.attrs);
  expect_rank(c, 0, 4, "n, c, h, w");
  expect_shape(c, 1, {-1, 5});
  set_dtype(c, 0, unify_dtypes(c, {0, 1}));
  const int64_t channels = c.in_shapes[0].rank_known() ? c.in_shapes[0][1] : -1;
  require(!s.position_sensitive || channels < 0 || channels % (s.height * s.width) == 0, c.op_name,
          ": given ", channels, " channels, expected a multiple of ", s.height * s.width,
          " with position_sensitive");
  set_shape(c, 0, {c.in_shapes[1][0], s.channels_of(channels), s.height, s.width});
}

// Calls body(channel of the map, place among a region's results, point, its part of the average).
template <class T, class Body>
void for_each_point(const Attrs& attrs, const T* roi, const Shape& data, Body body) {
  const Sizes s = sizes_of(attrs);
  const T scale = static_cast<T>(attrs.real("spatial_scale")), shift = s.aligned ? T(0.5) : T(0);
  const int64_t ratio = attrs.integer("sample_ratio");
  const T x = roi[1] * scale - shift, y = roi[2] * scale - shift;
  T width = roi[3] * scale - shift - x, height = roi[4] * scale - shift - y;
  if (!s.aligned) {
    width = std::max(width, T(1));
    height = std::max(height, T(1));
  }
  const T bin_h = height / static_cast<T>(s.height), bin_w = width / static_cast<T>(s.width);
  const auto points = [&](T bin) {
    const double count =
        ratio > 0 ? static_cast<double>(ratio) : std::ceil(static_cast<double>(bin));
    require(count < 1e5, "ROIAlign: given a region of ", count, " points a bin");
    return std::max<int64_t>(0, static_cast<int64_t>(count));
  };
  const int64_t grid_h = points(bin_h), grid_w = points(bin_w);
  const T part = T(1) / static_cast<T>(std::max<int64_t>(grid_h * grid_w, 1));
  const int64_t channels = s.channels_of(data[1]);
  for (int64_t ph = 0; ph < s.height; ++ph) {
    for (int64_t pw = 0; pw < s.width; ++pw) {
      for (int64_t i = 0; i < grid_h * grid_w; ++i) {
        const T gy = (static_cast<T>(i / grid_w) + T(0.5)) * bin_h / static_cast<T>(grid_h);
        const T gx = (static_cast<T>(i % grid_w) + T(0.5)) * bin_w / static_cast<T>(grid_w);
        BilinearPoint<T> p;
        if (!p.place(y + static_cast<T>(ph) * bin_h + gy, x + static_cast<T>(pw) * bin_w + gx,
                     data[2], data[3])) {
          continue;
        }
        for (int64_t k = 0; k < channels; ++k) {
          const int64_t from = s.position_sensitive ? (k * s.height + ph) * s.width + pw : k;
          body(from, (k * s.height + ph) * s.width + pw, p, part);
        }
      }
    }
  }
}

// The image of a region: -1 for those that are left out.
template <class T>
int64_t image_of(const T* roi, int64_t images) {
  if (roi[0] <= -1) return -1;  // read toward 0
  require(roi[0] < static_cast<T>(images), "ROIAlign: given batch index ", roi[0],
          ", expected below ", images);
  return static_cast<int64_t>(roi[0]);
}

void clear(const TensorView& out) {
  std::memset(out.data, 0, static_cast<size_t>(out.size()) * dtype_size(out.dtype));
}

void run_align(KernelContext& c) {
  const Shape& data = c.in[0].shape;
  clear(c.out[0]);
  if (data[2] * data[3] == 0 || c.out[0].size() == 0) return;
  const int64_t area = data[2] * data[3], results = c.out[0].size() / c.in[1].shape[0];
  for_float(c.in[0].dtype, "ROIAlign", [&](auto zero) {
    using T = decltype(zero);
    c.resources.parallel(c.in[1].shape[0], 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* const roi = c.in[1].as<T>() + 5 * r;
        const int64_t image = image_of(roi, data[0]);
        if (image < 0) continue;
        for_each_point(c.attrs, roi, data,
                       [&](int64_t channel, int64_t to, const BilinearPoint<T>& p, T part) {
                         const T* const map = c.in[0].as<T>() + (image * data[1] + channel) * area;
                         T value = 0;
                         for (int j = 0; j < 4; ++j) value += p.weight[j] * map[p.at[j]];
                         c.out[0].as<T>()[r * results + to] += value * part;
                       });
      }
    });
  });
}

void grad_align(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Attrs attrs(get_op("roi_align_grad"));
  for (const AttrDef& def : b.attrs().op()->attrs) attrs.set(def.name, b.attrs().at(def.name));
  attrs.set("shape", known_shape(b, b.input(0)).to_vector());
  b.set(0, b.op("roi_align_grad", {b.out_grad(), b.input(1)}, attrs));
}

void infer_align_grad(InferContext& c) {
  sizes_of(c.attrs);
  set_dtype(c, 0, unify_dtypes(c, {0, 1}));
  set_shape(c, 0, checked_shape(c.attrs.ints("shape"), c.op_name));
}

void run_align_grad(KernelContext& c) {
  const Shape& data = c.out[0].shape;
  clear(c.out[0]);
  if (data.size() == 0 || c.in[0].size() == 0) return;
  const int64_t area = data[2] * data[3], results = c.in[0].size() / c.in[1].shape[0];
  for_float(c.in[0].dtype, "ROIAlign", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < c.in[1].shape[0]; ++r) {
      const T* const roi = c.in[1].as<T>() + 5 * r;
      const int64_t image = image_of(roi, data[0]);
      if (image < 0) continue;
      for_each_point(c.attrs, roi, data,
                     [&](int64_t channel, int64_t from, const BilinearPoint<T>& p, T part) {
                       T* const map = c.out[0].as<T>() + (image * data[1] + channel) * area;
                       const T flow = c.in[0].as<T>()[r * results + from] * part;
                       for (int j = 0; j < 4; ++j) map[p.at[j]] += p.weight[j] * flow;
                     });
    }
  });
}

void grad_align_grad(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Attrs attrs(get_op("ROIAlign"));
  for (const AttrDef& def : attrs.op()->attrs) attrs.set(def.name, b.attrs().at(def.name));
  b.set(0, b.op("ROIAlign", {b.out_grad(), b.input(1)}, attrs));
}

}  // namespace

void register_roi_align() {
  OpDef def;
  def.name = "ROIAlign";
  def.family = Family::conv;
  def.doc =
      "Every region of interest as pooled_size bins, each the average of points between the places "
      "of the feature map (He et al. 2017). data (n, c, h, w) and rois (r, 5) give (r, c, "
      "*pooled_size); regions with a batch index below 0 give 0. MXNet's contrib.ROIAlign.";
  def.inputs = {{"data", "(n, c, h, w)"},
                {"rois", "(r, 5): batch index, x1, y1, x2, y2 in the image's pixels", false}};
  def.attrs = {{"pooled_size", AttrType::ints, nullptr, "(height, width) of the result"},
               {"spatial_scale", AttrType::real, nullptr, "size of the map by that of the image"},
               {"sample_ratio", AttrType::integer, "-1",
                "points of a bin along each axis; -1: one a place of the map"},
               {"position_sensitive", AttrType::boolean, "False",
                "every bin has channels of its own (R-FCN)"},
               {"aligned", AttrType::boolean, "False", "pixels are centred at halves"}};
  def.infer = infer_align;
  def.cpu = run_align;
  def.gradient = grad_align;
  OpDef grad = def;
  add_op(std::move(def));

  grad.name = "roi_align_grad";
  grad.doc = "The gradient of ROIAlign by data of a shape.";
  grad.inputs[0] = {"grad", "gradient of the result"};
  grad.attrs.push_back({"shape", AttrType::ints, nullptr, "of the data"});
  grad.infer = infer_align_grad;
  grad.cpu = run_align_grad;
  grad.gradient = grad_align_grad;
  add_op(std::move(grad));
}

}  // namespace hybrid
