// box_nms: of boxes that overlap the best one stays. bipartite_matching: pairs, the best first.
#include <algorithm>
#include <numeric>

#include "kernels/by_dtype.h"
#include "ops/boxes.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/states.h"

namespace hybrid {

namespace {

// --- box_nms ------------------------------------------------------------------------------------

struct Columns {
  int64_t width, score, coordinates, id, background;
};

Columns columns_of(const Attrs& attrs, int64_t width) {
  const Columns k{width, attrs.integer("score_index"), attrs.integer("coord_start"),
                  attrs.integer("id_index"), attrs.integer("background_id")};
  require(k.score >= 0 && k.score < width && k.coordinates >= 0 && k.coordinates <= width - 4 &&
              k.id < width,
          "box_nms: given boxes of ", width, " numbers, coord_start ", k.coordinates,
          ", score_index ", k.score, " and id_index ", k.id,
          ", expected places within a box (four from coord_start on)");
  return k;
}

void infer_nms(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  set_dtype(c, 1, DType::int64);
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  require(data.ndim() >= 2, c.op_name, ": given data of shape ", data,
          ", expected (..., boxes, numbers)");
  if (data[data.ndim() - 1] >= 0) columns_of(c.attrs, data[data.ndim() - 1]);
  set_shape(c, 0, data);
  Shape index = data;
  index[index.ndim() - 1] = 1;
  set_shape(c, 1, index);
}

// Numbers of the boxes that stay, the best first.
template <class T>
std::vector<int64_t> survivors(const Attrs& attrs, const Columns& k, const T* boxes,
                               int64_t count) {
  const T least = static_cast<T>(attrs.real("valid_thresh"));
  const T most = static_cast<T>(attrs.real("overlap_thresh"));
  const bool centred = is_centred(attrs, "in_format");
  const bool by_class = k.id >= 0 && !attrs.boolean("force_suppress");
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) {
    const T* const box = boxes + i * k.width;
    // -1, the default, too: boxes of no class, such as those that an earlier one left out.
    const bool background = k.id >= 0 && box[k.id] == static_cast<T>(k.background);
    if (box[k.score] > least && !background) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return boxes[a * k.width + k.score] > boxes[b * k.width + k.score];
  });
  const int64_t topk = attrs.integer("topk");
  if (topk > 0 && static_cast<int64_t>(order.size()) > topk) {
    order.resize(static_cast<size_t>(topk));
  }
  std::vector<int64_t> kept;
  for (int64_t i : order) {
    const T* const box = boxes + i * k.width;
    const auto place = Box<T>::of(box + k.coordinates, centred);
    const bool covered = std::any_of(kept.begin(), kept.end(), [&](int64_t j) {
      const T* const better = boxes + j * k.width;
      return !(by_class && better[k.id] != box[k.id]) &&
             overlap(Box<T>::of(better + k.coordinates, centred), place) > most;
    });
    if (!covered) kept.push_back(i);
  }
  return kept;
}

template <class T>
void convert(T* box, bool to_centred) {
  const auto b = Box<T>::of(box, !to_centred);
  const T out[] = {to_centred ? b.x() : b.left, to_centred ? b.y() : b.top,
                   to_centred ? b.width() : b.right, to_centred ? b.height() : b.bottom};
  std::copy(out, out + 4, box);
}

void run_nms(KernelContext& c) {
  const Shape& data = c.in[0].shape;
  const int64_t count = data[data.ndim() - 2];
  const Columns k = columns_of(c.attrs, data[data.ndim() - 1]);
  if (data.size() == 0) return;
  const bool from = is_centred(c.attrs, "in_format"), to = is_centred(c.attrs, "out_format");
  for_float(c.in[0].dtype, "box_nms", [&](auto zero) {
    using T = decltype(zero);
    const auto one = [&](int64_t n) {
      const T* const boxes = c.in[0].as<T>() + n * count * k.width;
      T* const out = c.out[0].as<T>() + n * count * k.width;
      int64_t* const index = c.out[1].as<int64_t>() + n * count;
      const std::vector<int64_t> kept = survivors(c.attrs, k, boxes, count);
      std::fill(out, out + count * k.width, T(-1));
      std::fill(index, index + count, int64_t{-1});
      for (size_t i = 0; i < kept.size(); ++i) {
        T* const row = out + static_cast<int64_t>(i) * k.width;
        std::copy_n(boxes + kept[i] * k.width, k.width, row);
        if (from != to) convert(row + k.coordinates, to);
        index[i] = n * count + kept[i];
      }
    };
    c.resources.parallel(data.size() / (count * k.width), 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) one(n);
    });
  });
}

// A row's gradient goes to the box that it was; boxes that went have none.
void grad_nms(GradBuilder& b) {
  if (!b.wanted(0) || !b.has_out_grad(0)) return;
  const Shape data = known_shape(b, b.input(0));
  if (data.size() == 0) return b.set(0, b.zeros_as(b.input(0)));
  const int64_t width = data[data.ndim() - 1], rows = data.size() / width;
  const auto dtype = static_cast<int64_t>(known_dtype(b, b.input(0)));
  const Entry index = reshape_to(b, b.output(1), {rows, 1});
  const Entry kept = b.op("greater_equal_scalar", {index}, {{"scalar", 0}, {"dtype", dtype}});
  const Entry place = b.op("maximum_scalar", {index}, {{"scalar", 0}});
  const Expr flow = Expr(b, reshape_to(b, b.out_grad(), {rows, width})) * Expr(b, kept);
  const Entry added = b.op("scatter_nd", {flow.entry(), reshape_to(b, place, {1, rows})},
                           {{"shape", std::vector<int64_t>{rows, width}}, {"accumulate", true}});
  b.set(0, reshape_to(b, added, data));
}

