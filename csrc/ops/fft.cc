// Discrete Fourier transforms along an axis: complex, of real numbers, and MXNet's of pairs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/fft.h"
#include "ops/dispatch.h"
#include "ops/grad_builder.h"

#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

int axis_of(const Attrs& attrs, const Shape& in) {
  return attrs.op()->attr_index("axis") < 0
             ? in.ndim() - 1
             : normalize_axis(attrs.integer("axis"), in.ndim(), attrs.op()->name);
}

DType complex_of(DType d) {
  return d == DType::float32   ? DType::complex64
         : d == DType::float64 ? DType::complex128
                               : DType::unknown;
}
DType real_of(DType d) {
  return d == DType::complex64    ? DType::float32
         : d == DType::complex128 ? DType::float64
                                  : DType::unknown;
}

// Calls body(float{}) or body(double{}), whatever an element's parts are.
template <class Body>
void by_part(DType dtype, Body&& body) {
  if (dtype == DType::float32 || dtype == DType::complex64) return body(float{});
  body(double{});
}

// The places of one line: `parts` numbers an element.
struct Lines {
  AxisView view;
  int64_t parts;
  Lines(const Shape& shape, int axis, int64_t numbers) : view(shape, axis), parts(numbers) {}
  int64_t count() const { return view.outer * view.inner; }
  int64_t start(int64_t line) const {
    return (line / view.inner * view.size * view.inner + line % view.inner) * parts;
  }
  int64_t step() const { return view.inner * parts; }
};

// n complex numbers of a line, its end cut off or zeros after it.
template <class T>
void load(const T* from, const Lines& lines, int64_t n, bool conjugated, Complex* to) {
  const int64_t known = std::min(n, lines.view.size);
  const double sign = conjugated ? -1 : 1;
  for (int64_t i = 0; i < known; ++i) {
    const T* x = from + i * lines.step();
    to[i] = {static_cast<double>(x[0]), lines.parts > 1 ? sign * static_cast<double>(x[1]) : 0.0};
  }
  std::fill(to + known, to + n, Complex());
}

template <class T>
void store(const Complex* from, int64_t n, bool conjugated, double scale, T* to,
           const Lines& lines) {
  const double other = conjugated ? -scale : scale;
  for (int64_t i = 0; i < n; ++i) {
    T* x = to + i * lines.step();
    x[0] = static_cast<T>(from[i].re * scale);
    if (lines.parts > 1) x[1] = static_cast<T>(from[i].im * other);
  }
}

// Calls body(from, to, work) for every line, with `numbers` complex numbers of work.
template <class T, class Body>
void for_each_line(KernelContext& c, const Lines& in, const Lines& out, int64_t numbers,
                   Body&& body) {
  const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(numbers, 1));
  c.resources.parallel(in.count(), grain, [&](int64_t begin, int64_t end) {
    std::vector<Complex> work(static_cast<size_t>(numbers));
    for (int64_t i = begin; i < end && !c.resources.cancelled(); ++i) {
      body(c.in[0].as<T>() + in.start(i), c.out[0].as<T>() + out.start(i), work.data());
    }
  });
}

// A transform of n complex numbers a line; the inverse by two conjugations.
void transform(KernelContext& c, const Lines& in, const Lines& out, int64_t n, bool inverse,
               double scale) {
  if (in.count() == 0 || n == 0) return;
  const FftPlan plan(n);
  by_part(c.in[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_line<T>(c, in, out, n + plan.scratch(), [&](const T* from, T* to, Complex* work) {
      load(from, in, n, inverse, work);
      plan.run(work, work + n);
      store(work, n, inverse, scale, to, out);
    });
  });
}

double fft_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  const double size = static_cast<double>(std::max(in[0].size(), out[0].size()));
  return 10.0 * size * std::log2(size + 2);
}

// --- complex numbers ----------------------------------------------------------------------------

int64_t points(const InferContext& c) {
  const int64_t n = c.attrs.integer("n");
  require(n >= 1, c.op_name, ": given n ", n, ", expected at least 1");
  return n;
}

void set_line(InferContext& c, int64_t size) {
  if (!c.in_shapes[0].rank_known()) return;
  Shape out = c.in_shapes[0];
  out[axis_of(c.attrs, out)] = size;
  set_shape(c, 0, out);
}

void infer_fft(InferContext& c) {
  one_dtype(c);
  set_line(c, points(c));
}

void run_fft(KernelContext& c) {
  const int axis = axis_of(c.attrs, c.in[0].shape);
  transform(c, Lines(c.in[0].shape, axis, 2), Lines(c.out[0].shape, axis, 2), c.attrs.integer("n"),
            c.attrs.boolean("inverse"), c.attrs.real("scale"));
}

// --- real numbers -------------------------------------------------------------------------------

void infer_rfft(InferContext& c) {
  if (c.in_dtypes[0] != DType::unknown) set_dtype(c, 0, complex_of(c.in_dtypes[0]));
  set_line(c, points(c) / 2 + 1);
}

