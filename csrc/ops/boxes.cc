// box_iou, box_encode, box_decode.
#include "ops/boxes.h"

#include <cmath>

#include "kernels/by_dtype.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

void expect_boxes(InferContext& c, size_t i) {
  Shape& shape = c.in_shapes[i];
  if (!shape.rank_known()) return;
  require(shape.ndim() >= 1 && (shape[shape.ndim() - 1] == 4 || shape[shape.ndim() - 1] < 0),
          c.op_name, ": given ", c.attrs.op()->inputs[i].name, " of shape ", shape,
          ", expected (..., 4)");
  shape[shape.ndim() - 1] = 4;
}

// --- box_iou ------------------------------------------------------------------------------------

void infer_iou(InferContext& c) {
  set_dtype(c, 0, unify_dtypes(c, {0, 1}));
  Shape out;
  for (size_t i : {0, 1}) {
    expect_boxes(c, i);
    const Shape& shape = c.in_shapes[i];
    if (!shape.rank_known()) return;
    require(out.ndim() + shape.ndim() - 1 <= kMaxDims, c.op_name, ": given ", c.in_shapes[0],
            " and ", c.in_shapes[1], ", the result would have more than ", kMaxDims, " dimensions");
    for (int k = 0; k + 1 < shape.ndim(); ++k) out.push_back(shape[k]);
  }
  if (out.ndim() == 0) out.push_back(1);
  set_shape(c, 0, out);
}

void run_iou(KernelContext& c) {
  const bool centred = is_centred(c.attrs, "format");
  const int64_t rows = c.in[0].size() / 4, columns = c.in[1].size() / 4;
  for_float(c.in[0].dtype, "box_iou", [&](auto zero) {
    using T = decltype(zero);
    c.resources.parallel(rows, 1 + 4096 / (columns + 1), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto a = Box<T>::of(c.in[0].as<T>() + 4 * i, centred);
        for (int64_t j = 0; j < columns; ++j) {
          const auto b = Box<T>::of(c.in[1].as<T>() + 4 * j, centred);
          c.out[0].as<T>()[i * columns + j] = overlap(a, b);
        }
      }
    });
  });
}

// --- box_encode ---------------------------------------------------------------------------------

void infer_encode(InferContext& c) {
  const DType dtype = unify_dtypes(c, {0, 1, 2, 3, 4, 5});
  set_dtype(c, 0, dtype);
  set_dtype(c, 1, dtype);
  expect_rank(c, 0, 2, "batch, anchors");
  const int64_t batch = c.in_shapes[0].rank_known() ? c.in_shapes[0][0] : -1;
  const int64_t anchors = c.in_shapes[0].rank_known() ? c.in_shapes[0][1] : -1;
  expect_shape(c, 1, {batch, anchors});
  expect_shape(c, 2, {batch, anchors, 4});
  expect_shape(c, 3, {batch, -1, 4});
  expect_shape(c, 4, {4});
  expect_shape(c, 5, {4});
  set_shape(c, 0, {batch, anchors, 4});
  set_shape(c, 1, {batch, anchors, 4});
}

void run_encode(KernelContext& c) {
  const int64_t anchors = c.in[0].shape[1], refs = c.in[3].shape[1];
  for_float(c.in[0].dtype, "box_encode", [&](auto zero) {
    using T = decltype(zero);
    const T *mean = c.in[4].as<T>(), *std = c.in[5].as<T>();
    for (int64_t i = 0; i < c.in[0].size(); ++i) {
      T *to = c.out[0].as<T>() + 4 * i, *mask = c.out[1].as<T>() + 4 * i;
      const bool valid = c.in[0].as<T>()[i] > T(0.5);
      std::fill(mask, mask + 4, T(valid));
      std::fill(to, to + 4, T(0));
      if (!valid) continue;
      const T match = c.in[1].as<T>()[i];
      require(match >= 0 && match < static_cast<T>(refs), "box_encode: given match ", match,
              ", expected 0 to ", refs - 1);
      const auto a = Box<T>::corners(c.in[2].as<T>() + 4 * i);
      const auto r =
          Box<T>::corners(c.in[3].as<T>() + 4 * (i / anchors * refs + static_cast<int64_t>(match)));
      const T raw[] = {(r.x() - a.x()) / a.width(), (r.y() - a.y()) / a.height(),
                       std::log(r.width() / a.width()), std::log(r.height() / a.height())};
      for (int k = 0; k < 4; ++k) to[k] = (raw[k] - mean[k]) / std[k];
    }
  });
}

