// Elementwise operators of two inputs, with NumPy broadcasting, and their forms with a number.
#include "ops/binary.h"

#include <cstring>
#include <deque>

#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/half.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// What a rule sees: operands a and b (either may be a number), result y, incoming gradient g.
using Rule = Expr (*)(const Expr& a, const Expr& b, const Expr& y, const Expr& g);

Expr pass(const Expr&, const Expr&, const Expr&, const Expr& g) { return g; }
Expr minus(const Expr&, const Expr&, const Expr&, const Expr& g) { return -g; }
Expr mul_a(const Expr&, const Expr& b, const Expr&, const Expr& g) { return g * b; }
Expr mul_b(const Expr& a, const Expr&, const Expr&, const Expr& g) { return g * a; }
Expr div_a(const Expr&, const Expr& b, const Expr&, const Expr& g) { return g / b; }
Expr div_b(const Expr&, const Expr& b, const Expr& y, const Expr& g) { return -(g * y / b); }
Expr mod_b(const Expr& a, const Expr& b, const Expr&, const Expr& g) {
  return -(g * binary("floor_div", a, b));
}
Expr power_a(const Expr& a, const Expr& b, const Expr&, const Expr& g) {
  if (b.is_number() && b.number() == 2) return g * (2 * a);
  if (b.is_number() && b.number() == 1) return g;
  return g * (b * binary("power", a, b - 1));
}
Expr power_b(const Expr& a, const Expr&, const Expr& y, const Expr& g) {
  return g * (y * unary("log", a));
}
Expr maximum_a(const Expr& a, const Expr& b, const Expr&, const Expr& g) {
  return g * test("greater_equal", a, b);
}
Expr maximum_b(const Expr& a, const Expr& b, const Expr&, const Expr& g) {
  return g * test("lesser", a, b);
}
Expr minimum_a(const Expr& a, const Expr& b, const Expr&, const Expr& g) {
  return g * test("lesser_equal", a, b);
}
Expr minimum_b(const Expr& a, const Expr& b, const Expr&, const Expr& g) {
  return g * test("greater", a, b);
}
Expr hypot_a(const Expr& a, const Expr&, const Expr& y, const Expr& g) { return g * (a / y); }
Expr hypot_b(const Expr&, const Expr& b, const Expr& y, const Expr& g) { return g * (b / y); }
Expr arctan2_a(const Expr& a, const Expr& b, const Expr&, const Expr& g) {
  return g * (b / (a * a + b * b));
}
Expr arctan2_b(const Expr& a, const Expr& b, const Expr&, const Expr& g) {
  return -(g * (a / (a * a + b * b)));
}

enum class Form : uint8_t { arrays, number_second, number_first };

// One row makes three operators: op(lhs, rhs), op(data, number) and op(number, data).
struct Row {
  const char* name;
  ElemCode code;
  DTypeSet dtypes;
  const char* swapped;  // the operator with the operands exchanged; null: only the r-form says it
  bool is_test;         // result bool by default
  const char* doc;
  bool differentiable = false;
  void (*gradient[3])(GradBuilder&) = {nullptr, nullptr, nullptr};
};

Expr number_of(const GradBuilder& b) { return b.attrs().real("scalar"); }

template <Rule by_a, Rule by_b, Form form>
void gradient(GradBuilder& b) {
  const Expr y(b, b.output()), g(b, b.out_grad());
  if constexpr (form == Form::arrays) {
    const Expr lhs(b, b.input(0)), rhs(b, b.input(1));
    if (b.wanted(0)) b.set(0, b.sum_like(by_a(lhs, rhs, y, g).entry(), b.input(0)));
    if (b.wanted(1)) b.set(1, b.sum_like(by_b(lhs, rhs, y, g).entry(), b.input(1)));
  } else {
    if (!b.wanted(0)) return;
    const Expr x(b, b.input(0)), number = number_of(b);
    b.set(0, (form == Form::number_second ? by_a(x, number, y, g) : by_b(number, x, y, g)).entry());
  }
}

void no_gradient(GradBuilder&) {}  // piecewise constant: zero almost everywhere

// Beside halves a number is a half, in MXNet as in NumPy.
Emitter::Value number_beside(DType dtype, const AttrValue& given) {
  if (!is_half(dtype)) return Emitter::number(given);
  const auto* whole = std::get_if<int64_t>(&given);
  const double number = whole ? static_cast<double>(*whole) : std::get<double>(given);
  return Emitter::number(rounded_to(dtype, number));
}

