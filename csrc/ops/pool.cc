// Pooling in two dimensions (NCHW) and its gradient operators.
#include "kernels/kernels.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/window.h"

namespace hybrid {

namespace {

std::vector<AttrDef> pool_attrs() {
  return {{"kernel", AttrType::ints, "()", "(height, width) of the window; not for global_pool"},
          {"pool_type", AttrType::string, "max", "what is taken of a window", "max|avg|sum"},
          {"global_pool", AttrType::boolean, "False", "one window over the whole image"},
          {"pooling_convention", AttrType::string, "valid",
           "output size: rounded down (valid) or up (full)", "valid|full"},
          {"stride", AttrType::ints, "(1, 1)", "steps of the window"},
          {"pad", AttrType::ints, "(0, 0)", "padding on both sides of each axis"},
          {"count_include_pad", AttrType::boolean, "True", "averages count the padding as zeros"},
          {"layout", AttrType::string, "NCHW", "order of data's axes", "NCHW|None"}};
}

// The parameters for a data shape; spatial sizes may be -1.
PoolParams params(const Attrs& a, const Shape& data) {
  const char* op = a.op()->name;
  PoolParams p;
  p.batch = data[0];
  p.channels = data[1];
  p.in_h = data[2];
  p.in_w = data[3];
  const std::string& type = a.string("pool_type");
  p.type = type == "max" ? PoolType::max : type == "avg" ? PoolType::avg : PoolType::sum;
  p.count_include_pad = a.boolean("count_include_pad");
  if (a.boolean("global_pool")) {
    p.out_h = p.out_w = 1;
    p.kernel_h = p.in_h;
    p.kernel_w = p.in_w;
    p.stride_h = p.stride_w = 1;
    p.pad_h = p.pad_w = 0;
    require(p.in_h != 0 && p.in_w != 0, op, ": given data of shape ", data,
            ", expected an image that is not empty");
    return p;
  }
  const Window2d w(a, false);
  const bool full = a.string("pooling_convention") == "full";
  for (int i = 0; i < 2; ++i) {
    require(w.pad[i] < w.kernel[i], op, ": given pad ", a.text("pad"),
            ", expected less than the kernel ", a.text("kernel"));
  }
  p.out_h = w.out_size(p.in_h, 0, full, op);
  p.out_w = w.out_size(p.in_w, 1, full, op);
  p.kernel_h = w.kernel[0];
  p.kernel_w = w.kernel[1];
  p.stride_h = w.stride[0];
  p.stride_w = w.stride[1];
  p.pad_h = w.pad[0];
  p.pad_w = w.pad[1];
  const bool empty = (p.in_h >= 0 && (p.out_h - 1) * p.stride_h >= p.in_h + p.pad_h) ||
                     (p.in_w >= 0 && (p.out_w - 1) * p.stride_w >= p.in_w + p.pad_w);
  require(!empty, op, ": given data of shape ", data, ", kernel ", a.text("kernel"), ", stride ",
          a.text("stride"), ": with pooling_convention full the last window would be empty");
  return p;
}

Shape pooled(const Attrs& a, const Shape& data) {
  const PoolParams p = params(a, data);
  return {p.batch, p.channels, p.out_h, p.out_w};
}

Attrs converted(const Attrs& from, const char* to) {
  Attrs attrs(get_op(to));
  for (const AttrDef& def : from.op()->attrs) {
    if (attrs.op()->attr_index(def.name) >= 0) attrs.set(def.name, from.at(def.name));
  }
  return attrs;
}

// --- Pooling ------------------------------------------------------------------------------------

void infer_pool(InferContext& c) {
  one_dtype(c);
  expect_rank(c, 0, 4, "NCHW");
  if (c.in_shapes[0].rank_known()) set_shape(c, 0, pooled(c.attrs, c.in_shapes[0]));
}

void run_pool(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  pool2d(c.in[0].dtype, params(c.attrs, c.in[0].shape), c.in[0].data, c.out[0].data, c.resources);
}

void grad_pool(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Entry g = b.out_grad();
  if (b.attrs().string("pool_type") == "max") {
    b.set(0, b.op("pool_max_grad", {g, b.input(0), b.output()},
                  converted(b.attrs(), "pool_max_grad")));
    return;
  }
  const Shape data = known_shape(b, b.input(0));
  Attrs attrs = converted(b.attrs(), "pool_avg_grad");
  attrs.set("size", std::vector<int64_t>{data[2], data[3]});
  b.set(0, b.op("pool_avg_grad", {g}, attrs));
}

// --- pool_avg_grad(g): every element of g spread over its window (avg and sum)
// --------------------

void infer_avg_grad(InferContext& c) {
  one_dtype(c);
  const auto& size = c.attrs.ints("size");
  require(size.size() == 2, c.op_name, ": given size ", c.attrs.text("size"),
          ", expected (height, width)");
  expect_rank(c, 0, 4, "NCHW");
  if (!c.in_shapes[0].rank_known()) return;
  const Shape data{c.in_shapes[0][0], c.in_shapes[0][1], size[0], size[1]};
  expect_shape(c, 0, pooled(c.attrs, data));
  set_shape(c, 0, data);
}

void run_avg_grad(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  pool2d_grad(c.in[0].dtype, params(c.attrs, c.out[0].shape), c.in[0].data, nullptr, nullptr,
              c.out[0].data, c.resources);
}

void grad_avg_grad(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op("Pooling", {b.out_grad()}, converted(b.attrs(), "Pooling")));
}

// --- pool_max_grad(g, data, result) and its adjoint pool_max_select(h, data)
// ----------------------

void infer_max_grad(InferContext& c) {
  one_dtype(c);
  expect_rank(c, 1, 4, "NCHW");
  if (!c.in_shapes[1].rank_known()) return;
  const Shape data = c.in_shapes[1], result = pooled(c.attrs, data);
  expect_shape(c, 0, result);
  expect_shape(c, 2, result);
  set_shape(c, 0, data);
}

void run_max_grad(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  pool2d_grad(c.in[0].dtype, params(c.attrs, c.in[1].shape), c.in[0].data, c.in[1].data,
              c.in[2].data, c.out[0].data, c.resources);
}

void grad_max_grad(GradBuilder& b) {
  if (!b.wanted(0)) return;
  b.set(0, b.op("pool_max_select", {b.out_grad(), b.input(1)},
                converted(b.attrs(), "pool_max_select")));
}

void infer_max_select(InferContext& c) {
  one_dtype(c);
  expect_rank(c, 1, 4, "NCHW");
  if (!c.in_shapes[1].rank_known()) return;
  expect_shape(c, 0, c.in_shapes[1]);
  set_shape(c, 0, pooled(c.attrs, c.in_shapes[1]));
}

template <class T>
void select_plane(const PoolParams& p, const T* values, const T* data, T* out) {
  for (int64_t oy = 0; oy < p.out_h; ++oy) {
    const int64_t y0 = oy * p.stride_h - p.pad_h;
    const int64_t y1 = std::min(y0 + p.kernel_h, p.in_h);
    for (int64_t ox = 0; ox < p.out_w; ++ox) {
      const int64_t x0 = ox * p.stride_w - p.pad_w;
      const int64_t x1 = std::min(x0 + p.kernel_w, p.in_w);
      int64_t best = -1;
      for (int64_t y = std::max<int64_t>(y0, 0); y < y1; ++y) {
        for (int64_t x = std::max<int64_t>(x0, 0); x < x1; ++x) {
          const int64_t at = y * p.in_w + x;
          if (best < 0 || data[at] > data[best]) best = at;
        }
      }
      *out++ = values[best];
    }
  }
}

void run_max_select(KernelContext& c) {
  const PoolParams p = params(c.attrs, c.in[1].shape);
  const int64_t in_plane = p.in_h * p.in_w, out_plane = p.out_h * p.out_w;
  dispatch(c.in[0].dtype, "pool_max_select", [&](auto zero) {
    using T = decltype(zero);
    c.resources.parallel(p.batch * p.channels, 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        select_plane(p, c.in[0].as<T>() + i * in_plane, c.in[1].as<T>() + i * in_plane,
                     c.out[0].as<T>() + i * out_plane);
      }
    });
  });
}

