// Correlation: patches of one feature map against those of another around them (FlowNet).
#include <cmath>
#include <cstring>

#include "kernels/by_dtype.h"
#include "ops/differentiable_once.h"
#include "ops/families.h"
#include "ops/grad_builder.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// Sizes as in Dosovitskiy et al. 2015, and in MXNet's operator.
struct Sizes {
  int64_t kernel, displacement, stride1, stride2, pad;
  int64_t radius() const { return displacement / stride2; }  // of the neighbourhood
  int64_t neighbours() const { return 2 * radius() + 1; }
  int64_t channels() const { return neighbours() * neighbours(); }
  int64_t border() const { return displacement + (kernel - 1) / 2; }
  int64_t length(int64_t size) const {
    const int64_t free = size + 2 * pad - 2 * border();
    return free > 0 ? (free + stride1 - 1) / stride1 : 0;
  }
};

Sizes sizes_of(const Attrs& attrs) {
  const Sizes s{attrs.integer("kernel_size"), attrs.integer("max_displacement"),
                attrs.integer("stride1"), attrs.integer("stride2"), attrs.integer("pad_size")};
  const char* op = attrs.op()->name;
  require(s.kernel > 0 && s.kernel % 2 == 1, op, ": given kernel_size ", s.kernel,
          ", expected an odd number");
  require(s.displacement >= 0 && s.stride1 > 0 && s.stride2 > 0 && s.pad >= 0, op,
          ": given max_displacement ", s.displacement, ", stride1 ", s.stride1, ", stride2 ",
          s.stride2, ", pad_size ", s.pad, ", expected 0 or more, and strides above 0");
  for (int64_t size : {s.kernel, s.displacement, s.pad}) {
    require(size < (int64_t{1} << 24), op, ": given a size of ", size);
  }
  return s;
}

void infer_correlation(InferContext& c) {
  const Sizes s = sizes_of(c.attrs);
  set_dtype(c, 0, unify_dtypes(c, {0, 1}));
  for (size_t i : {0, 1}) expect_rank(c, i, 4, "n, c, h, w");
  if (c.in_shapes[0].rank_known()) expect_shape(c, 1, c.in_shapes[0]);
  if (c.in_shapes[1].rank_known()) expect_shape(c, 0, c.in_shapes[1]);
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known() || data[2] < 0 || data[3] < 0) return;
  require(s.length(data[2]) > 0 && s.length(data[3]) > 0, c.op_name, ": given data of shape ", data,
          ", expected at least ", 2 * s.border() + 1, " places a side with the padding");
  set_shape(
      c, 0,
      checked_shape({data[0], s.channels(), s.length(data[2]), s.length(data[3])}, c.op_name));
}

// A value of a map with its border of zeros.
template <class T>
T value_at(const T* map, int64_t y, int64_t x, int64_t h, int64_t w) {
  return y < 0 || y >= h || x < 0 || x >= w ? T(0) : map[y * w + x];
}

// Calls body(offset of the result, taps' place in both maps).
template <class Body>
void for_each_result(const Sizes& s, const Shape& data, int64_t n, Body body) {
  const int64_t oh = s.length(data[2]), ow = s.length(data[3]);
  for (int64_t k = 0; k < s.channels(); ++k) {
    const int64_t dy = (k / s.neighbours() - s.radius()) * s.stride2;
    const int64_t dx = (k % s.neighbours() - s.radius()) * s.stride2;
    for (int64_t i = 0; i < oh; ++i) {
      for (int64_t j = 0; j < ow; ++j) {
        const int64_t y = i * s.stride1 + s.displacement - s.pad;
        const int64_t x = j * s.stride1 + s.displacement - s.pad;
        body(((n * s.channels() + k) * oh + i) * ow + j, y, x, y + dy, x + dx);
      }
    }
  }
}

void run_correlation(KernelContext& c) {
  const Sizes s = sizes_of(c.attrs);
  const Shape& data = c.in[0].shape;
  const bool product = c.attrs.boolean("is_multiply");
  const int64_t h = data[2], w = data[3];
  for_float(c.in[0].dtype, "Correlation", [&](auto zero) {
    using T = decltype(zero);
    const T count = static_cast<T>(s.kernel * s.kernel * data[1]);
    const auto patches = [&](int64_t n, int64_t y1, int64_t x1, int64_t y2, int64_t x2) {
      T sum = 0;
      for (int64_t k = 0; k < data[1]; ++k) {
        const int64_t plane = (n * data[1] + k) * h * w;
        const T *a = c.in[0].as<T>() + plane, *b = c.in[1].as<T>() + plane;
        for (int64_t i = 0; i < s.kernel; ++i) {
          for (int64_t j = 0; j < s.kernel; ++j) {
            const T p = value_at(a, y1 + i, x1 + j, h, w), q = value_at(b, y2 + i, x2 + j, h, w);
            sum += product ? p * q : std::abs(p - q);
          }
        }
      }
      return sum / count;
    };
    c.resources.parallel(data[0], 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        for_each_result(s, data, n,
                        [&](int64_t to, int64_t y1, int64_t x1, int64_t y2, int64_t x2) {
                          c.out[0].as<T>()[to] = patches(n, y1, x1, y2, x2);
                        });
      }
    });
  });
}

