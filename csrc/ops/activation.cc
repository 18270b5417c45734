// Activation functions chosen by an attribute: Activation, LeakyReLU, hard_sigmoid.
#include <cmath>

#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// --- Activation ---------------------------------------------------------------------------------

ElemCode activation_code(const std::string& type) {
  if (type == "relu") return ElemCode::relu;
  if (type == "sigmoid") return ElemCode::sigmoid;
  if (type == "tanh") return ElemCode::tanh;
  if (type == "softrelu") return ElemCode::softrelu;
  return ElemCode::softsign;
}

void emit_activation(const Attrs& attrs, const std::vector<DType>& in,
                     std::vector<ElemInstr>* out) {
  Emitter(out).op(activation_code(attrs.string("act_type")), in[0], Emitter::input(0));
}

// From the output where that is possible, so that the input need not be kept.
void grad_activation(GradBuilder& b) {
  const std::string& type = b.attrs().string("act_type");
  const Expr x(b, b.input(0)), y(b, b.output()), g(b, b.out_grad());
  const auto slope = [&]() -> Expr {
    if (type == "relu") return unary("sign", y);  // of NaN NaN
    if (type == "sigmoid") return y * (1 - y);
    if (type == "tanh") return 1 - unary("square", y);
    if (type == "softrelu") return 1 - unary("exp", -y);  // sigmoid(x)
    return unary("square", 1 - unary("abs", y));
  };
  if (b.wanted(0)) b.set(0, (g * slope()).entry());
}

// --- LeakyReLU ----------------------------------------------------------------------------------

constexpr double kSeluAlpha = 1.6732632423543772848;
constexpr double kSeluScale = 1.0507009873554804934;
constexpr double kSqrtHalf = 0.70710678118654752440;

// Of the other kinds MXNet's name leads to operators of their own.
void infer_leaky(InferContext& c) {
  const std::string& type = c.attrs.string("act_type");
  require(type != "prelu" && type != "rrelu", c.op_name, ": given act_type ", type,
          ", which is the operator ", type);
  infer_like(c);
}

void emit_leaky(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const DType d = in[0];
  const std::string& type = attrs.string("act_type");
  const auto x = Emitter::input(0);
  const auto num = [](double v) { return Emitter::number(v); };
  if (type == "gelu") {  // x/2 * (1 + erf(x / sqrt 2))
    const auto z = e.op(ElemCode::erf, d, e.op(ElemCode::mul, d, x, num(kSqrtHalf)));
    const auto half = e.op(ElemCode::mul, d, x, num(0.5));
    e.op(ElemCode::mul, d, half, e.op(ElemCode::add, d, z, num(1)));
    return;
  }
  const auto positive = e.op_to(ElemCode::greater, d, DType::boolean, x, num(0));
  if (type == "leaky") {
    const auto low = e.op(ElemCode::mul, d, x, num(attrs.real("slope")));
    e.select(d, positive, x, low);
    return;
  }
  const double alpha = type == "selu" ? kSeluAlpha : attrs.real("slope");
  const auto low = e.op(ElemCode::mul, d, e.op(ElemCode::expm1, d, x), num(alpha));
  const auto y = e.select(d, positive, x, low);
  if (type == "selu") e.op(ElemCode::mul, d, y, num(kSeluScale));
}

void grad_leaky(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const std::string& type = b.attrs().string("act_type");
  const Expr x(b, b.input(0)), g(b, b.out_grad());
  if (type == "gelu") {  // Phi(x) + x * phi(x)
    const Expr cdf = 0.5 * unary("erf", kSqrtHalf * x) + 0.5;
    const Expr pdf = 0.39894228040143267794 * unary("exp", -0.5 * unary("square", x));
    b.set(0, (g * (cdf + x * pdf)).entry());
    return;
  }
  const bool selu = type == "selu";
  const double high = selu ? kSeluScale : 1;
  const Expr positive = test("greater", x, 0);
  Expr low = b.attrs().real("slope");
  if (selu) low = kSeluScale * kSeluAlpha;
  if (type != "leaky") low = low * unary("exp", binary("minimum", x, 0));
  b.set(0, (g * (high * positive + low * (1 - positive))).entry());
}

// --- hard_sigmoid -------------------------------------------------------------------------------

void emit_hard(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const DType d = in[0];
  const auto scaled =
      e.op(ElemCode::mul, d, Emitter::input(0), Emitter::number(attrs.real("alpha")));
  const auto line = e.op(ElemCode::add, d, scaled, Emitter::number(attrs.real("beta")));
  const auto above = e.op(ElemCode::maximum, d, line, Emitter::number(0.0));
  e.op(ElemCode::minimum, d, above, Emitter::number(1.0));
}

void grad_hard(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Expr y(b, b.output()), g(b, b.out_grad());
  const Expr inside = test("greater", y, 0) * test("lesser", y, 1);
  b.set(0, (b.attrs().real("alpha") * g * inside).entry());
}

OpDef activation_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::elementwise;
  def.doc = doc;
  def.inputs = {{"data", "array of any shape"}};
  def.dtypes = kFloats;
  def.infer = infer_like;
  def.in_place = {{0, 0}};
  return def;
}

}  // namespace

void register_activation() {
  OpDef act = activation_def(
      "Activation",
      "An activation function applied to every element: relu max(x, 0); sigmoid 1 / (1 + exp(-x)); "
      "tanh; softrelu log(1 + exp(x)); softsign x / (1 + |x|). MXNet's Activation.");
  act.attrs = {{"act_type", AttrType::string, nullptr, "which function",
                "relu|sigmoid|tanh|softrelu|softsign"}};
  act.code = ElemCode::tanh;
  act.elementwise = emit_activation;
  act.gradient = grad_activation;
  add_op(std::move(act));

  OpDef leaky = activation_def(
      "LeakyReLU",
      "Activations that let negative values through: leaky slope * x below 0; elu slope * (exp(x) "
      "- "
      "1) below 0; selu (Klambauer et al. 2017); gelu x/2 * (1 + erf(x / sqrt 2)); prelu gamma * x "
      "below 0; rrelu a slope that is drawn in training. MXNet's LeakyReLU.");
  leaky.inputs.push_back({"gamma", "slopes of prelu, (1,) or (channels,)", true, "act_type!prelu"});
  leaky.attrs = {
      {"act_type", AttrType::string, "leaky", "which function", "leaky|elu|selu|gelu|prelu|rrelu"},
      {"slope", AttrType::real, "0.25", "factor below 0 (leaky, elu)"},
      {"lower_bound", AttrType::real, "0.125", "smallest slope (rrelu)"},
      {"upper_bound", AttrType::real, "0.334", "largest slope (rrelu)"}};
  leaky.infer = infer_leaky;
  leaky.code = ElemCode::expm1;
  leaky.elementwise = emit_leaky;
  leaky.gradient = grad_leaky;
  add_op(std::move(leaky));

  OpDef hard = activation_def("hard_sigmoid", "min(max(alpha * x + beta, 0), 1).");
  hard.attrs = {{"alpha", AttrType::real, "0.2", "slope"},
                {"beta", AttrType::real, "0.5", "offset"}};
  hard.code = ElemCode::mul;
  hard.elementwise = emit_hard;
  hard.gradient = grad_hard;
  add_op(std::move(hard));
}

}  // namespace hybrid
