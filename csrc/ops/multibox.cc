// MultiBoxPrior, MultiBoxTarget, MultiBoxDetection: boxes of single-shot detectors (Liu et al.
// 2016).
#include <cmath>
#include <cstring>

#include "kernels/by_dtype.h"
#include "ops/boxes.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/multibox_match.h"

namespace hybrid {

namespace {

const std::vector<double>& numbers(const Attrs& attrs, const char* name, size_t count) {
  const std::vector<double>& values = attrs.reals(name);
  require(values.size() == count, attrs.op()->name, ": given ", name, " ", attrs.text(name),
          ", expected ", count, " numbers");
  return values;
}

// --- MultiBoxPrior ------------------------------------------------------------------------------

int64_t boxes_a_place(const Attrs& attrs) {
  const auto sizes = static_cast<int64_t>(attrs.reals("sizes").size());
  const auto ratios = static_cast<int64_t>(attrs.reals("ratios").size());
  require(sizes > 0 && ratios > 0, "MultiBoxPrior: given sizes ", attrs.text("sizes"),
          " and ratios ", attrs.text("ratios"), ", expected at least one of each");
  for (double r : attrs.reals("ratios")) {
    require(r > 0, "MultiBoxPrior: given ratio ", r, ", expected above 0");
  }
  return sizes + ratios - 1;
}

void infer_prior(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  const int64_t each = boxes_a_place(c.attrs);
  numbers(c.attrs, "steps", 2);
  numbers(c.attrs, "offsets", 2);
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  require(data.ndim() >= 3, c.op_name, ": given data of shape ", data, ", expected (n, c, h, w)");
  const int64_t h = data[2], w = data.ndim() > 3 ? data[3] : 1;
  const Shape out{1, h < 0 || w < 0 ? -1 : h * w * each, 4};
  set_shape(c, 0, h < 0 || w < 0 ? out : checked_shape(out.to_vector(), c.op_name));
}

void run_prior(KernelContext& c) {
  const Shape& data = c.in[0].shape;
  const int64_t height = data[2], width = data.ndim() > 3 ? data[3] : 1;
  const std::vector<double>&sizes = c.attrs.reals("sizes"), &ratios = c.attrs.reals("ratios");
  const std::vector<double>&steps = c.attrs.reals("steps"), &offsets = c.attrs.reals("offsets");
  const bool clip = c.attrs.boolean("clip");
  for_float(c.out[0].dtype, "MultiBoxPrior", [&](auto zero) {
    using T = decltype(zero);
    const T step_y = steps[0] > 0 ? static_cast<T>(steps[0]) : T(1) / static_cast<T>(height);
    const T step_x = steps[1] > 0 ? static_cast<T>(steps[1]) : T(1) / static_cast<T>(width);
    const T shape = static_cast<T>(height) / static_cast<T>(width);
    T* to = c.out[0].as<T>();
    for (int64_t i = 0; i < height; ++i) {
      const T y = (static_cast<T>(i) + static_cast<T>(offsets[0])) * step_y;
      for (int64_t j = 0; j < width; ++j) {
        const T x = (static_cast<T>(j) + static_cast<T>(offsets[1])) * step_x;
        const auto put = [&](double size, double ratio) {
          const T root = std::sqrt(static_cast<T>(ratio));
          const T w = static_cast<T>(size) * shape * root / 2;
          const T h = static_cast<T>(size) / root / 2;
          for (T v : {x - w, y - h, x + w, y + h}) *to++ = clip ? std::clamp(v, T(0), T(1)) : v;
        };
        for (double size : sizes) put(size, ratios[0]);
        for (size_t k = 1; k < ratios.size(); ++k) put(sizes[0], ratios[k]);
      }
    }
  });
}

// --- MultiBoxTarget -----------------------------------------------------------------------------

void infer_target(InferContext& c) {
  const DType dtype = unify_dtypes(c, {0, 1, 2});
  for (size_t i : {0, 1, 2}) set_dtype(c, i, dtype);
  numbers(c.attrs, "variances", 4);
  expect_shape(c, 0, {1, -1, 4});
  expect_rank(c, 1, 3, "batch, boxes, class and four coordinates");
  expect_rank(c, 2, 3, "batch, classes, anchors");
  const int64_t anchors = c.in_shapes[0][1];
  if (!c.in_shapes[1].rank_known()) return;
  const Shape label = c.in_shapes[1];
  require(label[2] < 0 || label[2] >= 5, c.op_name, ": given label of shape ", label,
          ", expected (batch, boxes, 5 or more)");
  if (c.in_shapes[2].rank_known()) expect_shape(c, 2, {label[0], -1, anchors});
  const Shape coordinates{label[0], anchors < 0 ? -1 : 4 * anchors};
  set_shape(c, 0, coordinates);
  set_shape(c, 1, coordinates);
  set_shape(c, 2, {label[0], anchors});
}

MultiBoxRules rules_of(const Attrs& attrs) {
  MultiBoxRules rules;
  rules.overlap = attrs.real("overlap_threshold");
  rules.mining_ratio = attrs.real("negative_mining_ratio");
  rules.mining_overlap = attrs.real("negative_mining_thresh");
  rules.least_negative = attrs.integer("minimum_negative_samples");
  return rules;
}

template <class T>
void targets_of(const KernelContext& c, int64_t n) {
  const int64_t anchors = c.in[0].shape[1], width = c.in[1].shape[2];
  const T* const label = c.in[1].as<T>() + n * c.in[1].shape[1] * width;
  const T* const scores = c.in[2].as<T>() + n * c.in[2].shape[1] * anchors;
  const T* const boxes = c.in[0].as<T>();
  T* const offsets = c.out[0].as<T>() + n * 4 * anchors;
  T* const mask = c.out[1].as<T>() + n * 4 * anchors;
  T* const classes = c.out[2].as<T>() + n * anchors;
  std::fill(offsets, offsets + 4 * anchors, T(0));
  std::fill(mask, mask + 4 * anchors, T(0));
  std::fill(classes, classes + anchors, static_cast<T>(c.attrs.real("ignore_label")));
  int64_t count = 0;  // a class of -1 ends the boxes
  while (count < c.in[1].shape[1] && label[count * width] != T(-1)) ++count;
  if (count == 0) return;
  const std::vector<int64_t> matches = match_anchors(rules_of(c.attrs), boxes, anchors, label,
                                                     count, width, scores, c.in[2].shape[1]);
  const std::vector<double>& variances = c.attrs.reals("variances");
  for (int64_t i = 0; i < anchors; ++i) {
    const int64_t k = matches[static_cast<size_t>(i)];
    if (k == kNegative) classes[i] = 0;
    if (k < 0) continue;
    classes[i] = label[k * width] + 1;
    const auto a = Box<T>::corners(boxes + 4 * i), b = Box<T>::corners(label + k * width + 1);
    const T raw[] = {(b.x() - a.x()) / a.width(), (b.y() - a.y()) / a.height(),
                     std::log(b.width() / a.width()), std::log(b.height() / a.height())};
    for (int64_t j = 0; j < 4; ++j) {
      offsets[4 * i + j] = raw[j] / static_cast<T>(variances[static_cast<size_t>(j)]);
      mask[4 * i + j] = 1;
    }
  }
}

void run_target(KernelContext& c) {
  for_float(c.in[0].dtype, "MultiBoxTarget", [&](auto zero) {
    using T = decltype(zero);
    c.resources.parallel(c.in[1].shape[0], 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) targets_of<T>(c, n);
    });
  });
}