void grad_correlation(GradBuilder& b) {
  Attrs attrs(get_op("correlation_grad"));
  for (const AttrDef& def : attrs.op()->attrs) attrs.set(def.name, b.attrs().at(def.name));
  const Entry both = b.op("correlation_grad", {b.out_grad(), b.input(0), b.input(1)}, attrs);
  for (int i = 0; i < 2; ++i) {
    if (b.wanted(i)) b.set(i, {both.node, i});
  }
}

void infer_correlation_grad(InferContext& c) {
  sizes_of(c.attrs);
  const DType dtype = unify_dtypes(c, {0, 1, 2});
  for (size_t i : {0, 1}) {
    set_dtype(c, i, dtype);
    set_shape(c, i, c.in_shapes[i + 1]);
  }
}

void run_correlation_grad(KernelContext& c) {
  const Sizes s = sizes_of(c.attrs);
  const Shape& data = c.in[1].shape;
  const bool product = c.attrs.boolean("is_multiply");
  const int64_t h = data[2], w = data[3];
  for (int i = 0; i < 2; ++i) {
    std::memset(c.out[i].data, 0,
                static_cast<size_t>(c.out[i].size()) * dtype_size(c.out[i].dtype));
  }
  for_float(c.in[0].dtype, "Correlation", [&](auto zero) {
    using T = decltype(zero);
    const T count = static_cast<T>(s.kernel * s.kernel * data[1]);
    const auto add = [&](T* to, int64_t y, int64_t x, T value) {
      if (y >= 0 && y < h && x >= 0 && x < w) to[y * w + x] += value;
    };
    const auto spread = [&](int64_t n, T flow, int64_t y1, int64_t x1, int64_t y2, int64_t x2) {
      for (int64_t k = 0; k < data[1]; ++k) {
        const int64_t plane = (n * data[1] + k) * h * w;
        const T *a = c.in[1].as<T>() + plane, *b = c.in[2].as<T>() + plane;
        for (int64_t i = 0; i < s.kernel; ++i) {
          for (int64_t j = 0; j < s.kernel; ++j) {
            const T p = value_at(a, y1 + i, x1 + j, h, w), q = value_at(b, y2 + i, x2 + j, h, w);
            const T sign = p >= q ? T(1) : T(-1);  // of |p - q|
            add(c.out[0].as<T>() + plane, y1 + i, x1 + j, flow * (product ? q : sign));
            add(c.out[1].as<T>() + plane, y2 + i, x2 + j, flow * (product ? p : -sign));
          }
        }
      }
    };
    c.resources.parallel(data[0], 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        for_each_result(s, data, n,
                        [&](int64_t from, int64_t y1, int64_t x1, int64_t y2, int64_t x2) {
                          spread(n, c.in[0].as<T>()[from] / count, y1, x1, y2, x2);
                        });
      }
    });
  });
}

double correlation_flops(const Attrs& attrs, const std::vector<Shape>& in,
                         const std::vector<Shape>& out) {
  const Sizes s = sizes_of(attrs);
  return 2.0 * static_cast<double>(s.kernel * s.kernel) * static_cast<double>(in[0][1]) *
         static_cast<double>(out[0].size());
}

}  // namespace

void register_correlation() {
  OpDef def;
  def.name = "Correlation";
  def.family = Family::conv;
  def.doc =
      "Mean product (or absolute difference) of every patch of data1 with the patches of data2 "
      "around it (Dosovitskiy et al. 2015): (n, neighbours, oh, ow). MXNet's Correlation.";
  def.inputs = {{"data1", "(n, c, h, w)"}, {"data2", "(n, c, h, w)"}};
  def.attrs = {{"kernel_size", AttrType::integer, "1", "side of a patch, odd"},
               {"max_displacement", AttrType::integer, "1", "farthest neighbour"},
               {"stride1", AttrType::integer, "1", "distance of patches in data1"},
               {"stride2", AttrType::integer, "1", "distance of neighbours in data2"},
               {"pad_size", AttrType::integer, "0", "zeros around both"},
               {"is_multiply", AttrType::boolean, "True", "products, not absolute differences"}};
  def.infer = infer_correlation;
  def.cpu = run_correlation;
  def.gradient = grad_correlation;
  def.flops = correlation_flops;
  OpDef grad = def;
  add_op(std::move(def));

  grad.name = "correlation_grad";
  grad.doc = "The gradients of Correlation by data1 and data2.";
  grad.inputs = {{"grad", "gradient of the result"}, {"data1", "its"}, {"data2", "its"}};
  grad.num_outputs = 2;
  grad.infer = infer_correlation_grad;
  grad.cpu = run_correlation_grad;
  grad.gradient = differentiable_once;
  grad.flops = nullptr;
  add_op(std::move(grad));
}

}  // namespace hybrid
