// Densities of MXNet's distributions at samples, and their logarithms: random_pdf_*. The formulas
// are those of Johnson, Kotz and Kemp's and Johnson, Kotz and Balakrishnan's handbooks.
#include <cmath>

#include "kernels/special.h"
#include "ops/dispatch.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

constexpr double kTwoPi = 6.28318530717958647692;

// Gradients of the logarithm by sample, first and second parameter. Undefined: it is 0.
struct Slopes {
  Entry x, a, b;
};

struct Density {
  const char* name;
  const char* doc;
  const char* a;
  const char* b;  // null: there is none
  double (*log)(double x, double a, double b);
  Slopes (*slopes)(const Expr& x, const Expr& a, const Expr& b);
  const char* support;  // "x >= 0", "a <= x <= b" or null: everywhere
  bool counts;          // samples are whole numbers
};

Expr digamma(const Expr& x) { return Expr(x.builder(), x.builder().op("polygamma", {x.entry()})); }

// --- logarithms and slopes ----------------------------------------------------------------------

double log_uniform(double x, double low, double high) {
  return x >= low && x <= high ? -std::log(high - low) : -INFINITY;
}
Slopes slopes_uniform(const Expr& x, const Expr& low, const Expr& high) {
  const Expr slope = 1 / (high - low) + 0 * x;
  return {{}, slope.entry(), (-slope).entry()};
}

double log_normal(double x, double mu, double sigma) {
  const double z = (x - mu) / sigma;
  return -0.5 * z * z - std::log(sigma) - 0.5 * std::log(kTwoPi);
}
Slopes slopes_normal(const Expr& x, const Expr& mu, const Expr& sigma) {
  const Expr z = (x - mu) / sigma, slope = z / sigma;
  return {(-slope).entry(), slope.entry(), ((z * z - 1) / sigma).entry()};
}

double log_gamma_density(double x, double alpha, double beta) {
  if (x < 0) return -INFINITY;
  const double power = alpha == 1 ? 0 : (alpha - 1) * std::log(x);
  return alpha * std::log(beta) + power - beta * x - log_gamma(alpha);
}
Slopes slopes_gamma(const Expr& x, const Expr& alpha, const Expr& beta) {
  const Expr by_alpha = unary("log", beta) + unary("log", x) - digamma(alpha);
  return {((alpha - 1) / x - beta).entry(), by_alpha.entry(), (alpha / beta - x).entry()};
}

double log_exponential(double x, double lam, double) {
  return x < 0 ? -INFINITY : std::log(lam) - lam * x;
}
Slopes slopes_exponential(const Expr& x, const Expr& lam, const Expr&) {
  return {(0 * x - lam).entry(), (1 / lam - x).entry(), {}};
}

double log_poisson(double x, double lam, double) {
  const double power = x == 0 ? 0 : x * std::log(lam);
  return power - lam - log_gamma(x + 1);
}
Slopes slopes_poisson(const Expr& x, const Expr& lam, const Expr&) {
  return {{}, (x / lam - 1).entry(), {}};
}

double log_negative_binomial(double x, double k, double p) {
  const double failures = x == 0 ? 0 : x * std::log(1 - p);
  return log_gamma(x + k) - log_gamma(x + 1) - log_gamma(k) + k * std::log(p) + failures;
}
Expr slope_of_count(const Expr& x, const Expr& k, const Expr& p) {
  return digamma(x + k) - digamma(k) + unary("log", p);
}
Slopes slopes_negative_binomial(const Expr& x, const Expr& k, const Expr& p) {
  return {{}, slope_of_count(x, k, p).entry(), (k / p - x / (1 - p)).entry()};
}

double log_generalized(double x, double mu, double alpha) {
  if (alpha == 0) return log_poisson(x, mu, 0);
  return log_negative_binomial(x, 1 / alpha, 1 / (mu * alpha + 1));
}
Slopes slopes_generalized(const Expr& x, const Expr& mu, const Expr& alpha) {
  const Expr k = 1 / alpha, p = 1 / (mu * alpha + 1), square = p * p;
  const Expr by_p = k / p - x / (1 - p);
  const Expr by_alpha = -(slope_of_count(x, k, p) * k * k) - by_p * mu * square;
  return {{}, (-(by_p * alpha * square)).entry(), by_alpha.entry()};
}