// --- MultiBoxDetection --------------------------------------------------------------------------

void infer_detection(InferContext& c) {
  set_dtype(c, 0, unify_dtypes(c, {0, 1, 2}));
  numbers(c.attrs, "variances", 4);
  expect_rank(c, 0, 3, "batch, classes, anchors");
  const Shape scores = c.in_shapes[0];
  if (!scores.rank_known()) return;
  expect_shape(c, 1, {scores[0], scores[2] < 0 ? -1 : 4 * scores[2]});
  expect_shape(c, 2, {1, scores[2], 4});
  set_shape(c, 0, {scores[0], scores[2], 6});
}

// Boxes that are something, [class, score, four corners], in the order of the anchors.
template <class T>
std::vector<T> found_boxes(const KernelContext& c, int64_t n) {
  const int64_t classes = c.in[0].shape[1], anchors = c.in[0].shape[2];
  const T* const scores = c.in[0].as<T>() + n * classes * anchors;
  const T least = static_cast<T>(c.attrs.real("threshold"));
  const bool clip = c.attrs.boolean("clip");
  T variance[4];
  for (size_t k = 0; k < 4; ++k) variance[k] = static_cast<T>(c.attrs.reals("variances")[k]);
  std::vector<T> found;
  for (int64_t i = 0; i < anchors; ++i) {
    int64_t best = 0;
    T score = -1;
    for (int64_t j = 1; j < classes; ++j) {
      if (scores[j * anchors + i] > score) score = scores[(best = j) * anchors + i];
    }
    if (best == 0 || score < least) continue;
    const auto a = Box<T>::corners(c.in[2].as<T>() + 4 * i);
    const T* const d = c.in[1].as<T>() + (n * anchors + i) * 4;
    const T x = d[0] * variance[0] * a.width() + a.x();
    const T y = d[1] * variance[1] * a.height() + a.y();
    const T w = std::exp(d[2] * variance[2]) * a.width() / 2;
    const T h = std::exp(d[3] * variance[3]) * a.height() / 2;
    found.push_back(static_cast<T>(best - 1));
    found.push_back(score);
    for (T v : {x - w, y - h, x + w, y + h}) {
      found.push_back(clip ? std::max(T(0), std::min(T(1), v)) : v);
    }
  }
  return found;
}

