// LRN: local response normalization, over neighbouring channels.
#include <algorithm>
#include <cmath>

#include "ops/dispatch.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

void infer_lrn(InferContext& c) {
  const int64_t size = c.attrs.integer("nsize");
  require(size >= 1 && size % 2 == 1 && size < (int64_t{1} << 30), c.op_name, ": given nsize ",
          size, ", expected an odd number of channels");
  infer_like(c);
  expect_rank(c, 0, 4, "NCHW");
}

// One sample: sums of squares over the channels around each one, a channel at a time.
template <class T>
void normalize(const Attrs& a, int64_t channels, int64_t plane, const T* x, T* y) {
  const int64_t half = a.integer("nsize") / 2;
  const double alpha = a.real("alpha") / static_cast<double>(a.integer("nsize"));
  const double beta = a.real("beta"), knorm = a.real("knorm");
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t first = std::max<int64_t>(0, c - half), last = std::min(channels, c + half + 1);
    for (int64_t i = 0; i < plane; ++i) {
      double sum = 0;
      for (int64_t k = first; k < last; ++k) {
        const auto value = static_cast<double>(x[k * plane + i]);
        sum += value * value;
      }
      const auto value = static_cast<double>(x[c * plane + i]);
      y[c * plane + i] = static_cast<T>(value * std::pow(knorm + alpha * sum, -beta));
    }
  }
}

void run_lrn(KernelContext& c) {
  const Shape& shape = c.in[0].shape;
  if (c.out[0].size() == 0) return;
  const int64_t plane = shape[2] * shape[3], sample = shape[1] * plane;
  dispatch(c.out[0].dtype, "LRN", [&](auto zero) {
    using T = decltype(zero);
    c.resources.parallel(shape[0], std::max<int64_t>(1, 2048 / sample), [&](int64_t b, int64_t e) {
      for (int64_t n = b; n < e && !c.resources.cancelled(); ++n) {
        normalize(c.attrs, shape[1], plane, c.in[0].as<T>() + n * sample,
                  c.out[0].as<T>() + n * sample);
      }
    });
  });
}

// With W the sum over the channels around one (its own adjoint) and s = knorm + alpha / nsize W(x
// x): gx = g s^-beta - 2 alpha beta / nsize x W(g x s^(-beta - 1)).
void grad_lrn(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape shape = known_shape(b, b.input(0));
  const int64_t size = b.attrs().integer("nsize");
  const double alpha = b.attrs().real("alpha") / static_cast<double>(size);
  const double beta = b.attrs().real("beta");
  const Shape columns{shape[0], 1, shape[1], shape[2] * shape[3]};
  const auto around = [&](const Expr& e) {
    const Entry sums = b.op("Pooling", {reshape_to(b, e.entry(), columns)},
                            {{"kernel", std::vector<int64_t>{size, 1}},
                             {"pad", std::vector<int64_t>{size / 2, 0}},
                             {"pool_type", std::string("sum")}});
    return Expr(b, reshape_to(b, sums, shape));
  };
  const Expr x(b, b.input(0)), g(b, b.out_grad());
  const Expr s = around(x * x) * alpha + b.attrs().real("knorm");
  const Expr power = binary("power", s, -beta);
  b.set(0, (g * power - x * around(g * x * (power / s)) * (2 * alpha * beta)).entry());
}

}  // namespace

void register_lrn() {
  OpDef lrn;
  lrn.name = "LRN";
  lrn.family = Family::reduce;
  lrn.doc =
      "data / (knorm + alpha / nsize * sum of squares over the nsize channels around each one) ^ "
      "beta (Krizhevsky, Sutskever and Hinton 2012). MXNet's LRN.";
  lrn.inputs = {{"data", "(n, c, h, w)"}};
  lrn.attrs = {{"alpha", AttrType::real, "0.0001", "factor of the squares"},
               {"beta", AttrType::real, "0.75", "the power"},
               {"knorm", AttrType::real, "2.0", "added to them"},
               {"nsize", AttrType::integer, nullptr, "channels that count, an odd number"}};
  lrn.infer = infer_lrn;
  lrn.cpu = run_lrn;
  lrn.gradient = grad_lrn;
  lrn.flops = [](const Attrs& a, const std::vector<Shape>& in, const std::vector<Shape>&) {
    return static_cast<double>(20 + 2 * a.integer("nsize")) * static_cast<double>(in[0].size());
  };
  add_op(std::move(lrn));
}

}  // namespace hybrid
