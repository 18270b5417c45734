// Draws from MXNet's distributions: with numbers for parameters (random_*), in the shape of an
// array (random_*_like), and with arrays of parameters (sample_*).
#include <cmath>
#include <deque>
#include <string>

#include "kernels/distributions.h"
#include "kernels/kernels.h"
#include "ops/dispatch.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

struct Parameter {
  const char* name;     // of random_*
  const char* sampled;  // of sample_*
  const char* default_text;
  const char* doc;
};

// A distribution with its operators' names and words.
struct Law {
  Distribution distribution;
  const char* name;
  const char* doc;
  Parameter a, b;  // b.name null: there is none
  bool whole;      // a is a whole number in random_*
};

constexpr Law kLaws[] = {
    {Distribution::uniform,
     "uniform",
     "Numbers drawn evenly from [low, high)",
     {"low", "low", "0.0", "smallest number"},
     {"high", "high", "1.0", "end of the range"},
     false},
    {Distribution::normal,
     "normal",
     "Numbers drawn from the normal distribution",
     {"loc", "mu", "0.0", "mean"},
     {"scale", "sigma", "1.0", "standard deviation"},
     false},
    {Distribution::exponential,
     "exponential",
     "Numbers drawn from the exponential distribution of density lam exp(-lam x)",
     {"lam", "lam", "1.0", "rate, above 0"},
     {nullptr, nullptr, nullptr, nullptr},
     false},
    {Distribution::gamma,
     "gamma",
     "Numbers drawn from the gamma distribution (Marsaglia and Tsang 2000)",
     {"alpha", "alpha", "1.0", "shape, above 0"},
     {"beta", "beta", "1.0", "scale, above 0"},
     false},
    {Distribution::poisson,
     "poisson",
     "Whole numbers drawn from the Poisson distribution, as floats (Hörmann 1993)",
     {"lam", "lam", "1.0", "mean, 0 or more"},
     {nullptr, nullptr, nullptr, nullptr},
     false},
    {Distribution::negative_binomial,
     "negative_binomial",
     "Failures before k successes of probability p, as floats",
     {"k", "k", "1", "successes"},
     {"p", "p", "1.0", "probability of a success, above 0"},
     true},
    {Distribution::generalized_negative_binomial,
     "generalized_negative_binomial",
     "Whole numbers drawn from the negative binomial distribution of mean mu and variance mu + "
     "alpha mu^2, as floats",
     {"mu", "mu", "1.0", "mean"},
     {"alpha", "alpha", "1.0", "dispersion; 0: Poisson's distribution"},
     false}};

double draw_flops(const Attrs&, const std::vector<Shape>&, const std::vector<Shape>& out) {
  return 100.0 * static_cast<double>(out[0].size());
}

const Law& law_of(const OpDef& op) {
  std::string name = op.name + 7;  // after "random_" or "sample_"
  const size_t like = name.rfind("_like");
  if (like != std::string::npos) name.resize(like);
  for (const Law& law : kLaws) {
    if (name == law.name) return law;
  }
  fail(op.name, ": is no distribution");
}

// --- random_*, random_*_like --------------------------------------------------------------------

struct Numbers {
  double a, b;
};

Numbers checked_numbers(const Attrs& attrs) {
  const Law& f = law_of(*attrs.op());
  const Numbers n{attrs.real(f.a.name), f.b.name ? attrs.real(f.b.name) : 0};
  const char* const wrong = wrong_parameters(f.distribution, n.a, n.b);
  require(wrong == nullptr, attrs.op()->name, ": given ", f.a.name, " ", n.a,
          f.b.name ? std::string(" and ") + f.b.name + " " + std::to_string(n.b) : "",
          ", expected ", wrong ? wrong : "");
  return n;
}

void infer_random(InferContext& c) {
  checked_numbers(c.attrs);
  set_given_shape(c);
  set_dtype(c, 0, c.attrs.dtype("dtype"));
}

void infer_random_like(InferContext& c) {
  checked_numbers(c.attrs);
  infer_like(c);
}

void run_random(KernelContext& c) {
  const Numbers n = checked_numbers(c.attrs);
  const Distribution d = law_of(*c.attrs.op()).distribution;
  const TensorView& out = c.out[0];
  if (d == Distribution::uniform) {
    random_uniform(out.dtype, c.key, n.a, n.b, out.size(), out.data, c.resources);
  } else if (d == Distribution::normal) {
    random_normal(out.dtype, c.key, n.a, n.b, out.size(), out.data, c.resources);
  } else {
    draw_numbers(d, c.key, n.a, n.b, out, c.resources);
  }
}