template <class T>
void suppress(const Attrs& attrs, T* rows, int64_t count) {
  const T most = static_cast<T>(attrs.real("nms_threshold"));
  const bool all = attrs.boolean("force_suppress");
  for (int64_t i = 0; i < count; ++i) {
    if (rows[6 * i] < 0) continue;
    const auto a = Box<T>::corners(rows + 6 * i + 2);
    for (int64_t j = i + 1; j < count; ++j) {
      if (rows[6 * j] < 0 || !(all || rows[6 * i] == rows[6 * j])) continue;
      if (overlap(a, Box<T>::corners(rows + 6 * j + 2)) >= most) rows[6 * j] = -1;
    }
  }
}

template <class T>
void detect(const KernelContext& c, int64_t n) {
  const int64_t anchors = c.in[0].shape[2];
  T* const out = c.out[0].as<T>() + n * anchors * 6;
  std::fill(out, out + anchors * 6, T(-1));
  const std::vector<T> found = found_boxes<T>(c, n);
  const auto count = static_cast<int64_t>(found.size() / 6);
  std::copy(found.begin(), found.end(), out);
  const double most = c.attrs.real("nms_threshold");
  if (count == 0 || !(most > 0 && most <= 1)) return;
  std::vector<int64_t> order(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) order[static_cast<size_t>(i)] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return out[6 * a + 1] > out[6 * b + 1]; });
  const int64_t topk = c.attrs.integer("nms_topk");
  const int64_t kept = topk > 0 ? std::min(topk, count) : count;
  for (int64_t i = 0; i < kept; ++i) {
    std::copy_n(found.begin() + 6 * order[static_cast<size_t>(i)], 6, out + 6 * i);
  }
  for (int64_t i = kept; i < count; ++i) out[6 * i] = -1;
  suppress(c.attrs, out, count);
}

void run_detection(KernelContext& c) {
  for_float(c.in[0].dtype, "MultiBoxDetection", [&](auto zero) {
    using T = decltype(zero);
    c.resources.parallel(c.in[0].shape[0], 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) detect<T>(c, n);
    });
  });
}