// --- bipartite_matching -------------------------------------------------------------------------

void infer_matching(InferContext& c) {
  for (size_t i : {0, 1}) set_dtype(c, i, c.in_dtypes[0]);
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  const int n = data.ndim();
  require(n >= 2, c.op_name, ": given data of shape ", data, ", expected (..., rows, columns)");
  Shape rows, columns;
  for (int i = 0; i + 2 < n; ++i) {
    rows.push_back(data[i]);
    columns.push_back(data[i]);
  }
  rows.push_back(data[n - 2]);
  columns.push_back(data[n - 1]);
  set_shape(c, 0, rows);
  set_shape(c, 1, columns);
}

template <class T>
void match(const Attrs& attrs, const T* scores, int64_t rows, int64_t columns, T* row_to,
           T* to_row) {
  const bool ascend = attrs.boolean("is_ascend");
  const T limit = static_cast<T>(attrs.real("threshold"));
  const int64_t topk = attrs.integer("topk");
  std::fill(row_to, row_to + rows, T(-1));
  std::fill(to_row, to_row + columns, T(-1));
  std::vector<int64_t> order(static_cast<size_t>(rows * columns));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return ascend ? scores[a] < scores[b] : scores[a] > scores[b];
  });
  int64_t count = 0;
  for (int64_t at : order) {
    const int64_t i = at / columns, j = at % columns;
    if (row_to[i] != -1 || to_row[j] != -1) continue;
    if (!(ascend ? scores[at] < limit : scores[at] > limit)) return;
    row_to[i] = static_cast<T>(j);
    to_row[j] = static_cast<T>(i);
    if (topk > 0 && ++count >= topk) return;
  }
}

void run_matching(KernelContext& c) {
  const Shape& data = c.in[0].shape;
  const int64_t rows = data[data.ndim() - 2], columns = data[data.ndim() - 1];
  int64_t batch = 1;
  for (int i = 0; i + 2 < data.ndim(); ++i) batch *= data[i];
  for_float(c.in[0].dtype, "bipartite_matching", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t n = 0; n < batch; ++n) {
      match(c.attrs, c.in[0].as<T>() + n * rows * columns, rows, columns,
            c.out[0].as<T>() + n * rows, c.out[1].as<T>() + n * columns);
    }
  });
}

}  // namespace

void register_box_nms() {
  OpDef nms;
  nms.name = "box_nms";
  nms.family = Family::other;
  nms.doc =
      "Non-maximum suppression: boxes by falling score, without those that overlap a better one by "
      "more than overlap_thresh; rows that are left over are -1. data (..., boxes, numbers), by "
      "default [class, score, xmin, ymin, xmax, ymax, ...]. MXNet's contrib.box_nms.";
  nms.inputs = {{"data", "(..., boxes, numbers)"}};
  nms.attrs = {{"overlap_thresh", AttrType::real, "0.5", "most intersection over union"},
               {"valid_thresh", AttrType::real, "0.0", "only boxes of a greater score count"},
               {"topk", AttrType::integer, "-1", "so many of the best scores count; -1: all"},
               {"coord_start", AttrType::integer, "2", "place of the four coordinates"},
               {"score_index", AttrType::integer, "1", "place of the score"},
               {"id_index", AttrType::integer, "-1", "place of the class; -1: there is none"},
               {"background_id", AttrType::integer, "-1", "class that does not count"},
               {"force_suppress", AttrType::boolean, "False", "boxes of other classes count too"},
               box_format("in_format", "corner"),
               box_format("out_format", "corner")};
  nms.num_outputs = 2;
  nms.infer = infer_nms;
  nms.cpu = run_nms;
  nms.gradient = grad_nms;
  StatesDef shown;
  shown.num_visible = [](const Attrs&) { return 1; };
  shown.output_names = {"output0"};  // MXNet counts the hidden one too
  shown.mx_outputs = 2;
  add_states(add_op(std::move(nms)), std::move(shown));

  OpDef matching;
  matching.name = "bipartite_matching";
  matching.family = Family::other;
  matching.doc =
      "Pairs of rows and columns, each in one pair at most, by falling (is_ascend: rising) score: "
      "the column of every row and the row of every column, -1 without. No gradient flows. MXNet's "
      "contrib.bipartite_matching.";
  matching.inputs = {{"data", "scores (..., rows, columns)", false}};
  matching.attrs = {{"is_ascend", AttrType::boolean, "False", "the least score is the best"},
                    {"threshold", AttrType::real, nullptr, "only better scores make pairs"},
                    {"topk", AttrType::integer, "-1", "at most so many pairs; -1: no limit"}};
  matching.num_outputs = 2;
  matching.infer = infer_matching;
  matching.cpu = run_matching;
  add_op(std::move(matching));
}

}  // namespace hybrid
