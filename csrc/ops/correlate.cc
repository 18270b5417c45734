// Correlation of two vectors: what np.correlate and np.convolve are made of.
#include <algorithm>

#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/wrapping.h"

namespace hybrid {

namespace {

// Of bools, a sum is an "or" and a product an "and".
struct Bit {
  uint8_t on;
  Bit operator+(Bit o) const { return {static_cast<uint8_t>(on | o.on)}; }
  Bit operator*(Bit o) const { return {static_cast<uint8_t>(on & o.on)}; }
};

// What an element is added up in: single precision in double, small integers in 32 bits.
double wide(float x) { return x; }
double wide(double x) { return x; }
Pair<double> wide(Pair<float> x) { return {x.re, x.im}; }
Pair<double> wide(Pair<double> x) { return x; }
uint32_t wide(uint8_t x) { return x; }
uint32_t wide(uint16_t x) { return x; }
uint32_t wide(uint32_t x) { return x; }
uint64_t wide(uint64_t x) { return x; }
Bit wide(Bit x) { return x; }

template <class T, class Total>
T narrow(Total x) {
  return static_cast<T>(x);
}
template <>
Pair<float> narrow(Pair<double> x) {
  return {static_cast<float>(x.re), static_cast<float>(x.im)};
}

constexpr int64_t kTile = 256;  // sums that stay in the first-level cache

// Every sum runs over v in order, whatever the tiles and threads.
template <class T>
void correlate(const TensorView& av, const TensorView& vv, int64_t left, const TensorView& ov,
               Resources& resources) {
  const T *a = av.as<T>(), *v = vv.as<T>();
  T* out = ov.as<T>();
  const int64_t n = av.size(), m = vv.size(), size = ov.size();
  const int64_t grain =
      std::max<int64_t>(1, (int64_t{1} << 16) / (kTile * std::max<int64_t>(m, 1)));
  resources.parallel((size + kTile - 1) / kTile, grain, [&](int64_t begin, int64_t end) {
    decltype(wide(T{})) totals[kTile];
    for (int64_t tile = begin; tile < end && !resources.cancelled(); ++tile) {
      const int64_t base = tile * kTile, stop = std::min(base + kTile, size);
      std::fill(totals, totals + kTile, decltype(wide(T{})){});
      const int64_t first = std::max<int64_t>(0, left - stop + 1);
      const int64_t last = std::min(m, n + left - base);
      for (int64_t k = first; k < last; ++k) {
        const int64_t shift = k - left;
        const auto factor = wide(v[k]);
        const int64_t from = std::max(base, -shift), to = std::min(stop, n - shift);
        for (int64_t o = from; o < to; ++o) {
          totals[o - base] = totals[o - base] + wide(a[o + shift]) * factor;
        }
      }
      for (int64_t o = base; o < stop; ++o) out[o] = narrow<T>(totals[o - base]);
    }
  });
}

void infer_correlate(InferContext& c) {
  one_dtype(c);
  expect_rank(c, 0, 1, "(n)");
  expect_rank(c, 1, 1, "(m)");
  const int64_t size = c.attrs.integer("size");
  require(size >= 0, c.op_name, ": given size ", size, ", expected at least 0");
  set_shape(c, 0, checked_shape({size}, c.op_name));
}

void run_correlate(KernelContext& c) {
  const auto run = [&](auto zero) {
    correlate<decltype(zero)>(c.in[0], c.in[1], c.attrs.integer("left"), c.out[0], c.resources);
  };
  if (c.in[0].dtype == DType::boolean) return run(Bit{});
  dispatch_wrapping(c.in[0].dtype, "correlate", run);
}

void grad_correlate(GradBuilder& b) {
  const Entry a = b.input(0), v = b.input(1), g = b.out_grad();
  const int64_t left = b.attrs().integer("left");
  const int64_t n = known_shape(b, a).size(), m = known_shape(b, v).size();
  if (b.wanted(0)) {
    const Entry turned = b.op("reverse", {v}, {{"axis", std::vector<int64_t>{0}}});
    b.set(0, b.op("correlate", {g, turned}, {{"left", m - 1 - left}, {"size", n}}));
  }
  if (b.wanted(1)) b.set(1, b.op("correlate", {a, g}, {{"left", left}, {"size", m}}));
}

double correlate_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  return 2.0 * static_cast<double>(in[1].size()) * static_cast<double>(out[0].size());
}

}  // namespace

void register_correlate() {
  OpDef def;
  def.name = "correlate";
  def.family = Family::other;
  def.doc =
      "out[i] = sum over k of a[i + k - left] v[k], with zeros around a; of bools any(and). Single "
      "precision is added up in double.";
  def.inputs = {{"a", "(n)"}, {"v", "(m), of a's dtype"}};
  def.attrs = {{"left", AttrType::integer, "0", "where v begins before a's first element"},
               {"size", AttrType::integer, nullptr, "elements of the result"}};
  def.dtypes = kAllComputed;
  def.infer = infer_correlate;
  def.cpu = run_correlate;
  def.gradient = grad_correlate;
  def.flops = correlate_flops;
  add_op(std::move(def));
}

}  // namespace hybrid
