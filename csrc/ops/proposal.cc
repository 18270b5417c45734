// Proposal: regions of interest from a region proposal network (Ren and others, 2015).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/by_dtype.h"
#include "ops/boxes.h"
#include "ops/families.h"
#include "ops/grad_builder.h"
#include "ops/infer.h"
#include "ops/proposal.h"
#include "ops/states.h"

namespace hybrid {

namespace {

// As in the paper's code: boxes hold both their edges, so a box from 0 to 15 is 16 wide.
template <class T>
struct Region {
  T left, top, right, bottom, score;
  T width() const { return right - left + 1; }
  T height() const { return bottom - top + 1; }
};

// Windows of every ratio at every scale, about the first cell.
std::vector<Region<double>> anchors_of(const Attrs& attrs) {
  std::vector<Region<double>> anchors;
  const auto side = static_cast<double>(attrs.integer("feature_stride"));
  const double middle = 0.5 * (side - 1);
  for (const double ratio : attrs.reals("ratios")) {
    for (const double scale : attrs.reals("scales")) {
      const double across = std::floor(std::sqrt(std::floor(side * side / ratio)) + 0.5);
      const double width = across * scale, height = std::floor(across * ratio + 0.5) * scale;
      anchors.push_back({middle - 0.5 * (width - 1), middle - 0.5 * (height - 1),
                         middle + 0.5 * (width - 1), middle + 0.5 * (height - 1), 0});
    }
  }
  return anchors;
}

struct Sizes {
  int64_t anchors, height, width, stride;
};

// The anchor at a cell, moved by the deltas and cut to the image.
template <class T>
Region<T> moved(const Region<double>& anchor, const T* delta, int64_t plane, bool as_corners,
                T right, T bottom) {
  const auto at = [&](int i) { return delta[i * plane]; };
  const auto left = static_cast<T>(anchor.left), top = static_cast<T>(anchor.top);
  const auto width = static_cast<T>(anchor.width()), height = static_cast<T>(anchor.height());
  Region<T> r{};
  if (as_corners) {
    r = {left + at(0), top + at(1), static_cast<T>(anchor.right) + at(2),
         static_cast<T>(anchor.bottom) + at(3), 0};
  } else {
    const T x = at(0) * width + left + T(0.5) * (width - 1);
    const T y = at(1) * height + top + T(0.5) * (height - 1);
    const T half_width = T(0.5) * (std::exp(at(2)) * width - 1);
    const T half_height = T(0.5) * (std::exp(at(3)) * height - 1);
    r = {x - half_width, y - half_height, x + half_width, y + half_height, 0};
  }
  const auto cut = [](T v, T most) { return std::max(std::min(v, most), T(0)); };
  return {cut(r.left, right), cut(r.top, bottom), cut(r.right, right), cut(r.bottom, bottom), 0};
}

template <class T>
std::vector<Region<T>> regions_of(const Attrs& attrs, const Sizes& s, const T* scores,
                                  const T* deltas, const T* image) {
  const std::vector<Region<double>> anchors = anchors_of(attrs);
  const int64_t plane = s.height * s.width;
  const bool as_corners = attrs.boolean("iou_loss");
  const T least = static_cast<T>(attrs.integer("rpn_min_size")) * image[2];
  // Cells beyond the image, where a batch is padded, do not count.
  const auto rows = static_cast<int64_t>(image[0] / static_cast<T>(s.stride));
  const auto columns = static_cast<int64_t>(image[1] / static_cast<T>(s.stride));
  std::vector<Region<T>> regions;
  for (int64_t y = 0; y < s.height; ++y) {
    for (int64_t x = 0; x < s.width; ++x) {
      for (int64_t k = 0; k < s.anchors; ++k) {
        Region<double> a = anchors[static_cast<size_t>(k)];
        const auto dx = static_cast<double>(x * s.stride), dy = static_cast<double>(y * s.stride);
        a = {a.left + dx, a.top + dy, a.right + dx, a.bottom + dy, 0};
        const int64_t cell = y * s.width + x;
        Region<T> r =
            moved(a, deltas + 4 * k * plane + cell, plane, as_corners, image[1] - 1, image[0] - 1);
        r.score = scores[(s.anchors + k) * plane + cell];
        if (y >= rows || x >= columns) r.score = -1;
        if (r.width() < least || r.height() < least) {
          r = {r.left - least / 2, r.top - least / 2, r.right + least / 2, r.bottom + least / 2,
               T(-1)};
        }
        regions.push_back(r);
      }
    }
  }
  return regions;
}

// Places of the best regions that overlap no better one by more than the threshold.
template <class T>
std::vector<size_t> kept(const Attrs& attrs, const std::vector<Region<T>>& regions, size_t most) {
  const T threshold = static_cast<T>(attrs.real("threshold"));
  std::vector<size_t> order(regions.size()), result;
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return regions[a].score > regions[b].score; });
  const int64_t before = attrs.integer("rpn_pre_nms_top_n");
  if (before > 0 && static_cast<size_t>(before) < order.size()) {
    order.resize(static_cast<size_t>(before));
  }
  std::vector<bool> gone(order.size(), false);
  for (size_t i = 0; i < order.size() && result.size() < most; ++i) {
    if (gone[i]) continue;
    const Region<T>& a = regions[order[i]];
    result.push_back(order[i]);
    for (size_t j = i + 1; j < order.size(); ++j) {
      const Region<T>& b = regions[order[j]];
      const T width = std::min(a.right, b.right) - std::max(a.left, b.left) + 1;
      const T height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top) + 1;
      const T common = std::max(T(0), width) * std::max(T(0), height);
      const T all = a.width() * a.height() + b.width() * b.height() - common;
      if (common / all > threshold) gone[j] = true;
    }
  }
  return result;
}