const Density kDensities[] = {
    {"random_pdf_uniform", "1 / (high - low) from low to high, 0 elsewhere (MXNet: everywhere).",
     "low", "high", log_uniform, slopes_uniform, "a <= x <= b", false},
    {"random_pdf_normal", "Density of the normal distribution of mean mu and deviation sigma.",
     "mu", "sigma", log_normal, slopes_normal, nullptr, false},
    {"random_pdf_gamma",
     "Density of the gamma distribution of shape alpha and rate beta; 0 below 0.", "alpha", "beta",
     log_gamma_density, slopes_gamma, "x >= 0", false},
    {"random_pdf_exponential", "lam exp(-lam sample), 0 below 0 (MXNet: the formula there, too).",
     "lam", nullptr, log_exponential, slopes_exponential, "x >= 0", false},
    {"random_pdf_poisson", "Probability of a count in Poisson's distribution of mean lam.", "lam",
     nullptr, log_poisson, slopes_poisson, nullptr, true},
    {"random_pdf_negative_binomial",
     "Probability of that many failures before k successes of probability p.", "k", "p",
     log_negative_binomial, slopes_negative_binomial, nullptr, true},
    {"random_pdf_generalized_negative_binomial",
     "Probability of a count in the negative binomial distribution of mean mu and variance mu + "
     "alpha mu^2.",
     "mu", "alpha", log_generalized, slopes_generalized, nullptr, true}};

const Density& density_of(const OpDef& op) {
  for (const Density& d : kDensities) {
    if (std::string(d.name) == op.name) return d;
  }
  fail(op.name, ": is no density");
}

// --- shapes -------------------------------------------------------------------------------------

// The parameters' shape is the beginning of the samples'.
void expect_prefix(InferContext& c, int own) {
  Shape of = c.in_shapes[1];
  for (size_t i = 1; i < c.in_shapes.size(); ++i) {
    require(merge_shape(&of, c.in_shapes[i]), c.op_name, ": given parameters of shapes ",
            c.in_shapes[1], " and ", c.in_shapes[i], ", expected equal ones");
  }
  for (size_t i = 1; i < c.in_shapes.size(); ++i) c.in_shapes[i] = of;
  const Shape& x = c.in_shapes[0];
  if (!of.rank_known() || !x.rank_known()) return;
  bool fits = of.ndim() <= x.ndim();
  for (int i = 0; fits && i < of.ndim() - own; ++i) fits = x[i] == of[i] || x[i] < 0 || of[i] < 0;
  if (fits && own) {  // a distribution's own dimension is the last of both
    const int64_t a = x[x.ndim() - 1], b = of.ndim() > 0 ? of[of.ndim() - 1] : 0;
    fits = a == b || a < 0 || b < 0;
  }
  require(fits, c.op_name, ": given sample of shape ", x, " and parameters of shape ", of,
          ", expected the parameters' sizes first in the sample's");
}

void infer_pdf(InferContext& c) {
  one_dtype(c);
  expect_prefix(c, 0);
  set_shape(c, 0, c.in_shapes[0]);
}

void run_pdf(KernelContext& c) {
  const Density& d = density_of(*c.attrs.op());
  const bool log = c.attrs.boolean("is_log");
  const int64_t count = c.out[0].size();
  const int64_t each = c.in[1].size() == 0 ? 1 : count / c.in[1].size();
  dispatch(c.out[0].dtype, d.name, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = i / each;
      const double value =
          d.log(static_cast<double>(c.in[0].as<T>()[i]), static_cast<double>(c.in[1].as<T>()[at]),
                d.b ? static_cast<double>(c.in[2].as<T>()[at]) : 0);
      c.out[0].as<T>()[i] = static_cast<T>(log ? value : std::exp(value));
    }
  });
}

// Gradients of the logarithm, times the density if it is not the logarithm that is wanted.
void grad_pdf(GradBuilder& b) {
  const Density& d = density_of(*b.attrs().op());
  const Shape sample = known_shape(b, b.input(0)), of = known_shape(b, b.input(1));
  Shape spread = of;
  while (spread.ndim() < sample.ndim()) spread.push_back(1);
  const Expr x(b, b.input(0)), p(b, reshape_to(b, b.input(1), spread));
  const Expr q = d.b ? Expr(b, reshape_to(b, b.input(2), spread)) : Expr(0.0);
  Expr g(b, b.out_grad());
  if (!b.attrs().boolean("is_log")) g = g * Expr(b, b.output());
  const Slopes slopes = d.slopes(x, p, q);
  const Entry each[] = {slopes.x, slopes.a, slopes.b};
  for (int i = 0; i < b.num_inputs(); ++i) {
    if (!b.wanted(i)) continue;
    if (!each[i].defined()) {
      b.set(i, b.zeros_as(b.input(i)));
      continue;
    }
    Expr product = g * Expr(b, each[i]);
    if (d.support) {
      const Expr inside = d.support[0] == 'x'
                              ? test("greater_equal", x, 0)
                              : test("greater_equal", x, p) * test("lesser_equal", x, q);
      const Expr zero(b, b.op("zeros_like", {product.entry()}));
      product = Expr(b, b.op("where", {inside.entry(), product.entry(), zero.entry()}));
    }
    const Entry like = i == 0 ? b.input(0) : p.entry();
    b.set(i, reshape_as(b, b.sum_like(product.entry(), like), b.input(i)));
  }
}