void grad_max_select(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Entry maxima = b.op("Pooling", {b.input(1)}, converted(b.attrs(), "Pooling"));
  b.set(0, b.op("pool_max_grad", {b.out_grad(), b.input(1), maxima},
                converted(b.attrs(), "pool_max_grad")));
}

double window_flops(const Attrs& a, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  if (a.boolean("global_pool")) {
    return static_cast<double>(std::max(in[0].size(), out[0].size()));
  }
  const auto& kernel = a.ints("kernel");
  return static_cast<double>(std::min(in[0].size(), out[0].size())) *
         static_cast<double>(kernel[0] * kernel[1]);
}

OpDef pool_def(const char* name, const char* doc, std::vector<InputDef> inputs) {
  OpDef def;
  def.name = name;
  def.family = Family::conv;
  def.doc = doc;
  def.inputs = std::move(inputs);
  def.attrs = pool_attrs();
  def.flops = window_flops;
  return def;
}

}  // namespace

void register_pool() {
  OpDef pool = pool_def(
      "Pooling",
      "The maximum, mean or sum of every window of data (n, c, h, w). Output height is 1 + (h + 2 "
      "pad "
      "- kernel) / stride, rounded down (valid) or up (full). MXNet's Pooling, layout NCHW.",
      {{"data", "(n, c, h, w)"}});
  pool.infer = infer_pool;
  pool.cpu = run_pool;
  pool.on_device = true;
  pool.gradient = grad_pool;
  add_op(std::move(pool));

  OpDef avg = pool_def("pool_avg_grad",
                       "Gradient of average and sum pooling: every element of grad spread over its "
                       "window; gives (n, c, size).",
                       {{"grad", "gradient of the result"}});
  avg.attrs.push_back({"size", AttrType::ints, nullptr, "(height, width) of the pooling's data"});
  avg.infer = infer_avg_grad;
  avg.cpu = run_avg_grad;
  avg.on_device = true;
  avg.gradient = grad_avg_grad;
  add_op(std::move(avg));

  OpDef max =
      pool_def("pool_max_grad",
               "Gradient of max pooling: every element of grad goes to the first maximum of "
               "its window of data.",
               {{"grad", "gradient of the result"},
                {"data", "the pooling's data", false},
                {"result", "the pooling's result", false}});
  max.infer = infer_max_grad;
  max.cpu = run_max_grad;
  max.on_device = true;
  max.gradient = grad_max_grad;
  add_op(std::move(max));

  OpDef select = pool_def("pool_max_select",
                          "The element of values where data has the first maximum of each window: "
                          "the adjoint of pool_max_grad.",
                          {{"values", "(n, c, h, w)"}, {"data", "chooses the places", false}});
  select.infer = infer_max_select;
  select.cpu = run_max_select;
  select.gradient = grad_max_select;
  add_op(std::move(select));
}

}  // namespace hybrid
