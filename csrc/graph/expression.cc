// One operator use as a Python-like expression, given the texts of its inputs.
#include "graph/expression.h"

#include "core/error.h"
#include "graph/constant.h"

namespace hybrid {

namespace {

const char* infix_symbol(ElemCode code) {
  switch (code) {
    case ElemCode::add:
      return "+";
    case ElemCode::sub:
      return "-";
    case ElemCode::mul:
      return "*";
    case ElemCode::div:
      return "/";
    case ElemCode::floor_div:
      return "//";
    case ElemCode::mod:
      return "%";
    case ElemCode::power:
      return "**";
    case ElemCode::equal:
      return "==";
    case ElemCode::not_equal:
      return "!=";
    case ElemCode::greater:
      return ">";
    case ElemCode::greater_equal:
      return ">=";
    case ElemCode::lesser:
      return "<";
    case ElemCode::lesser_equal:
      return "<=";
    case ElemCode::bit_and:
      return "&";
    case ElemCode::bit_or:
      return "|";
    case ElemCode::bit_xor:
      return "^";
    case ElemCode::shift_left:
      return "<<";
    case ElemCode::shift_right:
      return ">>";
    case ElemCode::neg:
      return "-";
    case ElemCode::invert:
      return "~";
    default:
      return nullptr;
  }
}

std::string in_parentheses(const Expression& e) { return e.infix ? "(" + e.text + ")" : e.text; }

// The number as the user wrote it where an attribute still holds it, else the immediate itself.
std::string immediate_text(const Node& node, const ElemInstr& instr) {
  for (size_t i = 0; i < node.op->attrs.size() && i < node.attrs.values().size(); ++i) {
    if (node.op->attrs[i].type != AttrType::scalar) continue;
    const AttrValue& v = node.attrs.values()[i];
    if (const int64_t* whole = std::get_if<int64_t>(&v)) return std::to_string(*whole);
    if (const double* real = std::get_if<double>(&v)) return real_text(*real, false);
    if (const bool* flag = std::get_if<bool>(&v)) return *flag ? "True" : "False";
  }
  const DType real = real_part(instr.dtype);
  return is_floating(real) ? real_text(instr.imm, real == DType::float32)
                           : std::to_string(instr.imm_int);
}

bool operand_text(const Node& node, const ElemInstr& instr, const ElemOperand& operand,
                  const std::vector<Expression>& args, std::string* text) {
  if (operand.kind == ElemOperand::immediate) {
    *text = immediate_text(node, instr);
    return true;
  }
  if (operand.kind != ElemOperand::input) return false;
  const size_t i = static_cast<size_t>(operand.index);
  if (i >= args.size()) return false;
  *text = in_parentheses(args[i]);
  return true;
}

}  // namespace

namespace {

bool instructions_of(const OpDef& op, const Attrs& attrs, std::vector<DType> in_dtypes,
                     std::vector<ElemInstr>* program) {
  if (op.elementwise == nullptr) return false;
  for (DType& d : in_dtypes) {
    if (d == DType::unknown) d = DType::float32;
  }
  try {
    op.elementwise(attrs, in_dtypes, program);
  } catch (const Error&) {
    return false;  // dtypes it does not have: infer is the one to complain
  }
  return true;
}

// The instruction to write infix: the only one, or a comparison whose result is then cast.
bool infix_instruction(const Node& node, const std::vector<DType>& in_dtypes, ElemInstr* out) {
  std::vector<ElemInstr> program;
  if (!instructions_of(*node.op, node.attrs, in_dtypes, &program) || program.empty()) return false;
  const bool cast_after = program.size() == 2 && program[1].code == ElemCode::cast &&
                          program[1].a.kind == ElemOperand::temp && program[1].a.index == 0 &&
                          program[0].out_dtype == DType::boolean;
  if (program.size() != 1 && !cast_after) return false;
  *out = program[0];
  return true;
}

}  // namespace

bool single_instruction(const OpDef& op, const Attrs& attrs, std::vector<DType> in_dtypes,
                        ElemInstr* out) {
  std::vector<ElemInstr> program;
  if (!instructions_of(op, attrs, std::move(in_dtypes), &program) || program.size() != 1)
    return false;
  *out = program[0];
  return true;
}

Expression op_expression(const Node& node, const std::vector<DType>& in_dtypes,
                         const std::vector<Expression>& args) {
  ElemInstr instr;
  if (infix_instruction(node, in_dtypes, &instr)) {
    const char* symbol = infix_symbol(instr.code);
    std::string a, b;
    if (symbol != nullptr && operand_text(node, instr, instr.a, args, &a)) {
      if (instr.b.kind == ElemOperand::none) return {symbol + a, true};
      if (operand_text(node, instr, instr.b, args, &b)) {
        return {a + " " + symbol + " " + b, true};
      }
    }
  }
  std::string text = std::string(node.op->name) + "(";
  const char* separator = "";
  for (const Expression& arg : args) {
    text += separator + arg.text;
    separator = ", ";
  }
  const std::string attrs = node.attrs.summary();
  if (!attrs.empty()) {
    text += separator + attrs;
    separator = ", ";
  }
  if (node.key_slot >= 0) text += separator + ("key=" + std::to_string(node.key_slot));
  return {text + ")", false};
}

}  // namespace hybrid
