// Pooling over one to three axes and its gradient operators.
#include <cmath>

#include "kernels/device_kernels.h"
#include "kernels/pool_window.h"
#include "ops/dispatch.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/pool_attrs.h"
#include "ops/window.h"

namespace hybrid {

namespace {

// Those of a gradient operator, whose channels are first.
Attrs converted(const Attrs& from, const char* to) {
  Attrs attrs(get_op(to));
  for (const AttrDef& def : from.op()->attrs) {
    if (attrs.op()->attr_index(def.name) >= 0) attrs.set(def.name, from.at(def.name));
  }
  attrs.set("layout", std::monostate{});
  return attrs;
}

bool is_last(const Attrs& attrs, const Shape& data) {
  return channels_last(attrs, data.ndim() - 2);
}

// The power of lp pooling; 1 for all else.
int64_t power_of(const Attrs& attrs) {
  return attrs.string("pool_type") == "lp" ? attrs.integer("p_value") : 1;
}

// --- Pooling ------------------------------------------------------------------------------------

void infer_pool(InferContext& c) {
  one_dtype(c);
  const Shape& data = c.in_shapes[0];
  expect_pooled(c.attrs, data, "data");
  if (!data.rank_known()) return;
  if (is_last(c.attrs, data)) {
    set_shape(c, 0, channels_to_back(pooled_shape(c.attrs, channels_to_front(data))));
  } else {
    set_shape(c, 0, pooled_shape(c.attrs, data));
  }
}

// Memory of the kernel's own for data with the channels first.
TensorView room_for(const TensorView& data, Resources& resources) {
  TensorView room = data;
  room.shape = channels_to_front(data.shape);
  room.strides = contiguous_strides(room.shape);
  room.data = resources.workspace(static_cast<size_t>(data.size()) * dtype_size(data.dtype));
  return room;
}

// The same memory seen with the channels first.
TensorView seen_in_front(const TensorView& data) {
  TensorView seen = data;
  seen.shape = channels_to_front(data.shape);
  seen.strides = channels_to_front(data.strides);
  return seen;
}

// lp: the sum of powers, then its root. p 3 keeps signs, as MXNet's.
void pool_powers(const PoolParams& p, int64_t power, const TensorView& x, void* y, int64_t results,
                 Resources& resources) {
  only_on_host(resources, "lp pooling");
  void* const powers = resources.workspace(static_cast<size_t>(x.size()) * dtype_size(x.dtype));
  dispatch(x.dtype, "Pooling", [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.as<T>();
    T* to = static_cast<T*>(powers);
    for (int64_t i = 0; i < x.size(); ++i) {
      to[i] = static_cast<T>(power == 2 ? from[i] * from[i] : from[i] * from[i] * from[i]);
    }
    pool2d(x.dtype, p, powers, y, resources);
    T* out = static_cast<T*>(y);
    for (int64_t i = 0; i < results; ++i) {
      const auto sum = static_cast<double>(out[i]);
      out[i] = static_cast<T>(power == 2 ? std::sqrt(sum) : std::cbrt(sum));
    }
  });
}

void run_pool(KernelContext& c) {
  const TensorView &in = c.in[0], &out = c.out[0];
  if (out.size() == 0) return;
  TensorView x = in, y = out;
  const bool last = is_last(c.attrs, in.shape);
  if (last) {
    x = room_for(in, c.resources);
    y = room_for(out, c.resources);
    strided_copy(seen_in_front(in), x, c.resources);
  }
  const PoolParams p = pool_params(c.attrs, x.shape);
  const int64_t power = power_of(c.attrs);
  if (power == 1) {
    pool2d(x.dtype, p, x.data, y.data, c.resources);
  } else {
    pool_powers(p, power, x, y.data, y.size(), c.resources);
  }
  if (last) strided_copy(y, seen_in_front(out), c.resources);
}

Entry in_order(GradBuilder& b, Entry e, bool to_front) {
  const int ndim = known_rank(b, e);
  std::vector<int64_t> axes{0};
  if (to_front) axes.push_back(ndim - 1);
  for (int i = to_front ? 1 : 2; i < (to_front ? ndim - 1 : ndim); ++i) axes.push_back(i);
  if (!to_front) axes.push_back(1);
  return b.op("transpose", {e}, {{"axes", axes}});
}

// d/dx of the root of the windows' sums of powers: x^(p - 1) times the sum over x's windows of
// g / y^(p - 1); 0 from windows of zeros, as in MXNet.
Entry grad_powers(GradBuilder& b, int64_t power, Entry g, Entry x, Entry y, const Attrs& sums) {
  const Expr result(b, y), data(b, x), grad(b, g);
  const Expr zero = test("equal", result, 0.0);
  const Expr below = power == 2 ? result : result * result;
  const Expr share = grad * test("not_equal", result, 0.0) / (below + zero);
  const Expr spread(b, b.op("pool_avg_grad", {share.entry()}, sums));
  return (power == 2 ? data * spread : data * data * spread).entry();
}

void grad_pool(GradBuilder& b) {
  if (!b.wanted(0)) return;
  Entry g = b.out_grad(), x = b.input(0), y = b.output();
  const bool last = b.attrs().has("layout") && is_last(b.attrs(), known_shape(b, x));
  const auto front = [&](Entry e) { return last ? in_order(b, e, true) : e; };
  g = front(g);
  Entry result;
  if (b.attrs().string("pool_type") == "max") {
    result = b.op("pool_max_grad", {g, front(x), front(y)}, converted(b.attrs(), "pool_max_grad"));
  } else {
    const Shape data = last ? channels_to_front(known_shape(b, x)) : known_shape(b, x);
    Attrs attrs = converted(b.attrs(), "pool_avg_grad");
    attrs.set("size", std::vector<int64_t>(data.begin() + 2, data.end()));
    const int64_t power = power_of(b.attrs());
    if (power_of(b.attrs()) != 1) {
      attrs.set("pool_type", std::string("sum"));
      result = grad_powers(b, power, g, front(x), front(y), attrs);
    } else {
      result = b.op("pool_avg_grad", {g}, attrs);
    }
  }
  b.set(0, last ? in_order(b, result, false) : result);
}

// --- pool_avg_grad(g): every element of g spread over its window (avg and sum) ------------------

void infer_avg_grad(InferContext& c) {
  one_dtype(c);
  require(c.attrs.string("pool_type") != "max", c.op_name,
          ": given pool_type max, whose gradient is pool_max_grad");
  const auto& size = c.attrs.ints("size");
  require(!size.empty() && size.size() <= 3, c.op_name, ": given size ", c.attrs.text("size"),
          ", expected one to three sizes");
  Shape data{-1, -1};
  for (const int64_t s : size) data.push_back(s);
  expect_pooled(c.attrs, data, "size");
  expect_rank(c, 0, data.ndim(), default_layout(data.ndim() - 2));
  if (!c.in_shapes[0].rank_known()) return;
  data[0] = c.in_shapes[0][0];
  data[1] = c.in_shapes[0][1];
  expect_shape(c, 0, pooled_shape(c.attrs, data));
  set_shape(c, 0, data);
}

void run_avg_grad(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  pool2d_grad(c.in[0].dtype, pool_params(c.attrs, c.out[0].shape), c.in[0].data, nullptr, nullptr,
              c.out[0].data, c.resources);
}

void grad_avg_grad(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op("Pooling", {b.out_grad()}, converted(b.attrs(), "Pooling")));
}

// --- pool_max_grad(g, data, result) and its adjoint pool_max_select(h, data) --------------------

void infer_max_grad(InferContext& c) {
  one_dtype(c);
  expect_pooled(c.attrs, c.in_shapes[1], "data");
  if (!c.in_shapes[1].rank_known()) return;
  const Shape data = c.in_shapes[1], result = pooled_shape(c.attrs, data);
  expect_shape(c, 0, result);
  expect_shape(c, 2, result);
  set_shape(c, 0, data);
}

void run_max_grad(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  pool2d_grad(c.in[0].dtype, pool_params(c.attrs, c.in[1].shape), c.in[0].data, c.in[1].data,
              c.in[2].data, c.out[0].data, c.resources);
}

void grad_max_grad(GradBuilder& b) {
  if (!b.wanted(0)) return;
  b.set(0, b.op("pool_max_select", {b.out_grad(), b.input(1)},
                converted(b.attrs(), "pool_max_select")));
}

void infer_max_select(InferContext& c) {
  one_dtype(c);
  expect_pooled(c.attrs, c.in_shapes[1], "data");
  if (!c.in_shapes[1].rank_known()) return;
  expect_shape(c, 0, c.in_shapes[1]);
  set_shape(c, 0, pooled_shape(c.attrs, c.in_shapes[1]));
}

template <class T>
void select_plane(const PoolParams& p, const T* values, const T* data, T* out) {
  for (int64_t line = 0; line < p.out_d * p.out_h; ++line) {
    const PoolWindow depth(line / p.out_h, p.kernel_d, p.stride_d, p.pad_d, p.in_d);
    const PoolWindow rows(line % p.out_h, p.kernel_h, p.stride_h, p.pad_h, p.in_h);
    for (int64_t ox = 0; ox < p.out_w; ++ox) {
      const PoolWindow columns(ox, p.kernel_w, p.stride_w, p.pad_w, p.in_w);
      int64_t best = -1;
      for (int64_t z = depth.begin; z < depth.end; ++z) {
        for (int64_t y = rows.begin; y < rows.end; ++y) {
          for (int64_t x = columns.begin; x < columns.end; ++x) {
            const int64_t at = (z * p.in_h + y) * p.in_w + x;
            if (best < 0 || data[at] > data[best]) best = at;
          }
        }
      }
      *out++ = values[best];
    }
  }
}

void run_max_select(KernelContext& c) {
  const PoolParams p = pool_params(c.attrs, c.in[1].shape);
  const int64_t in_plane = p.in_size(), out_plane = p.out_size();
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
  auto flops = static_cast<double>(std::min(in[0].size(), out[0].size()));
  for (const int64_t size : a.ints("kernel")) flops *= static_cast<double>(size);
  return flops;
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
      "The maximum, mean or sum of every window of data (n, c, w), (n, c, h, w) or (n, c, d, h, "
      "w), "
      "or the p-th root of the sum of p-th powers (lp). An axis of size h gets 1 + (h + 2 pad - "
      "kernel) / stride, rounded down (valid) or up (full). MXNet's Pooling.",
      {{"data", "(n, c, spatial axes), or as layout says"}});
  pool.infer = infer_pool;
  pool.cpu = run_pool;
  pool.on_device = true;
  pool.gradient = grad_pool;
  add_op(std::move(pool));

  OpDef avg = pool_def("pool_avg_grad",
                       "Gradient of average and sum pooling: every element of grad spread over its "
                       "window; gives (n, c, size).",
                       {{"grad", "gradient of the result"}});
  avg.attrs.push_back({"size", AttrType::ints, nullptr, "spatial sizes of the pooling's data"});
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

  OpDef select =
      pool_def("pool_max_select",
               "The element of values where data has the first maximum of each window: "
               "the adjoint of pool_max_grad.",
               {{"values", "(n, c, spatial axes)"}, {"data", "chooses the places", false}});
  select.infer = infer_max_select;
  select.cpu = run_max_select;
  select.gradient = grad_max_select;
  add_op(std::move(select));
}

}  // namespace hybrid