// --- Dirichlet's distribution -------------------------------------------------------------------

void infer_dirichlet(InferContext& c) {
  one_dtype(c);
  const Shape& x = c.in_shapes[0];
  require(!x.rank_known() || x.ndim() > 0, c.op_name,
          ": given sample of shape (), expected at least one dimension");
  expect_prefix(c, 1);
  if (!x.rank_known()) return;
  Shape out;
  for (int i = 0; i < x.ndim() - 1; ++i) out.push_back(x[i]);
  if (out.ndim() == 0) out.push_back(1);
  set_shape(c, 0, out);
}

void run_dirichlet(KernelContext& c) {
  const Shape& of = c.in[1].shape;
  const int64_t k = of[of.ndim() - 1], count = c.out[0].size();
  const int64_t groups = k == 0 ? 1 : c.in[1].size() / k;
  const int64_t each = groups == 0 ? 1 : count / groups;
  const bool log = c.attrs.boolean("is_log");
  dispatch(c.out[0].dtype, "random_pdf_dirichlet", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) {
      const T* x = c.in[0].as<T>() + i * k;
      const T* alpha = c.in[1].as<T>() + i / each * k;
      double sum = 0, value = 0;
      for (int64_t j = 0; j < k; ++j) {
        const double a = static_cast<double>(alpha[j]);
        sum += a;
        value += (a - 1) * std::log(static_cast<double>(x[j])) - log_gamma(a);
      }
      value += log_gamma(sum);
      c.out[0].as<T>()[i] = static_cast<T>(log ? value : std::exp(value));
    }
  });
}

void grad_dirichlet(GradBuilder& b) {
  const Shape sample = known_shape(b, b.input(0)), of = known_shape(b, b.input(1));
  const int64_t k = of[of.ndim() - 1];
  Shape spread, one = sample;
  for (int i = 0; i < of.ndim() - 1; ++i) spread.push_back(of[i]);
  while (spread.ndim() < sample.ndim() - 1) spread.push_back(1);
  spread.push_back(k);
  one[one.ndim() - 1] = 1;
  const Expr x(b, b.input(0)), alpha(b, reshape_to(b, b.input(1), spread));
  Expr g(b, b.out_grad());
  if (!b.attrs().boolean("is_log")) g = g * Expr(b, b.output());
  g = Expr(b, reshape_to(b, g.entry(), one));
  if (b.wanted(0)) b.set(0, (g * ((alpha - 1) / x)).entry());
  if (b.wanted(1)) {
    const std::vector<int64_t> last{-1};
    const Expr sum(b, b.op("sum", {alpha.entry()}, {{"axis", last}, {"keepdims", true}}));
    const Expr slope = unary("log", x) + digamma(sum) - digamma(alpha);
    b.set(1, reshape_as(b, b.sum_like((g * slope).entry(), alpha.entry()), b.input(1)));
  }
}

double pdf_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
  return 200.0 * static_cast<double>(in[0].size());
}

OpDef pdf_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::other;
  def.doc = doc;
  def.attrs = {{"is_log", AttrType::boolean, "False", "the logarithm of it instead"}};
  def.dtypes = kFloats;
  def.flops = pdf_flops;
  return def;
}

}  // namespace

void register_random_pdf() {
  const InputDef sample{"sample", "its first dimensions are the parameters'"};
  for (const Density& d : kDensities) {
    OpDef def = pdf_def(d.name, d.doc);
    def.inputs = {sample, {d.a, "a parameter"}};
    // Between counts there is nothing: their gradient would be 0.
    def.inputs[0].differentiable = !d.counts;
    if (d.b) def.inputs.push_back({d.b, "a parameter of equal shape"});
    def.infer = infer_pdf;
    def.cpu = run_pdf;
    def.gradient = grad_pdf;
    add_op(std::move(def));
  }
  OpDef def = pdf_def("random_pdf_dirichlet",
                      "Density of Dirichlet's distribution, over the last dimension.");
  def.inputs = {{"sample", "(..., k), its first dimensions alpha's"}, {"alpha", "(..., k)"}};
  def.infer = infer_dirichlet;
  def.cpu = run_dirichlet;
  def.gradient = grad_dirichlet;
  add_op(std::move(def));
}

}  // namespace hybrid