// A text that stays as long as the table.
const char* kept(std::string text) {
  static auto* const texts = new std::deque<std::string>;
  texts->push_back(std::move(text));
  return texts->back().c_str();
}

OpDef draw_def(std::string name, std::string doc) {
  OpDef def;
  def.name = kept(std::move(name));
  def.doc = kept(std::move(doc));
  def.family = Family::random;
  def.dtypes = kFloats;
  def.random = true;
  def.flops = draw_flops;
  return def;
}

std::vector<AttrDef> number_attrs(const Law& f) {
  std::vector<AttrDef> attrs{
      {f.a.name, f.whole ? AttrType::integer : AttrType::real, f.a.default_text, f.a.doc}};
  if (f.b.name) attrs.push_back({f.b.name, AttrType::real, f.b.default_text, f.b.doc});
  return attrs;
}

void add_random(const Law& f) {
  OpDef def = draw_def(std::string("random_") + f.name, std::string(f.doc) + ".");
  def.attrs = number_attrs(f);
  def.attrs.push_back({"shape", AttrType::ints, "()", "shape of the result"});
  def.attrs.push_back({"dtype", AttrType::dtype, "float32", "dtype of the result"});
  def.attrs.push_back({"at_least_1d", AttrType::boolean, "False",
                       "the empty shape means (1,) instead of () (MXNet 1.x)"});
  def.attrs.push_back(open_attr());
  def.infer = infer_random;
  def.cpu = run_random;
  add_op(std::move(def));
}

void add_random_like(const Law& f) {
  OpDef def = draw_def(std::string("random_") + f.name + "_like",
                       std::string(f.doc) + ", in the shape and dtype of an array.");
  def.inputs = {{"data", "array whose shape and dtype are taken", false}};
  def.attrs = number_attrs(f);
  def.infer = infer_random_like;
  def.cpu = run_random;
  add_op(std::move(def));
}

// --- sample_* -----------------------------------------------------------------------------------

// The shape of the parameters, then that of the draws of each of them.
Shape sampled_shape(InferContext& c, Shape of) {
  const Shape more = checked_shape(c.attrs.ints("shape"), c.op_name);
  require(of.ndim() + more.ndim() <= kMaxDims, c.op_name, ": given parameters of shape ", of,
          " and shape ", more, ", expected at most ", kMaxDims, " dimensions");
  for (const int64_t size : more) of.push_back(size);
  return of;
}

void infer_sample(InferContext& c) {
  set_dtype(c, 0, c.attrs.dtype("dtype"));
  require(is_floating(c.attrs.dtype("dtype")), c.op_name, ": given dtype ",
          dtype_name(c.attrs.dtype("dtype")), ", expected floats");
  Shape of = c.in_shapes[0];
  for (const Shape& s : c.in_shapes) {
    require(merge_shape(&of, s), c.op_name, ": given parameters of shapes ", c.in_shapes[0],
            " and ", s, ", expected equal ones");
  }
  for (Shape& s : c.in_shapes) s = of;
  if (of.rank_known()) set_shape(c, 0, sampled_shape(c, of));
}

void run_sample(KernelContext& c) {
  const int64_t each = c.in[0].size() == 0 ? 1 : c.out[0].size() / c.in[0].size();
  draw_numbers(law_of(*c.attrs.op()).distribution, c.key, c.in[0],
               c.num_in > 1 ? c.in[1] : TensorView(), each, c.out[0], c.resources);
}

void add_sample(const Law& f) {
  OpDef def = draw_def(std::string("sample_") + f.name,
                       std::string(f.doc) + ": as many of each parameter as shape says.");
  def.inputs = {{f.a.sampled, f.a.doc, false}};
  if (f.b.name) def.inputs.push_back({f.b.sampled, f.b.doc, false});
  def.attrs = {{"shape", AttrType::ints, "()", "shape of the draws of one parameter"},
               {"dtype", AttrType::dtype, "float32", "dtype of the result"}};
  def.dtypes = kNumbers;
  def.infer = infer_sample;
  def.cpu = run_sample;
  add_op(std::move(def));
}

// --- sample_multinomial -------------------------------------------------------------------------

int count_multinomial(const Attrs& attrs) { return attrs.boolean("get_prob") ? 2 : 1; }

