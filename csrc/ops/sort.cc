// Ordering along an axis: sort, argsort, topk.
#include <algorithm>
#include <numeric>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// The axis of a use: None means the flattened array, seen as one row.
struct Rows {
  AxisView view;
  Rows(const Attrs& attrs, const Shape& in)
      : view(attrs.has("axis")
                 ? AxisView(in, normalize_axis(attrs.integer("axis"), in.ndim(), attrs.op()->name))
                 : AxisView(Shape{in.size()}, 0)) {}
};

// Thrown out of a sort that was told to stop.
struct Stopped {};
constexpr uint32_t kPoll = 1 << 18;  // comparisons: some ms

// Calls body(row, order) with the indices of every row in order, stable; nan sorts last.
template <class T, class Body>
void for_each_order(const T* data, const AxisView& v, bool ascending, int64_t keep,
                    Resources& resources, Body&& body) {
  resources.parallel(v.outer * v.inner, std::max<int64_t>(1, 16384 / (v.size + 1)),
                     [&](int64_t begin, int64_t end) {
                       std::vector<int64_t> order(static_cast<size_t>(v.size));
                       for (int64_t r = begin; r < end; ++r) {
                         const T* row = data + r / v.inner * v.size * v.inner + r % v.inner;
                         uint32_t compared = 0;
                         const auto before = [&](int64_t a, int64_t b) {
                           if (++compared % kPoll == 0 && resources.cancelled()) throw Stopped();
                           const T x = row[a * v.inner], y = row[b * v.inner];
                           if (x != x || y != y) return x == x ? true : y == y ? false : a < b;
                           if (x == y) return a < b;
                           return ascending ? x < y : x > y;
                         };
                         std::iota(order.begin(), order.end(), int64_t{0});
                         try {
                           const auto first = order.begin(), last = order.end();
                           keep < v.size ? std::partial_sort(first, first + keep, last, before)
                                         : std::sort(first, last, before);
                         } catch (const Stopped&) {
                           return;
                         }
                         body(r, order);
                       }
                     });
}

double sort_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
  return 60.0 * static_cast<double>(in[0].size());
}

OpDef order_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::index;
  def.doc = doc;
  def.inputs = {{"data", "array"}};
  def.attrs = {
      {"axis", AttrType::integer, "-1", "axis to order; None: the flattened array", "None"},
      {"is_ascend", AttrType::boolean, "True", "smallest first"}};
  def.dtypes = kAllOrdered;
  def.flops = sort_flops;
  return def;
}

AttrDef index_dtype() { return {"dtype", AttrType::dtype, "float32", "dtype of the indices"}; }

Shape ordered_shape(const Attrs& attrs, const Shape& in) {
  if (attrs.has("axis")) {
    normalize_axis(attrs.integer("axis"), in.ndim(), attrs.op()->name);
    return in;
  }
  return {in.known() ? in.size() : -1};
}

// --- sort, argsort ------------------------------------------------------------------------------

void infer_sort(InferContext& c) {
  one_dtype(c);
  if (c.in_shapes[0].rank_known()) set_shape(c, 0, ordered_shape(c.attrs, c.in_shapes[0]));
}

void run_sort(KernelContext& c) {
  const AxisView v = Rows(c.attrs, c.in[0].shape).view;
  dispatch(c.in[0].dtype, "sort", [&](auto zero) {
    using T = decltype(zero);
    const T* in = c.in[0].as<T>();
    T* out = c.out[0].as<T>();
    for_each_order(in, v, c.attrs.boolean("is_ascend"), v.size, c.resources,
                   [&](int64_t r, const auto& order) {
                     const int64_t base = r / v.inner * v.size * v.inner + r % v.inner;
                     for (int64_t i = 0; i < v.size; ++i) {
                       out[base + i * v.inner] = in[base + order[static_cast<size_t>(i)] * v.inner];
                     }
                   });
  });
}

// Undoes a selection: g back at the places that `indices` came from.
Entry placed(GradBuilder& b, Entry g, Entry indices) {
  const Shape data = known_shape(b, b.input(0));
  const bool flat = !b.attrs().has("axis");
  const int axis = flat ? 0 : normalize_axis(b.attrs().integer("axis"), data.ndim(), "sort");
  const Entry back = b.op("take_along_axis_grad", {g, indices},
                          {{"axis", axis}, {"dim", flat ? data.size() : data[axis]}});
  return reshape_as(b, back, b.input(0));
}

void grad_sort(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Entry indices = b.op("argsort", {b.input(0)},
                             {{"axis", b.attrs().at("axis")},
                              {"is_ascend", b.attrs().boolean("is_ascend")},
                              {"dtype", static_cast<int64_t>(DType::int64)}});
  b.set(0, placed(b, b.out_grad(), indices));
}

void infer_argsort(InferContext& c) {
  set_dtype(c, 0, c.attrs.dtype("dtype"));
  if (c.in_shapes[0].rank_known()) set_shape(c, 0, ordered_shape(c.attrs, c.in_shapes[0]));
}