template <ElemCode code, Form form, bool is_test>
void emit(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const DType dtype = in[0];
  if constexpr (form != Form::arrays) {
    const double* real = std::get_if<double>(&attrs.at("scalar"));
    require(dtype != DType::uint64 || real == nullptr || *real < 0x1p63, attrs.op()->name,
            ": given scalar ", attrs.text("scalar"),
            " for uint64, expected less than 2^63: larger numbers need an array");
  }
  Emitter::Value a = Emitter::input(0), b = Emitter::input(1);
  if constexpr (form == Form::number_second) b = number_beside(dtype, attrs.at("scalar"));
  if constexpr (form == Form::number_first) {
    b = a;
    a = number_beside(dtype, attrs.at("scalar"));
  }
  if constexpr (is_test) {
    e.test(code, dtype, attrs.has("dtype") ? attrs.dtype("dtype") : dtype, a, b);
  } else {
    e.op(code, dtype, a, b);
  }
}

void infer_test(InferContext& c) {
  const bool scalar = c.in_shapes.size() == 1;
  const DType dtype = scalar ? c.in_dtypes[0] : unify_dtypes(c, {0, 1});
  set_dtype(c, 0, c.attrs.has("dtype") ? c.attrs.dtype("dtype") : dtype);
  if (scalar) return one_shape(c);
  if (!c.in_shapes[0].rank_known() || !c.in_shapes[1].rank_known()) return;
  set_shape(c, 0, broadcast_shapes(c.in_shapes[0], c.in_shapes[1], c.op_name));
}

const char* keep(std::string text) {  // names and docs made here live as long as the table
  static auto* const kept = new std::deque<std::string>;
  return kept->emplace_back(std::move(text)).c_str();
}

void add_form(const Row& row, Form form, decltype(OpDef::elementwise) emit_code) {
  OpDef def;
  const std::string name = row.name;
  const bool arrays = form == Form::arrays;
  def.name = arrays ? row.name : keep((form == Form::number_first ? "r" : "") + name + "_scalar");
  def.family = Family::elementwise;
  const char* note = form == Form::number_second ? " Here b is the attribute scalar, converted to "
                                                   "data's dtype (toward 0 for integers)."
                     : form == Form::number_first
                         ? " Here a is the attribute scalar and b is data; "
                           "it is converted to data's dtype."
                         : " lhs (a) and rhs (b) have one dtype and "
                           "broadcast by NumPy's rule.";
  def.doc = keep(std::string(row.doc) + note);
  def.dtypes = row.dtypes;
  def.code = row.code;
  def.gradient = row.gradient[static_cast<int>(form)];
  def.in_place = {{0, 0}};
  if (arrays) {
    def.inputs = {{"lhs", "first operand a", row.differentiable},
                  {"rhs", "second operand b, broadcasts with lhs", row.differentiable}};
    def.in_place.push_back({1, 0});
  } else {
    def.inputs = {{"data", "array of any shape", row.differentiable}};
    def.attrs.push_back({"scalar", AttrType::scalar, nullptr, "the number"});
  }
  def.infer = arrays ? infer_broadcast : infer_like;
  if (row.is_test) {
    def.infer = infer_test;
    def.attrs.push_back({"dtype", AttrType::dtype, "bool",
                         "dtype of the result; None: that of the operands", "None"});
  }
  def.elementwise = emit_code;
  if (row.dtypes == kFloats) cut_integers(&def);
  add_op(std::move(def));
}

template <ElemCode code, bool is_test>
void add(const Row& row) {
  add_form(row, Form::arrays, emit<code, Form::arrays, is_test>);
  add_form(row, Form::number_second, emit<code, Form::number_second, is_test>);
  if (row.swapped == nullptr) {
    add_form(row, Form::number_first, emit<code, Form::number_first, is_test>);
  }
}

template <ElemCode code, Rule by_a, Rule by_b>
void add_smooth(const char* name, DTypeSet dtypes, const char* swapped, const char* doc) {
  Row row{name, code, dtypes, swapped, false, doc, true};
  row.gradient[0] = gradient<by_a, by_b, Form::arrays>;
  row.gradient[1] = gradient<by_a, by_b, Form::number_second>;
  row.gradient[2] = gradient<by_a, by_b, Form::number_first>;
  add<code, false>(row);
}

template <ElemCode code>
void add_test(const char* name, DTypeSet dtypes, const char* swapped, const char* doc) {
  add<code, true>({name, code, dtypes, swapped, true, doc});
}