// Up to which number a dtype has every whole one.
int64_t most_classes(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return 1;
    case DType::int8:
      return 127;
    case DType::uint8:
      return 255;
    case DType::bfloat16:
      return 256;
    case DType::float16:
      return 2048;
    case DType::float32:
      return 1 << 24;
    default:
      return (int64_t{1} << 31) - 1;
  }
}

void infer_multinomial(InferContext& c) {
  set_dtype(c, 0, c.attrs.dtype("dtype"));
  const bool both = c.attrs.boolean("get_prob");
  if (both) set_dtype(c, 1, c.in_dtypes[0]);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  require(in.ndim() > 0 && in[in.ndim() - 1] != 0, c.op_name, ": given data of shape ", in,
          ", expected probabilities of at least one class in the last dimension");
  const DType dtype = c.attrs.dtype("dtype");
  require(in[in.ndim() - 1] <= most_classes(dtype), c.op_name, ": given ", in[in.ndim() - 1],
          " classes, expected at most ", most_classes(dtype), " as ", dtype_name(dtype));
  Shape rows;
  for (int i = 0; i < in.ndim() - 1; ++i) rows.push_back(in[i]);
  Shape out = sampled_shape(c, rows);
  if (out.ndim() == 0) out.push_back(1);
  set_shape(c, 0, out);
  if (both) set_shape(c, 1, out);
}

void run_multinomial(KernelContext& c) {
  const Shape& in = c.in[0].shape;
  const int64_t classes = in[in.ndim() - 1], rows = in.size() / classes;
  const int64_t each = rows == 0 ? 0 : c.out[0].size() / rows;
  const IndexWriter out(c.out[0]);
  dispatch(c.in[0].dtype, "sample_multinomial", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < rows * each; ++i) {
      const T* p = c.in[0].as<T>() + i / each * classes;
      RandomStream stream(c.key, static_cast<uint64_t>(i));
      const double u = stream.uniform();
      double sum = 0;
      int64_t k = 0;
      for (; k < classes - 1; ++k) {
        sum += static_cast<double>(p[k]);
        if (u < sum) break;
      }
      out.put(i, k);
      if (c.num_out > 1) {
        c.out[1].as<T>()[i] = static_cast<T>(std::log(static_cast<double>(p[k])));
      }
    }
  });
}

// Of the logarithms: 1 / p at the class that was drawn.
void grad_multinomial(GradBuilder& b) {
  if (!b.wanted(0) || b.num_outputs() < 2) return;
  const Shape data = known_shape(b, b.input(0)), drawn = known_shape(b, b.output(0));
  const int64_t classes = data[data.ndim() - 1], rows = data.size() / classes;
  if (rows == 0) return;
  const Shape flat{rows, drawn.size() / rows};
  const Expr p = unary("exp", Expr(b, b.output(1)));
  const Entry g = reshape_to(b, (Expr(b, b.out_grad(1)) / p).entry(), flat);
  const Entry placed = b.op("take_along_axis_grad", {g, reshape_to(b, b.output(0), flat)},
                            {{"axis", 1}, {"dim", classes}});
  b.set(0, reshape_as(b, placed, b.input(0)));
}

void add_multinomial() {
  OpDef def = draw_def("sample_multinomial",
                       "Classes drawn from probabilities, those of a distribution in the last "
                       "dimension: (..., k) gives (...) + shape. With get_prob also the logarithms "
                       "of their probabilities, which have a gradient.");
  def.inputs = {{"data", "(k,) or (n, k): probabilities that add up to 1"}};
  def.attrs = {{"shape", AttrType::ints, "()", "shape of the draws of one distribution"},
               {"get_prob", AttrType::boolean, "False", "also the logarithms of probabilities"},
               {"dtype", AttrType::dtype, "int32", "dtype of the classes"}};
  def.num_outputs_fn = count_multinomial;
  def.infer = infer_multinomial;
  def.cpu = run_multinomial;
  def.gradient = grad_multinomial;
  add_op(std::move(def));
}

}  // namespace

void register_random_draws() {
  for (const Law& f : kLaws) {
    const bool drawn_before =
        f.distribution == Distribution::uniform || f.distribution == Distribution::normal;
    if (!drawn_before) add_random(f);  // those have entries of their own
    add_random_like(f);
    add_sample(f);
  }
  add_multinomial();
}

}  // namespace hybrid
