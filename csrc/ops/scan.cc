// Running results along an axis: cumsum, cumprod, cummax, cummin and the linear recurrence that
// their gradients are made of.
#include <algorithm>
#include <cstring>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/run_elem.h"
#include "ops/wrapping.h"

namespace hybrid {

namespace {

struct Sum {
  template <class T>
  T operator()(T total, T x) const {
    return static_cast<T>(total + x);
  }
};
struct Product {
  template <class T>
  T operator()(T total, T x) const {
    return static_cast<T>(total * x);
  }
  // Without the promotion to int, which overflows.
  uint16_t operator()(uint16_t total, uint16_t x) const {
    return static_cast<uint16_t>(static_cast<uint32_t>(total) * x);
  }
};
// A NaN stays, as in NumPy's maximum and minimum.
struct Greatest {
  template <class T>
  T operator()(T best, T x) const {
    return best >= x || best != best ? best : x;
  }
};
struct Least {
  template <class T>
  T operator()(T best, T x) const {
    return best <= x || best != best ? best : x;
  }
};

AxisView axis_view(const Attrs& attrs, const Shape& in) {
  return attrs.has("axis")
             ? AxisView(in, normalize_axis(attrs.integer("axis"), in.ndim(), attrs.op()->name))
             : AxisView(Shape{in.size()}, 0);
}

// One pass over the axis in order: step(i, previous or -1, begin, end) for slices of `inner`.
constexpr int64_t kColumns = 256;  // a tile of columns stays in the first-level cache

template <class Body>
void for_each_tile(const AxisView& v, Resources& resources, Body&& body) {
  const int64_t tiles = (v.inner + kColumns - 1) / kColumns;
  const int64_t grain =
      std::max<int64_t>(1, 32768 / (std::max<int64_t>(v.size, 1) * std::min(v.inner, kColumns)));
  resources.parallel(v.outer * tiles, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t column = t % tiles * kColumns;
      body(t / tiles * v.size * v.inner + column, std::min(kColumns, v.inner - column));
    }
  });
}

// Every result is the one before it joined with one element, so the order is NumPy's.
template <class T, class Join>
void scan(const T* in, T* out, const AxisView& v, Join join, Resources& resources) {
  if (v.outer * v.size * v.inner == 0) return;
  for_each_tile(v, resources, [&](int64_t base, int64_t width) {
    if (width == 1) {
      T total = in[base];
      out[base] = total;
      for (int64_t i = 1; i < v.size; ++i) {
        total = join(total, in[base + i * v.inner]);
        out[base + i * v.inner] = total;
      }
      return;
    }
    std::copy(in + base, in + base + width, out + base);
    for (int64_t i = 1; i < v.size; ++i) {
      const int64_t at = base + i * v.inner;
      for (int64_t j = at; j < at + width; ++j) out[j] = join(out[j - v.inner], in[j]);
    }
  });
}

template <class Join>
void run_wrapping(KernelContext& c) {
  const AxisView v = axis_view(c.attrs, c.in[0].shape);
  TensorView in = c.in[0];
  if (in.dtype != c.out[0].dtype) {
    in = scratch_view(c.out[0].dtype, in.shape, c.resources);
    if (in.size() > 0) run_unary(ElemCode::cast, c.in[0], in, c.resources);
  }
  dispatch_wrapping(in.dtype, c.attrs.op()->name, [&](auto zero) {
    using T = decltype(zero);
    scan(in.as<T>(), c.out[0].as<T>(), v, Join(), c.resources);
  });
}

template <class Join>
void run_ordered(KernelContext& c) {
  const AxisView v = axis_view(c.attrs, c.in[0].shape);
  dispatch(c.in[0].dtype, c.attrs.op()->name, [&](auto zero) {
    using T = decltype(zero);
    scan(c.in[0].as<T>(), c.out[0].as<T>(), v, Join(), c.resources);
  });
}

bool has_dtype(const Attrs& attrs) {
  return attrs.op()->attr_index("dtype") >= 0 && attrs.has("dtype");
}