template <ElemCode code>
void add_shift(const char* name, const char* doc) {
  add<code, false>({name, code, kInts, nullptr, false, doc});
}

template <ElemCode code>
void add_bits(const char* name, const char* doc) {
  add<code, false>({name, code, kInts | dtype_bit(DType::boolean), name, false, doc});
}

const char* swapped_test(const char* op) {
  if (std::strcmp(op, "greater") == 0) return "lesser";
  if (std::strcmp(op, "lesser") == 0) return "greater";
  if (std::strcmp(op, "greater_equal") == 0) return "lesser_equal";
  if (std::strcmp(op, "lesser_equal") == 0) return "greater_equal";
  return op;
}

}  // namespace

std::string scalar_form(const char* op, bool number_first) {
  if (!number_first) return std::string(op) + "_scalar";
  const std::string reversed = "r" + std::string(op) + "_scalar";
  return find_op(reversed) ? reversed : swapped_test(op) + std::string("_scalar");
}

void register_binary() {
  using E = ElemCode;
  add_smooth<E::add, pass, pass>("add", kNumbersComplex, "add", "a + b.");
  add_smooth<E::sub, pass, minus>("sub", kNumbersComplex, nullptr, "a - b.");
  add_smooth<E::mul, mul_a, mul_b>("mul", kNumbersComplex, "mul", "a * b.");
  add_smooth<E::div, div_a, div_b>(
      "div", kNumbersComplex, nullptr,
      "a / b. Integers: the quotient toward 0 in their own dtype, and 0 where b is 0.");
  add_smooth<E::mod, pass, mod_b>(
      "mod", kNumbers, nullptr,
      "a - floor(a / b) * b, with the sign of b as in Python. Integers: 0 where b is 0.");
  add_smooth<E::power, power_a, power_b>(
      "power", kNumbersComplex, nullptr,
      "a to the power of b. Integers wrap around; a negative exponent gives 0.");
  add_smooth<E::maximum, maximum_a, maximum_b>("maximum", kNumbers, "maximum",
                                               "The larger of a and b. Gradient of equals: to a.");
  add_smooth<E::minimum, minimum_a, minimum_b>("minimum", kNumbers, "minimum",
                                               "The smaller of a and b. Gradient of equals: to a.");
  add_smooth<E::hypot, hypot_a, hypot_b>("hypot", kFloats, "hypot", "sqrt(a * a + b * b).");
  add_smooth<E::arctan2, arctan2_a, arctan2_b>("arctan2", kFloats, nullptr,
                                               "Angle of the point (b, a), in [-pi, pi].");
  Row floor_div{"floor_div", E::floor_div, kNumbers,
                nullptr,     false,        "floor(a / b). Integers: 0 where b is 0. Gradient: 0.",
                true};
  for (auto& rule : floor_div.gradient) rule = no_gradient;
  add<E::floor_div, false>(floor_div);
  add_test<E::equal>("equal", kAllComputed, "equal", "True where a == b.");
  add_test<E::not_equal>("not_equal", kAllComputed, "not_equal", "True where a != b.");
  add_test<E::greater>("greater", kAllOrdered, "lesser", "True where a > b.");
  add_test<E::greater_equal>("greater_equal", kAllOrdered, "lesser_equal", "True where a >= b.");
  add_test<E::lesser>("lesser", kAllOrdered, "greater", "True where a < b.");
  add_test<E::lesser_equal>("lesser_equal", kAllOrdered, "greater_equal", "True where a <= b.");
  add_test<E::logical_and>("logical_and", kAllComputed, "logical_and",
                           "True where both a and b are not 0.");
  add_test<E::logical_or>("logical_or", kAllComputed, "logical_or", "True where a or b is not 0.");
  add_test<E::logical_xor>("logical_xor", kAllComputed, "logical_xor",
                           "True where exactly one of a and b is not 0.");
  add_bits<E::bit_and>("bit_and", "Bitwise and; for bool: logical and.");
  add_bits<E::bit_or>("bit_or", "Bitwise or; for bool: logical or.");
  add_bits<E::bit_xor>("bit_xor", "Bitwise exclusive or; for bool: not equal.");
  add_shift<E::shift_left>("left_shift",
                           "a * 2^b, wrapping; 0 where b is negative or not less than the width.");
  add_shift<E::shift_right>(
      "right_shift",
      "floor(a / 2^b); where b is negative or not less than the width: -1 for "
      "a below 0, else 0.");
}

}  // namespace hybrid