const AttrDef kVariances{"variances", AttrType::reals, "(0.1, 0.1, 0.2, 0.2)",
                         "divisors of the offsets of x, y, width and height"};

}  // namespace

void register_multibox() {
  OpDef prior;
  prior.name = "MultiBoxPrior";
  prior.doc =
      "Anchor boxes of every place of a feature map (n, c, h, w): each of sizes with the first of "
      "ratios, then the first of sizes with every other ratio; corners, in parts of the image, (1, "
      "h * w * boxes, 4). No gradient flows. MXNet's contrib.MultiBoxPrior.";
  prior.inputs = {{"data", "(n, c, h, w): its sizes alone count", false}};
  prior.attrs = {{"sizes", AttrType::reals, "(1.0,)", "heights in parts of the image"},
                 {"ratios", AttrType::reals, "(1.0,)", "width by height"},
                 {"clip", AttrType::boolean, "False", "boxes are cut off at the image's border"},
                 {"steps", AttrType::reals, "(-1.0, -1.0)",
                  "distance of places along y and x; -1: evenly over the image"},
                 {"offsets", AttrType::reals, "(0.5, 0.5)", "of the centres in a place, y and x"}};
  prior.infer = infer_prior;
  prior.cpu = run_prior;
  add_op(std::move(prior));

  OpDef target;
  target.name = "MultiBoxTarget";
  target.doc =
      "What a detector is to say of every anchor: offsets to its box (batch, anchors * 4), a mask "
      "of them, and its class, 0 for none (batch, anchors). Every box has the anchor that overlaps "
      "it most, and those that do by more than overlap_threshold. No gradient flows. MXNet's "
      "contrib.MultiBoxTarget.";
  target.inputs = {{"anchor", "(1, anchors, 4), corners", false},
                   {"label", "(batch, boxes, 5 or more): class and corners; -1: no box", false},
                   {"cls_pred", "scores (batch, classes, anchors), for mining", false}};
  target.attrs = {{"overlap_threshold", AttrType::real, "0.5", "of anchors that match"},
                  {"ignore_label", AttrType::real, "-1.0", "class of anchors that do not count"},
                  {"negative_mining_ratio", AttrType::real, "-1.0",
                   "above 0: so many anchors of no box count for each that matches, the hardest"},
                  {"negative_mining_thresh", AttrType::real, "0.5", "they overlap boxes by less"},
                  {"minimum_negative_samples", AttrType::integer, "0", "so many at least"},
                  kVariances};
  target.num_outputs = 3;
  target.infer = infer_target;
  target.cpu = run_target;
  add_op(std::move(target));

  OpDef detection;
  detection.name = "MultiBoxDetection";
  detection.doc =
      "Boxes from a detector's answers: rows [class, score, xmin, ymin, xmax, ymax] by falling "
      "score, class -1 where one overlaps a better one of its class (batch, anchors, 6). No "
      "gradient flows. MXNet's contrib.MultiBoxDetection.";
  detection.inputs = {{"cls_prob", "(batch, classes, anchors); class 0 is none", false},
                      {"loc_pred", "offsets (batch, anchors * 4)", false},
                      {"anchor", "(1, anchors, 4), corners", false}};
  detection.attrs = {
      {"clip", AttrType::boolean, "True", "boxes are cut off at the image's border"},
      {"threshold", AttrType::real, "0.01", "least score"},
      {"background_id", AttrType::integer, "0", "class that is none; MXNet takes 0 in any case"},
      {"nms_threshold", AttrType::real, "0.5", "least overlap of what goes; 0 or above 1: none"},
      {"force_suppress", AttrType::boolean, "False", "boxes of other classes count too"},
      kVariances,
      {"nms_topk", AttrType::integer, "-1", "so many of the best scores count; -1: all"}};
  detection.infer = infer_detection;
  detection.cpu = run_detection;
  add_op(std::move(detection));
}

}  // namespace hybrid