void run_rfft(KernelContext& c) {
  const int axis = axis_of(c.attrs, c.in[0].shape);
  const Lines in(c.in[0].shape, axis, 1), out(c.out[0].shape, axis, 2);
  if (in.count() == 0) return;
  const int64_t n = c.attrs.integer("n"), half = n / 2 + 1;
  const double scale = c.attrs.real("scale");
  const RealFftPlan plan(n);
  by_part(c.in[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_line<T>(c, in, out, 2 * half + plan.scratch(),
                     [&](const T* from, T* to, Complex* work) {
                       double* x = &work[half].re;
                       const int64_t known = std::min(n, in.view.size);
                       for (int64_t i = 0; i < known; ++i) {
                         x[i] = static_cast<double>(from[i * in.step()]);
                       }
                       std::fill(x + known, x + n, 0.0);
                       plan.forward(x, work, work + 2 * half);
                       store(work, half, false, scale, to, out);
                     });
  });
}

void infer_irfft(InferContext& c) {
  if (c.in_dtypes[0] != DType::unknown) set_dtype(c, 0, real_of(c.in_dtypes[0]));
  set_line(c, points(c));
}

void run_irfft(KernelContext& c) {
  const int axis = axis_of(c.attrs, c.in[0].shape);
  const Lines in(c.in[0].shape, axis, 2), out(c.out[0].shape, axis, 1);
  if (in.count() == 0) return;
  const int64_t n = c.attrs.integer("n"), half = n / 2 + 1;
  const double scale = c.attrs.real("scale");
  const RealFftPlan plan(n);
  by_part(c.in[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_line<T>(c, in, out, 2 * half + plan.scratch(),
                     [&](const T* from, T* to, Complex* work) {
                       double* x = &work[half].re;
                       load(from, in, half, false, work);
                       plan.inverse(work, x, work + 2 * half);
                       for (int64_t i = 0; i < n; ++i) {
                         to[i * out.step()] = static_cast<T>(x[i] * scale);
                       }
                     });
  });
}

// --- MXNet's pairs ------------------------------------------------------------------------------

void infer_pairs(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  require(in.ndim() >= 1, c.op_name, ": given a scalar, expected at least one dimension");
  const int64_t size = in[in.ndim() - 1];
  set_line(c, size < 0 ? -1 : 2 * size);
}

void run_pairs(KernelContext& c) {
  const Shape& shape = c.in[0].shape;
  const int64_t n = shape[shape.ndim() - 1];
  const int axis = shape.ndim() - 1;
  transform(c, Lines(shape, axis, 1), Lines(shape, axis, 2), n, false, 1.0);
}

void infer_from_pairs(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  require(in.ndim() >= 1 && (in[in.ndim() - 1] < 0 || in[in.ndim() - 1] % 2 == 0), c.op_name,
          ": given ", in, ", expected pairs (an even size) in the last dimension");
  const int64_t size = in[in.ndim() - 1];
  set_line(c, size < 0 ? -1 : size / 2);
}

void run_from_pairs(KernelContext& c) {
  const Shape& shape = c.out[0].shape;
  const int axis = shape.ndim() - 1;
  transform(c, Lines(shape, axis, 2), Lines(shape, axis, 1), shape[axis], true, 1.0);
}

// Each is the transpose of the other.
void grad_pairs(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op("_contrib_ifft", {b.out_grad()}));
}
void grad_from_pairs(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op("_contrib_fft", {b.out_grad()}));
}

OpDef fft_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::other;
  def.doc = doc;
  def.inputs = {{"a", "array", false}};
  def.attrs = {{"axis", AttrType::integer, "-1", "axis of the transform"},
               {"n", AttrType::integer, nullptr,
                "points of the transform: the axis is cut off, or zeros stand after it"},
               {"scale", AttrType::real, "1.0", "factor of the result"}};
  def.flops = fft_flops;
  return def;
}

}  // namespace

void register_fft() {
  OpDef fft = fft_def("fft",
                      "Discrete Fourier transform along axis, sum of a[j] exp(-2 pi i j k / n), in "
                      "double precision; the inverse has +2 pi i and is not divided by n.");
  fft.attrs.push_back({"inverse", AttrType::boolean, "False", "the inverse, not scaled"});
  fft.dtypes = kComplex;
  fft.infer = infer_fft;
  fft.cpu = run_fft;
  add_op(std::move(fft));

  OpDef rfft = fft_def("rfft", "The first n / 2 + 1 numbers of the transform of real numbers.");
  rfft.infer = infer_rfft;
  rfft.cpu = run_rfft;
  add_op(std::move(rfft));

  OpDef irfft = fft_def("irfft",
                        "n real numbers from the first n / 2 + 1 of their transform, not divided "
                        "by n.");
  irfft.dtypes = kComplex;
  irfft.infer = infer_irfft;
  irfft.cpu = run_irfft;
  add_op(std::move(irfft));

  OpDef pairs;
  pairs.name = "_contrib_fft";
  pairs.family = Family::other;
  pairs.doc =
      "MXNet's contrib.fft: transforms of the last axis, (..., d) to (..., 2 d) of real and "
      "imaginary parts by turns.";
  pairs.inputs = {{"data", "array"}};
  pairs.infer = infer_pairs;
  pairs.cpu = run_pairs;
  pairs.gradient = grad_pairs;
  pairs.flops = fft_flops;
  OpDef back = pairs;
  add_op(std::move(pairs));

  back.name = "_contrib_ifft";
  back.doc =
      "MXNet's contrib.ifft: the real parts of the inverse transforms, (..., 2 d) to (..., d), not "
      "divided by d.";
  back.infer = infer_from_pairs;
  back.cpu = run_from_pairs;
  back.gradient = grad_from_pairs;
  add_op(std::move(back));
}

}  // namespace hybrid