void infer_scan(InferContext& c) {
  if (has_dtype(c.attrs)) {
    const DType to = c.attrs.dtype("dtype");
    require((kNumbersComplex & dtype_bit(to)) != 0, c.op_name, ": given dtype ", dtype_name(to),
            ", expected one of ", dtype_set_names(kNumbersComplex));
    set_dtype(c, 0, to);
  } else {
    one_dtype(c);
  }
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  if (c.attrs.has("axis")) {
    normalize_axis(c.attrs.integer("axis"), in.ndim(), c.op_name);
    set_shape(c, 0, in);
  } else {
    set_shape(c, 0, {in.known() ? in.size() : -1});
  }
}

// --- gradients ----------------------------------------------------------------------------------

// The axis of a use, and the input and its size as the scan sees them (None: flattened).
struct Line {
  GradBuilder& b;
  Entry x;
  int axis;
  int64_t size;

  explicit Line(GradBuilder& builder, int input = 0) : b(builder), x(builder.input(input)) {
    Shape shape = known_shape(b, x);
    if (!b.attrs().has("axis")) {
      if (shape.ndim() != 1) x = reshape_to(b, x, {shape.size()});
      shape = {shape.size()};
      axis = 0;
    } else {
      axis = normalize_axis(b.attrs().integer("axis"), shape.ndim(), b.attrs().op()->name);
    }
    size = shape[axis];
  }
  Entry reversed(Entry e) const {
    return b.op("reverse", {e}, {{"axis", std::vector<int64_t>{axis}}});
  }
  Entry part(Entry e, int64_t begin, int64_t end) const {
    return b.op("slice_axis", {e}, {{"axis", axis}, {"begin", begin}, {"end", end}});
  }
  // e one place later along the axis, after `first` (a slice of size at most 1).
  Entry after(Entry first, Entry e) const {
    if (size <= 1) return first;
    return b.op("concat", {first, part(e, 0, size - 1)}, {{"dim", axis}});
  }
  Entry head(Entry e) const { return part(e, 0, std::min<int64_t>(size, 1)); }
  // s_i = g_i + factor_{i+1} s_{i+1}: how much each place counts in everything after it.
  Entry backwards(Entry factor, Entry g) const {
    const Entry turned = reversed(factor);
    return reversed(
        b.op("linear_recurrence", {after(head(turned), turned), reversed(g)}, {{"axis", axis}}));
  }
};

void grad_cumsum(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Line line(b);
  Entry sums = b.op("cumsum", {line.reversed(b.out_grad())}, {{"axis", line.axis}});
  if (has_dtype(b.attrs())) {
    sums = b.op("cast", {sums}, {{"dtype", static_cast<int64_t>(known_dtype(b, b.input(0)))}});
  }
  b.set(0, reshape_as(b, line.reversed(sums), b.input(0)));
}

// The product of the elements before, times what the products after make of it: right at zeros.
void grad_cumprod(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Line line(b);
  const Entry before = line.after(b.op("ones_like", {line.head(line.x)}), b.output());
  const Entry grad = b.op("mul", {before, line.backwards(line.x, b.out_grad())});
  b.set(0, reshape_as(b, grad, b.input(0)));
}

// An element that is a new best takes the gradients up to the next one.
void grad_extreme(GradBuilder& b, const char* not_better) {
  if (!b.wanted(0)) return;
  const Line line(b);
  Entry best = b.op("ones_like", {line.head(line.x)});
  Entry follows = b.op("zeros_like", {best});
  if (line.size > 1) {
    const Entry rest = line.part(line.x, 1, line.size),
                so_far = line.part(b.output(), 0, line.size - 1);
    const Entry same = b.op(not_better, {rest, so_far}, {{"dtype", AttrValue()}});
    follows = b.op("concat", {follows, same}, {{"dim", line.axis}});
    best = b.op("rsub_scalar", {follows}, {{"scalar", 1.0}});
  }
  const Entry grad = b.op("mul", {best, line.backwards(follows, b.out_grad())});
  b.set(0, reshape_as(b, grad, b.input(0)));
}
void grad_cummax(GradBuilder& b) { grad_extreme(b, "lesser_equal"); }
void grad_cummin(GradBuilder& b) { grad_extreme(b, "greater_equal"); }

