// ROIPooling: the maximum of every bin of regions of interest.
#include <algorithm>
#include <cmath>

#include "kernels/by_dtype.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/states.h"

namespace hybrid {

namespace {

constexpr int64_t kNowhere = -1;  // an empty bin has no greatest element

void infer_roi(InferContext& c) {
  const std::vector<int64_t>& size = c.attrs.ints("pooled_size");
  require(size.size() == 2 && size[0] > 0 && size[1] > 0, c.op_name, ": given pooled_size ",
          c.attrs.text("pooled_size"), ", expected (height, width), both above 0");
  expect_rank(c, 0, 4, "n, c, h, w");
  expect_shape(c, 1, {-1, 5});
  const DType dtype = unify_dtypes(c, {0, 1});
  set_dtype(c, 0, dtype);
  set_dtype(c, 1, DType::int64);
  const Shape &data = c.in_shapes[0], &rois = c.in_shapes[1];
  const Shape out{rois[0], data.rank_known() ? data[1] : -1, size[0], size[1]};
  set_shape(c, 0, out);
  set_shape(c, 1, out);
}

// Rounded to whole places of the feature map; beyond what an int64 holds it is cut off.
template <class T>
int64_t place(T coordinate, T scale) {
  const double x = std::round(static_cast<double>(coordinate * scale));
  return static_cast<int64_t>(std::clamp(std::isnan(x) ? 0.0 : x, -1e9, 1e9));
}

struct Span {
  int64_t begin, end;
};

// Bins of one axis: `count` of them over first..last, both included, cut off at the map's border.
template <class T>
std::vector<Span> bins_of(int64_t first, int64_t last, int64_t count, int64_t size) {
  const int64_t length = std::max<int64_t>(last - first + 1, 1);
  const T width = static_cast<T>(length) / static_cast<T>(count);
  std::vector<Span> bins;
  for (int64_t k = 0; k < count; ++k) {
    const auto begin = static_cast<int64_t>(std::floor(static_cast<T>(k) * width));
    const auto end = static_cast<int64_t>(std::ceil(static_cast<T>(k + 1) * width));
    bins.push_back(
        {std::clamp<int64_t>(begin + first, 0, size), std::clamp<int64_t>(end + first, 0, size)});
  }
  return bins;
}

template <class T>
void pool(const T* map, const std::vector<Span>& rows, const std::vector<Span>& columns,
          int64_t width, int64_t offset, T* out, int64_t* index) {
  for (const Span& row : rows) {
    for (const Span& column : columns) {
      T most = 0;
      int64_t at = kNowhere;
      for (int64_t y = row.begin; y < row.end; ++y) {
        for (int64_t x = column.begin; x < column.end; ++x) {
          const T value = map[y * width + x];
          if (at == kNowhere || value > most) {
            most = value;
            at = offset + y * width + x;
          }
        }
      }
      *out++ = most;
      *index++ = at;
    }
  }
}

void run_roi(KernelContext& c) {
  const Shape& data = c.in[0].shape;
  const std::vector<int64_t>& size = c.attrs.ints("pooled_size");
  const int64_t bins = size[0] * size[1], area = data[2] * data[3];
  for_float(c.in[0].dtype, "ROIPooling", [&](auto zero) {
    using T = decltype(zero);
    const T scale = static_cast<T>(c.attrs.real("spatial_scale"));
    const auto one = [&](int64_t r) {
      const T* const roi = c.in[1].as<T>() + 5 * r;
      require(roi[0] > -1 && roi[0] < static_cast<T>(data[0]), "ROIPooling: given batch index ",
              roi[0], ", expected 0 to ", data[0] - 1);  // read toward 0
      const auto image = static_cast<int64_t>(roi[0]);
      const auto rows = bins_of<T>(place(roi[2], scale), place(roi[4], scale), size[0], data[2]);
      const auto columns = bins_of<T>(place(roi[1], scale), place(roi[3], scale), size[1], data[3]);
      for (int64_t k = 0; k < data[1]; ++k) {
        const int64_t offset = (image * data[1] + k) * area, to = (r * data[1] + k) * bins;
        pool(c.in[0].as<T>() + offset, rows, columns, data[3], offset, c.out[0].as<T>() + to,
             c.out[1].as<int64_t>() + to);
      }
    };
    c.resources.parallel(c.in[1].shape[0], 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) one(r);
    });
  });
}

// Every bin's gradient goes to its greatest element; an empty bin has none.
void grad_roi(GradBuilder& b) {
  if (!b.wanted(0) || !b.has_out_grad(0)) return;
  const Shape data = known_shape(b, b.input(0)), out = known_shape(b, b.output(0));
  if (data.size() == 0) return b.set(0, b.zeros_as(b.input(0)));
  const Entry index = b.output(1);
  const auto dtype = static_cast<int64_t>(known_dtype(b, b.input(0)));
  const Entry full = b.op("greater_equal_scalar", {index}, {{"scalar", 0}, {"dtype", dtype}});
  const Entry place = b.op("maximum_scalar", {index}, {{"scalar", 0}});
  const Expr flow = Expr(b, b.out_grad()) * Expr(b, full);
  const Entry added =
      b.op("scatter_nd",
           {reshape_to(b, flow.entry(), {out.size()}), reshape_to(b, place, {1, out.size()})},
           {{"shape", std::vector<int64_t>{data.size()}}, {"accumulate", true}});
  b.set(0, reshape_to(b, added, data));
}

}  // namespace

void register_roi_pooling() {
  OpDef def;
  def.name = "ROIPooling";
  def.family = Family::conv;
  def.doc =
      "Every region of interest as pooled_size bins, each the maximum of its part of the feature "
      "map (Girshick 2015); 0 where that is empty. data (n, c, h, w) and rois (r, 5) give (r, c, "
      "*pooled_size). MXNet's ROIPooling.";
  def.inputs = {{"data", "(n, c, h, w)"},
                {"rois", "(r, 5): batch index, x1, y1, x2, y2 in the image's pixels", false}};
  def.attrs = {{"pooled_size", AttrType::ints, nullptr, "(height, width) of the result"},
               {"spatial_scale", AttrType::real, nullptr, "size of the map by that of the image"}};
  def.num_outputs = 2;
  def.infer = infer_roi;
  def.cpu = run_roi;
  def.gradient = grad_roi;
  StatesDef shown;
  shown.num_visible = [](const Attrs&) { return 1; };
  shown.output_names = {"output", "index"};
  shown.mx_outputs = 2;
  add_states(add_op(std::move(def)), std::move(shown));
}

}  // namespace hybrid
