#include "ops/row_norm.h"

#include "ops/expr.h"
#include "ops/grad_shape.h"

namespace hybrid {

namespace {

constexpr int kData = 0, kGamma = 1, kBeta = 2;
constexpr int kOut = 0, kMean = 1, kStd = 2;

}  // namespace

// With d = x - mean, r = 1 / sqrt(mean(d d) + eps), z = d r, w = g gamma and means along the row:
// gx = r (w - mean(w) - z mean(w z)); ggamma and gbeta sum g z and g over all rows.
void grad_row_norm(GradBuilder& b, const RowNorm& norm) {
  const Shape data = known_shape(b, b.input(kData));
  const auto size = static_cast<double>(norm.seen[norm.axis]);
  const std::vector<int64_t> along{norm.axis};
  const auto seen = [&](Entry e) { return Expr(b, reshape_to(b, e, norm.seen)); };
  const auto mean = [&](const Expr& e) {
    return Expr(b, b.op("mean", {e.entry()}, {{"axis", along}, {"keepdims", true}}));
  };
  const auto over_rows = [&](const Expr& e, int input) {
    const Entry sum =
        norm.others.empty() ? e.entry() : b.op("sum", {e.entry()}, {{"axis", norm.others}});
    b.set(input, reshape_as(b, sum, b.input(input)));
  };
  const auto statistic = [&](int output) {  // its gradient, an element a row
    Shape rows = norm.seen;
    rows[norm.axis] = 1;
    return Expr(b, reshape_to(b, b.out_grad(output), rows)) / size;
  };
  const auto has = [&](int output) { return output < b.num_outputs() && b.has_out_grad(output); };
  if (b.wanted(kBeta) && has(kOut)) over_rows(seen(b.out_grad(kOut)), kBeta);
  if (!b.wanted(kGamma) && !b.wanted(kData)) return;
  const Expr x = seen(b.input(kData));
  const Expr d = x - mean(x);
  const Expr r = unary("rsqrt", mean(d * d) + b.attrs().real("eps"));
  const Expr z = d * r;
  Expr total = 0.0;
  const auto add = [&](const Expr& part) { total = total.is_number() ? part : total + part; };
  if (has(kOut)) {
    const Expr g = seen(b.out_grad(kOut));
    if (b.wanted(kGamma)) over_rows(g * z, kGamma);
    if (b.wanted(kData)) {
      const Expr w = g * Expr(b, reshape_to(b, b.input(kGamma), norm.factors));
      add(r * (w - mean(w) - z * mean(w * z)));
    }
  }
  if (!b.wanted(kData)) return;
  if (has(kStd)) add(z * statistic(kStd));
  if (has(kMean)) {
    const Entry part = statistic(kMean).entry();
    add(Expr(b, b.op("broadcast_to", {part}, {{"shape", norm.seen.to_vector()}})));
  }
  if (!total.is_number()) b.set(kData, reshape_to(b, total.entry(), data));
}

}  // namespace hybrid