template <class T>
void propose(KernelContext& c) {
  const Shape& shape = c.in[0].shape;
  const Sizes s{shape[1] / 2, shape[2], shape[3], c.attrs.integer("feature_stride")};
  const int64_t rows = c.attrs.integer("rpn_post_nms_top_n");
  for (int64_t n = 0; n < shape[0]; ++n) {
    const int64_t plane = s.anchors * s.height * s.width;
    const std::vector<Region<T>> regions =
        regions_of(c.attrs, s, c.in[0].as<T>() + 2 * n * plane, c.in[1].as<T>() + 4 * n * plane,
                   c.in[2].as<T>() + 3 * n);
    const std::vector<size_t> best = kept(c.attrs, regions, static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; ++i) {
      // Fewer are repeated.
      const Region<T> r =
          best.empty() ? Region<T>{} : regions[best[static_cast<size_t>(i) % best.size()]];
      const T row[] = {static_cast<T>(n), r.left, r.top, r.right, r.bottom};
      std::copy(row, row + 5, c.out[0].as<T>() + (n * rows + i) * 5);
      if (c.num_out > 1) c.out[1].as<T>()[n * rows + i] = r.score;
    }
  }
}

void run_proposal(KernelContext& c) {
  for_float(c.in[0].dtype, "Proposal", [&](auto zero) { propose<decltype(zero)>(c); });
}

void infer_proposal(InferContext& c) {
  one_dtype(c);
  const auto windows =
      static_cast<int64_t>(c.attrs.reals("ratios").size() * c.attrs.reals("scales").size());
  const int64_t rows = c.attrs.integer("rpn_post_nms_top_n");
  for (const char* list : {"ratios", "scales"}) {
    for (const double x : c.attrs.reals(list)) {
      require(x > 0 && std::isfinite(x), c.op_name, ": given ", list, " with ", x,
              ", expected numbers above 0");
    }
  }
  require(
      windows > 0 && rows > 0 && rows < (int64_t{1} << 31) && c.attrs.integer("feature_stride") > 0,
      c.op_name, ": given ", windows, " windows, rpn_post_nms_top_n ", rows, " and feature_stride ",
      c.attrs.integer("feature_stride"), ", expected 1 or more");
  const Shape& scores = c.in_shapes[0];
  if (!scores.rank_known()) return;
  expect_rank(c, 0, 4, "batch, 2 * windows, height, width");
  const int64_t images = scores[0];
  require(images < 0 || images == 1 || std::strcmp(c.op_name, "Proposal") != 0, c.op_name,
          ": given ", images, " images, expected one: MultiProposal takes several");
  expect_shape(c, 0, Shape({images, 2 * windows, scores[2], scores[3]}));
  expect_shape(c, 1, Shape({images, 4 * windows, scores[2], scores[3]}));
  expect_shape(c, 2, Shape({images, 3}));
  set_shape(c, 0, Shape({images < 0 ? -1 : images * rows, 5}));
  if (c.out_shapes.size() > 1) set_shape(c, 1, Shape({images < 0 ? -1 : images * rows, 1}));
}

void no_gradient(GradBuilder&) {}  // as in MXNet: the choice has none

OpDef proposal_def(const char* name, const char* doc) {
  OpDef op;
  op.name = name;
  op.doc = doc;
  op.inputs = {{"cls_prob", "scores (batch, 2 * windows, height, width), the second half counts"},
               {"bbox_pred", "moves of the windows (batch, 4 * windows, height, width)"},
               {"im_info", "height, width and scale of each image (batch, 3)"}};
  op.attrs = {
      {"rpn_pre_nms_top_n", AttrType::integer, "6000", "so many of the best scores; 0: all"},
      {"rpn_post_nms_top_n", AttrType::integer, "300", "regions of an image; fewer are repeated"},
      {"threshold", AttrType::real, "0.7", "most intersection over union with a better one"},
      {"rpn_min_size", AttrType::integer, "16", "least height and width, before the scale"},
      {"scales", AttrType::reals, "(4.0, 8.0, 16.0, 32.0)", "of the windows"},
      {"ratios", AttrType::reals, "(0.5, 1.0, 2.0)", "height by width of the windows"},
      {"feature_stride", AttrType::integer, "16", "pixels from cell to cell"},
      {"output_score", AttrType::boolean, "False", "also gives the scores (batch * regions, 1)"},
      {"iou_loss", AttrType::boolean, "False", "moves are of the corners"}};
  op.num_outputs_fn = [](const Attrs& attrs) { return attrs.boolean("output_score") ? 2 : 1; };
  op.infer = infer_proposal;
  op.cpu = run_proposal;
  op.gradient = no_gradient;
  return op;
}

}  // namespace

void register_proposal() {
  add_op(proposal_def("Proposal",
                      "Regions of interest of one image, the best first: (0, left, top, right, "
                      "bottom) in pixels, one row each, of windows about every cell moved by "
                      "bbox_pred and without those that overlap a better one (Ren and others, "
                      "2015). MXNet's contrib.Proposal; no gradient flows."));
  add_op(proposal_def("MultiProposal",
                      "Regions of interest of several images, each with rpn_post_nms_top_n rows "
                      "(image, left, top, right, bottom); see Proposal. MXNet's "
                      "contrib.MultiProposal; no gradient flows."));
}

}  // namespace hybrid