void run_argsort(KernelContext& c) {
  const AxisView v = Rows(c.attrs, c.in[0].shape).view;
  dispatch(c.in[0].dtype, "argsort", [&](auto zero) {
    using T = decltype(zero);
    const IndexWriter out(c.out[0]);
    for_each_order(c.in[0].as<T>(), v, c.attrs.boolean("is_ascend"), v.size, c.resources,
                   [&](int64_t r, const auto& order) {
                     const int64_t base = r / v.inner * v.size * v.inner + r % v.inner;
                     for (int64_t i = 0; i < v.size; ++i) {
                       out.put(base + i * v.inner, order[static_cast<size_t>(i)]);
                     }
                   });
  });
}

// --- topk ---------------------------------------------------------------------------------------

int64_t top_count(const Attrs& attrs, int64_t size) {
  const int64_t k = attrs.integer("k");
  require(k >= 0 && (size < 0 || k <= size), "topk: given k ", k, ", expected 0 (all) to ", size);
  return k == 0 ? size : k;
}

int topk_outputs(const Attrs& attrs) { return attrs.string("ret_typ") == "both" ? 2 : 1; }

void infer_topk(InferContext& c) {
  const std::string& what = c.attrs.string("ret_typ");
  const bool values_first = what != "indices";
  set_dtype(c, 0, values_first ? c.in_dtypes[0] : c.attrs.dtype("dtype"));
  if (what == "both") set_dtype(c, 1, c.attrs.dtype("dtype"));
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  Shape out = ordered_shape(c.attrs, in);
  const int axis =
      c.attrs.has("axis") ? normalize_axis(c.attrs.integer("axis"), in.ndim(), c.op_name) : 0;
  const int64_t k = top_count(c.attrs, out[axis]);
  if (what == "mask") {
    out = in;
  } else {
    out[axis] = k;
  }
  for (size_t i = 0; i < c.out_shapes.size(); ++i) set_shape(c, i, out);
}

void run_topk(KernelContext& c) {
  const AxisView v = Rows(c.attrs, c.in[0].shape).view;
  const int64_t k = top_count(c.attrs, v.size);
  const std::string& what = c.attrs.string("ret_typ");
  const bool mask = what == "mask", values = what == "value" || what == "both";
  const TensorView* indices = what == "indices" ? &c.out[0] : what == "both" ? &c.out[1] : nullptr;
  dispatch(c.in[0].dtype, "topk", [&](auto zero) {
    using T = decltype(zero);
    const IndexWriter places(indices ? *indices : c.out[0]);
    for_each_order(c.in[0].as<T>(), v, c.attrs.boolean("is_ascend"), k, c.resources,
                   [&](int64_t r, const auto& order) {
                     const int64_t from = r / v.inner * v.size * v.inner + r % v.inner;
                     const int64_t to = r / v.inner * k * v.inner + r % v.inner;
                     for (int64_t i = 0; mask && i < v.size; ++i)
                       c.out[0].as<T>()[from + i * v.inner] = 0;
                     for (int64_t i = 0; i < k; ++i) {
                       const int64_t at = order[static_cast<size_t>(i)];
                       if (mask) c.out[0].as<T>()[from + at * v.inner] = 1;
                       if (values)
                         c.out[0].as<T>()[to + i * v.inner] = c.in[0].as<T>()[from + at * v.inner];
                       if (indices) places.put(to + i * v.inner, at);
                     }
                   });
  });
}

void grad_topk(GradBuilder& b) {
  const std::string& what = b.attrs().string("ret_typ");
  if (!b.wanted(0) || what == "indices" || what == "mask") return;
  Entry indices = b.output(1);
  if (what == "value") {
    Attrs attrs = b.attrs();
    attrs.set("ret_typ", std::string("indices"));
    attrs.set("dtype", static_cast<int64_t>(DType::int64));
    indices = b.op("topk", {b.input(0)}, attrs);
  }
  b.set(0, placed(b, b.out_grad(0), indices));
}

}  // namespace

void register_sort() {
  OpDef sort = order_def("sort", "data in order along axis; nan last.");
  sort.infer = infer_sort;
  sort.cpu = run_sort;
  sort.gradient = grad_sort;
  add_op(std::move(sort));

  OpDef argsort =
      order_def("argsort", "The indices that put data in order along axis; stable, nan last.");
  argsort.inputs[0].differentiable = false;
  argsort.attrs.push_back(index_dtype());
  argsort.infer = infer_argsort;
  argsort.cpu = run_argsort;
  add_op(std::move(argsort));

  OpDef topk =
      order_def("topk",
                "The k largest (or smallest) elements along axis, in order: their indices, "
                "their values, both, or a mask of data's shape with 1 at them.");
  topk.attrs = {
      topk.attrs[0],
      {"k", AttrType::integer, "1", "how many; 0: all"},
      {"ret_typ", AttrType::string, "indices", "what is returned", "value|indices|mask|both"},
      {"is_ascend", AttrType::boolean, "False", "the smallest instead"},
      index_dtype()};
  topk.num_outputs_fn = topk_outputs;
  topk.infer = infer_topk;
  topk.cpu = run_topk;
  topk.gradient = grad_topk;
  add_op(std::move(topk));
}

}  // namespace hybrid