// --- linear recurrence --------------------------------------------------------------------------

void infer_recurrence(InferContext& c) {
  infer_like(c);
  if (c.in_shapes[0].rank_known()) {
    normalize_axis(c.attrs.integer("axis"), c.in_shapes[0].ndim(), c.op_name);
  }
}

void run_recurrence(KernelContext& c) {
  const AxisView v = axis_view(c.attrs, c.in[0].shape);
  if (v.outer * v.size * v.inner == 0) return;
  dispatch_wrapping(c.in[0].dtype, "linear_recurrence", [&](auto zero) {
    using T = decltype(zero);
    const T *a = c.in[0].as<T>(), *b = c.in[1].as<T>();
    T* out = c.out[0].as<T>();
    for_each_tile(v, c.resources, [&](int64_t base, int64_t width) {
      std::copy(b + base, b + base + width, out + base);
      for (int64_t i = 1; i < v.size; ++i) {
        const int64_t at = base + i * v.inner;
        for (int64_t j = at; j < at + width; ++j) {
          out[j] = Sum()(Product()(a[j], out[j - v.inner]), b[j]);
        }
      }
    });
  });
}

void grad_recurrence(GradBuilder& b) {
  const Line line(b);
  const Entry g = line.backwards(line.x, b.out_grad());
  if (b.wanted(1)) b.set(1, g);
  if (b.wanted(0)) {
    const Entry before = line.after(b.op("zeros_like", {line.head(b.output())}), b.output());
    b.set(0, b.op("mul", {g, before}));
  }
}

OpDef scan_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::index;
  def.doc = doc;
  def.inputs = {{"a", "array"}};
  def.attrs = {
      {"axis", AttrType::integer, "None", "axis to run along; None: the flattened array", "None"}};
  def.infer = infer_scan;
  return def;
}

}  // namespace

void register_scan() {
  OpDef sum = scan_def("cumsum",
                       "Running sums along axis, one element after the other as NumPy adds them; "
                       "integers wrap.");
  sum.attrs.push_back({"dtype", AttrType::dtype, "None", "dtype of the sums; None: that of a"});
  sum.dtypes = kNumbersComplex;
  sum.cpu = run_wrapping<Sum>;
  sum.gradient = grad_cumsum;
  add_op(std::move(sum));

  OpDef product = scan_def("cumprod", "Running products along axis; integers wrap.");
  product.dtypes = kNumbersComplex;
  product.cpu = run_wrapping<Product>;
  product.gradient = grad_cumprod;
  add_op(std::move(product));

  OpDef greatest = scan_def("cummax", "The greatest element so far along axis; a NaN stays.");
  greatest.dtypes = kAllOrdered;
  greatest.cpu = run_ordered<Greatest>;
  greatest.gradient = grad_cummax;
  add_op(std::move(greatest));

  OpDef least = scan_def("cummin", "The least element so far along axis; a NaN stays.");
  least.dtypes = kAllOrdered;
  least.cpu = run_ordered<Least>;
  least.gradient = grad_cummin;
  add_op(std::move(least));

  OpDef recurrence = scan_def("linear_recurrence",
                              "y[0] = b[0], y[i] = a[i] * y[i-1] + b[i] along axis; a[0] is not "
                              "read.");
  recurrence.inputs = {{"a", "factors"}, {"b", "terms, of a's shape and dtype"}};
  recurrence.attrs = {{"axis", AttrType::integer, "-1", "axis to run along"}};
  recurrence.dtypes = kNumbersComplex;
  recurrence.infer = infer_recurrence;
  recurrence.cpu = run_recurrence;
  recurrence.gradient = grad_recurrence;
  add_op(std::move(recurrence));
}

}  // namespace hybrid
