// L2Normalization: vectors divided by their length.
#include <cmath>
#include <vector>

#include "kernels/scratch.h"
#include "ops/dispatch.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// Data seen as (outer, size, inner): the vectors lie along the middle.
struct Vectors {
  int64_t outer = 1, size = 1, inner = 1;
  std::vector<int64_t> axes;  // of the data, along which a vector lies

  Vectors(const Attrs& attrs, const Shape& data) {
    const std::string& mode = attrs.string("mode");
    const int first = mode == "spatial" ? 2 : 1;
    const int last = mode == "channel" ? 2 : data.ndim();
    for (int i = 0; i < data.ndim(); ++i) {
      (i < first ? outer : i < last ? size : inner) *= data[i];
      if (i >= first && i < last) axes.push_back(i);
    }
  }
};

void infer_l2(InferContext& c) {
  require(c.attrs.real("eps") >= 0, c.op_name, ": given eps ", c.attrs.real("eps"),
          ", expected 0 or more");
  infer_like(c);
  const Shape& data = c.in_shapes[0];
  const std::string& mode = c.attrs.string("mode");
  const int least = mode == "instance" ? 1 : 3;
  require(!data.rank_known() || data.ndim() >= least, c.op_name, ": given data of shape ", data,
          ", expected at least ", least, " dimensions for mode ", mode);
}

void run_l2(KernelContext& c) {
  const Vectors v(c.attrs, c.in[0].shape);
  if (c.out[0].size() == 0) return;
  const double eps = c.attrs.real("eps");
  dispatch(c.out[0].dtype, "L2Normalization", [&](auto zero) {
    using T = decltype(zero);
    auto some = [&](int64_t begin, int64_t end) {
      thread_local ThreadScratch scratch;
      auto* sums = static_cast<double*>(scratch.get(static_cast<size_t>(v.inner) * sizeof(double)));
      for (int64_t o = begin; o < end; ++o) {
        const T* x = c.in[0].as<T>() + o * v.size * v.inner;
        T* y = c.out[0].as<T>() + o * v.size * v.inner;
        std::fill_n(sums, v.inner, eps);
        for (int64_t i = 0; i < v.size * v.inner; ++i) {
          const auto value = static_cast<double>(x[i]);
          sums[i % v.inner] += value * value;
        }
        for (int64_t i = 0; i < v.inner; ++i) sums[i] = std::sqrt(sums[i]);
        for (int64_t i = 0; i < v.size * v.inner; ++i) {
          y[i] = static_cast<T>(static_cast<double>(x[i]) / sums[i % v.inner]);
        }
      }
    };
    const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, v.size * v.inner));
    c.resources.parallel(v.outer, grain, some);
  });
}

// With y = x / n: gx = (g - y sum(g y)) / n, sums along the vectors.
void grad_l2(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Vectors v(b.attrs(), known_shape(b, b.input(0)));
  const auto sum = [&](const Expr& e) {
    if (v.axes.empty()) return e;
    return Expr(b, b.op("sum", {e.entry()}, {{"axis", v.axes}, {"keepdims", true}}));
  };
  const Expr x(b, b.input(0)), y(b, b.output()), g(b, b.out_grad());
  const Expr inverse = unary("rsqrt", sum(x * x) + b.attrs().real("eps"));
  b.set(0, ((g - y * sum(g * y)) * inverse).entry());
}

}  // namespace

void register_l2_norm() {
  OpDef norm;
  norm.name = "L2Normalization";
  norm.family = Family::reduce;
  norm.doc =
      "data / sqrt(sum of squares + eps): every sample (mode instance), every sample's channels at "
      "one place (channel), or every channel of every sample (spatial) becomes a vector of length "
      "1. MXNet's L2Normalization.";
  norm.inputs = {{"data", "(n, c, spatial axes)"}};
  norm.attrs = {
      {"eps", AttrType::real, "1e-10", "added to the sum of squares"},
      {"mode", AttrType::string, "instance", "what is one vector", "channel|instance|spatial"}};
  norm.infer = infer_l2;
  norm.cpu = run_l2;
  norm.gradient = grad_l2;
  norm.in_place = {{0, 0}};
  norm.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
    return 4.0 * static_cast<double>(in[0].size());
  };
  add_op(std::move(norm));
}

}  // namespace hybrid