// --- box_decode ---------------------------------------------------------------------------------

void infer_decode(InferContext& c) {
  set_dtype(c, 0, unify_dtypes(c, {0, 1}));
  expect_dtype(c, 0, c.out_dtypes[0]);
  expect_shape(c, 0, {-1, -1, 4});
  expect_shape(c, 1, {1, c.in_shapes[0][1], 4});
  set_shape(c, 0, c.in_shapes[0]);
}

void run_decode(KernelContext& c) {
  const int64_t anchors = c.in[1].shape[1];
  const bool centred = is_centred(c.attrs, "format");
  const double most = c.attrs.real("clip");
  for_float(c.in[0].dtype, "box_decode", [&](auto zero) {
    using T = decltype(zero);
    T std[4];
    const char* names[] = {"std0", "std1", "std2", "std3"};
    for (int k = 0; k < 4; ++k) std[k] = static_cast<T>(c.attrs.real(names[k]));
    const auto half = [&](T log, T size) {
      return std::exp(most > 0 ? std::min(log, static_cast<T>(most)) : log) * size / 2;
    };
    for (int64_t i = 0; i < c.in[0].size() / 4; ++i) {
      const T* d = c.in[0].as<T>() + 4 * i;
      const auto a = Box<T>::of(c.in[1].as<T>() + 4 * (i % anchors), centred);
      const T x = d[0] * std[0] * a.width() + a.x(), y = d[1] * std[1] * a.height() + a.y();
      const T w = half(d[2] * std[2], a.width()), h = half(d[3] * std[3], a.height());
      T* to = c.out[0].as<T>() + 4 * i;
      to[0] = x - w;
      to[1] = y - h;
      to[2] = x + w;
      to[3] = y + h;
    }
  });
}

OpDef box_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::other;
  def.doc = doc;
  return def;
}

}  // namespace

void register_boxes() {
  OpDef iou = box_def("box_iou",
                      "Intersection over union of every box of lhs (..., 4) with every box of rhs "
                      "(..., 4); no gradient flows. MXNet's contrib.box_iou.");
  iou.inputs = {{"lhs", "(..., 4)", false}, {"rhs", "(..., 4)", false}};
  iou.attrs = {box_format("format", "corner")};
  iou.infer = infer_iou;
  iou.cpu = run_iou;
  add_op(std::move(iou));

  OpDef encode = box_def(
      "box_encode",
      "Targets of box regression: where sample is 1, the matched box as offsets from its anchor, "
      "less means, by stds; and 1 there, 0 elsewhere. MXNet's contrib.box_encode.");
  encode.inputs = {{"samples", "(batch, anchors): 1 is matched", false},
                   {"matches", "(batch, anchors): number of the matched box", false},
                   {"anchors", "(batch, anchors, 4), corners", false},
                   {"refs", "(batch, boxes, 4), corners", false},
                   {"means", "(4,)", false},
                   {"stds", "(4,)", false}};
  encode.num_outputs = 2;
  encode.infer = infer_encode;
  encode.cpu = run_encode;
  add_op(std::move(encode));

  OpDef decode = box_def("box_decode",
                         "Boxes (corners) of offsets from anchors: box_encode backward, with means "
                         "of 0. MXNet's contrib.box_decode.");
  decode.inputs = {{"data", "offsets (batch, anchors, 4)", false},
                   {"anchors", "(1, anchors, 4)", false}};
  decode.attrs = {{"std0", AttrType::real, "1.0", "factor of x"},
                  {"std1", AttrType::real, "1.0", "factor of y"},
                  {"std2", AttrType::real, "1.0", "factor of the width's logarithm"},
                  {"std3", AttrType::real, "1.0", "factor of the height's logarithm"},
                  {"clip", AttrType::real, "-1.0", "above 0: most of these logarithms"},
                  box_format("format", "center")};
  decode.infer = infer_decode;
  decode.cpu = run_decode;
  add_op(std::move(decode));
}

}  // namespace hybrid
