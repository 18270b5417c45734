// The rewrites of the simplify pass: each one exact, bit for bit, and named for people.
#include "passes/simplify_rules.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "graph/constant.h"
#include "graph/expression.h"

namespace hybrid {

bool Use::same_type(size_t input) const {
  const Entry e = node.inputs[input];
  return node.shapes[0].known() && graph.shape(e) == node.shapes[0] &&
         graph.dtype(e) == node.dtypes[0];
}

namespace {

Rewrite to_value(Entry value, std::string rule, std::string why) {
  Rewrite r;
  r.kind = Rewrite::input;
  r.value = value;
  r.rule = std::move(rule);
  r.why = std::move(why);
  return r;
}

Rewrite to_input(const Use& use, size_t input, std::string rule, std::string why) {
  return to_value(use.node.inputs[input], std::move(rule), std::move(why));
}

bool is_op(const Node& n, const char* name) {
  return n.kind == NodeKind::op && std::strcmp(n.op->name, name) == 0;
}

// The one instruction of an elementwise node, over its input dtypes.
bool instruction_of(const Graph& graph, const Node& n, ElemInstr* instr) {
  if (n.kind != NodeKind::op || n.op->elementwise == nullptr) return false;
  std::vector<DType> dtypes;
  for (const Entry& e : n.inputs) dtypes.push_back(graph.dtype(e));
  return single_instruction(*n.op, n.attrs, dtypes, instr);
}

// Operators that only rename the axes of row-major data.
bool is_reshape(const Node& n) {
  for (const char* name :
       {"reshape", "flatten", "Flatten", "expand_dims", "squeeze", "reshape_like"}) {
    if (is_op(n, name)) return true;
  }
  return false;
}

// The number that every element of a value is: of a constant of one element, of the ones and zeros
// that a gradient begins with; also broadcast or in another shape. What the code creates is not
// looked into: `a = ones(10)` stands for an array.
bool filled_with(const Graph& graph, Entry e, ScalarValue* value) {
  for (;;) {
    const Node& n = graph.node(e.node);
    if (n.kind == NodeKind::constant) return scalar_value(n.value, value);
    const bool ones = is_op(n, "ones_like"), gradient = n.forward >= 0;
    if (ones || is_op(n, "zeros_like") || (gradient && is_op(n, "zeros"))) {
      value->is_int = !is_floating(n.dtypes[0]);
      value->integer = ones;
      value->real = ones;
      return true;
    }
    if (!is_op(n, "broadcast_to") && !is_op(n, "broadcast_like") && !is_reshape(n)) return false;
    e = n.inputs[0];
  }
}

// The number behind an operand.
bool known_number(const Use& use, const ElemInstr& instr, const ElemOperand& operand,
                  ScalarValue* value) {
  if (operand.kind == ElemOperand::immediate) {
    value->is_int = !is_floating(instr.dtype);
    value->integer = instr.imm_int;
    value->real = value->is_int ? static_cast<double>(instr.imm_int) : instr.imm;
    return true;
  }
  if (operand.kind != ElemOperand::input) return false;
  return filled_with(use.graph, use.node.inputs[static_cast<size_t>(operand.index)], value);
}

bool equals(const ScalarValue& v, int64_t number) {
  return v.is_int ? v.integer == number : v.real == static_cast<double>(number);
}

// x * 1, 1 * x, x / 1, x - 0, x + (-0.0), and x + 0 where -0.0 cannot occur.
Rewrite neutral_element(const Use& use, const ElemInstr& instr) {
  if (is_complex(instr.dtype)) return {};  // times 1 + 0i may make a nan of an infinity
  const auto try_side = [&](const ElemOperand& value, const ElemOperand& number, bool number_left) {
    ScalarValue v;
    if (value.kind != ElemOperand::input || !use.same_type(static_cast<size_t>(value.index)) ||
        instr.out_dtype != instr.dtype || !known_number(use, instr, number, &v)) {
      return Rewrite();
    }
    const size_t x = static_cast<size_t>(value.index);
    switch (instr.code) {
      case ElemCode::mul:
        if (equals(v, 1)) return to_input(use, x, "x * 1 -> x", "times 1 changes nothing");
        break;
      case ElemCode::div:
        if (!number_left && equals(v, 1)) {
          return to_input(use, x, "x / 1 -> x", "divided by 1 changes nothing");
        }
        break;
      case ElemCode::sub:
        if (!number_left && equals(v, 0) && (v.is_int || !std::signbit(v.real))) {
          return to_input(use, x, "x - 0 -> x", "minus 0 changes nothing");
        }
        break;
      case ElemCode::add:
        if (!equals(v, 0)) break;
        if (v.is_int) return to_input(use, x, "x + 0 -> x", "plus 0 changes nothing");
        if (std::signbit(v.real)) {
          return to_input(use, x, "x + -0.0 -> x", "plus -0.0 changes nothing");
        }
        if (use.fast) {
          return to_input(use, x, "x + 0.0 -> x",
                          "plus 0.0 changes nothing but the sign of -0.0 (fast)");
        }
        break;
      default:
        break;
    }
    return Rewrite();
  };
  Rewrite r = try_side(instr.a, instr.b, false);
  return r.kind != Rewrite::none ? r : try_side(instr.b, instr.a, true);
}

// -(-x), not not x, ~~x; abs(abs(x)), relu(relu(x)), floor(floor(x)) and the like.
Rewrite repeated_unary(const Use& use, const ElemInstr& instr) {
  if (instr.a.kind != ElemOperand::input || instr.b.kind != ElemOperand::none) return {};
  const size_t x = static_cast<size_t>(instr.a.index);
  const Node& inner = use.producer(x);
  ElemInstr first;
  if (!instruction_of(use.graph, inner, &first) || first.code != instr.code ||
      first.a.kind != ElemOperand::input || first.dtype != instr.dtype ||
      first.out_dtype != instr.out_dtype) {
    return {};
  }
  const std::string name = elem_code_name(instr.code), twice = name + "(" + name + "(x))";
  switch (instr.code) {
    case ElemCode::logical_not:
      if (instr.dtype != DType::boolean) return {};
      [[fallthrough]];
    case ElemCode::neg:
    case ElemCode::invert: {
      const Entry e = inner.inputs[static_cast<size_t>(first.a.index)];
      if (use.graph.shape(e) != use.node.shapes[0] || use.graph.dtype(e) != use.node.dtypes[0]) {
        return {};
      }
      return to_value(e, twice + " -> x", name + " of " + name + " is the value itself");
    }
    case ElemCode::abs:
    case ElemCode::relu:
    case ElemCode::floor:
    case ElemCode::ceil:
    case ElemCode::trunc:
    case ElemCode::rint:
      if (!use.same_type(x)) return {};
      return to_input(use, x, twice + " -> " + name + "(x)", name + " twice is " + name + " once");
    default:
      return {};
  }
}

// Every value of `from` has an exact counterpart in `to`.
bool widens(DType from, DType to) {
  switch (from) {
    case DType::boolean:
      return to != DType::boolean && to != DType::unknown;
    case DType::uint8:
      return to == DType::int32 || to == DType::int64 || is_floating(to);
    case DType::int32:
      return to == DType::int64 || to == DType::float64;
    case DType::float32:
      return to == DType::float64;
    default:
      return false;
  }
}

// A copy, a cast to the same type, and a cast there and back over a wider type.
Rewrite useless_cast(const Use& use, const ElemInstr& instr) {
  if (instr.a.kind != ElemOperand::input) return {};
  if (instr.code != ElemCode::copy && instr.code != ElemCode::cast) return {};
  // Copies with a gradient of their own (stop_gradient, make_loss) must survive until it is taken.
  if (instr.code == ElemCode::copy && use.differentiated && !is_op(use.node, "identity")) return {};
  const size_t x = static_cast<size_t>(instr.a.index);
  if (use.same_type(x)) {
    if (instr.code == ElemCode::copy) {
      return to_input(use, x, "copy(x) -> x", "a copy of a value that nobody overwrites");
    }
    return to_input(use, x, "cast(x, its type) -> x",
                    std::string("it is ") + dtype_name(use.node.dtypes[0]) + " already");
  }
  const Node& inner = use.producer(x);
  ElemInstr first;
  if (instr.code != ElemCode::cast || !instruction_of(use.graph, inner, &first) ||
      first.code != ElemCode::cast || first.a.kind != ElemOperand::input) {
    return {};
  }
  const Entry e = inner.inputs[static_cast<size_t>(first.a.index)];
  const DType start = use.graph.dtype(e);
  if (start != use.node.dtypes[0] || use.graph.shape(e) != use.node.shapes[0] ||
      !widens(start, inner.dtypes[0])) {
    return {};
  }
  return to_value(e, "cast(cast(x, a wider type), its type) -> x",
                  std::string("to ") + dtype_name(inner.dtypes[0]) + " and back to " +
                      dtype_name(start) + " loses nothing");
}

// maximum(x, x), minimum(x, x), where(c, x, x).
Rewrite equal_operands(const Use& use, const ElemInstr& instr) {
  const bool choice = instr.code == ElemCode::where;
  if (!choice && instr.code != ElemCode::maximum && instr.code != ElemCode::minimum) return {};
  const ElemOperand& left = choice ? instr.b : instr.a;
  const ElemOperand& right = choice ? instr.c : instr.b;
  if (left.kind != ElemOperand::input || right.kind != ElemOperand::input) return {};
  const size_t x = static_cast<size_t>(left.index);
  if (!(use.node.inputs[x] == use.node.inputs[static_cast<size_t>(right.index)]) ||
      !use.same_type(x)) {
    return {};
  }
  if (choice) return to_input(use, x, "where(c, x, x) -> x", "both choices are the same value");
  return to_input(use, x, std::string(elem_code_name(instr.code)) + "(x, x) -> x",
                  "both operands are the same value");
}

std::vector<int64_t> axes_of(const Node& n, int rank) {
  std::vector<int64_t> axes;
  if (n.attrs.has("axes")) axes = n.attrs.ints("axes");
  if (axes.empty()) {
    for (int i = rank - 1; i >= 0; --i) axes.push_back(i);
  }
  for (int64_t& a : axes) a = normalize_axis(a, rank, n.op->name);
  return axes;
}

Rewrite transposes(const Use& use) {
  if (!is_op(use.node, "transpose") || use.node.op->attr_index("axes") < 0) return {};
  const int rank = use.node.shapes[0].ndim();
  std::vector<int64_t> axes = axes_of(use.node, rank);
  const auto identity = [](const std::vector<int64_t>& a) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] != static_cast<int64_t>(i)) return false;
    }
    return true;
  };
  if (identity(axes) && use.same_type(0)) {
    return to_input(use, 0, "transpose(x, its order of axes) -> x",
                    "this order of axes is the one it has");
  }
  const Node& inner = use.producer(0);
  if (!is_op(inner, "transpose")) return {};
  const std::vector<int64_t> first = axes_of(inner, rank);
  for (int64_t& a : axes) a = first[static_cast<size_t>(a)];
  if (identity(axes)) {
    return to_value(inner.inputs[0], "transpose(transpose(x)) -> x",
                    "the second transpose undoes the first");
  }
  Rewrite r;
  r.kind = Rewrite::node;
  r.replacement = use.node;
  r.replacement.attrs.set("axes", axes);
  r.replacement.inputs = inner.inputs;
  r.rule = "transpose(transpose(x)) -> transpose(x)";
  r.why = "two transposes are one";
  return r;
}

Rewrite reshapes(const Use& use) {
  if (!is_reshape(use.node)) return {};
  const std::string outer = use.node.op->name;
  if (use.same_type(0)) {
    return to_input(use, 0, outer + "(x), its shape -> x", "it has that shape already");
  }
  const Node& inner = use.producer(0);
  if (!is_reshape(inner)) return {};
  const Entry start = inner.inputs[0];
  const std::string both = outer + "(" + inner.op->name + "(x))";
  if (use.graph.shape(start) == use.node.shapes[0]) {
    return to_value(start, both + " -> x", "the second reshape undoes the first");
  }
  const OpDef* reshape = find_op("reshape");
  if (reshape == nullptr || reshape->attr_index("shape") < 0 || !use.node.shapes[0].known() ||
      use.node.shapes[0].size() == 0) {
    return {};
  }
  Rewrite r;
  r.kind = Rewrite::node;
  r.replacement = use.node;
  r.replacement.op = reshape;
  r.replacement.attrs = Attrs(reshape);
  r.replacement.attrs.set("shape", use.node.shapes[0].to_vector());
  r.replacement.inputs = {start};
  r.rule = both + " -> reshape(x)";
  r.why = "only the last of two reshapes counts";
  return r;
}

// Operators that become the identity when the shape does not change.
Rewrite same_shape(const Use& use) {
  for (const char* name : {"broadcast_to", "broadcast_like", "sum_like", "sum_to_shape", "slice",
                           "slice_axis", "concat", "add_n", "contiguous"}) {
    if (!is_op(use.node, name)) continue;
    if (use.node.op->variadic && use.node.inputs.size() != 1) return {};
    if (!use.same_type(0)) return {};
    if (use.node.op->attr_index("step") >= 0 &&
        use.node.attrs.has("step")) {  // an axis read backwards keeps its size too
      for (int64_t step : use.node.attrs.ints("step")) {
        if (step < 0 && step != kNoneInt) return {};
      }
    }
    if (use.node.op->variadic) {
      return to_input(use, 0, std::string(name) + "([x]) -> x", "there is only one of them");
    }
    return to_input(use, 0, std::string(name) + "(x), its shape -> x", "it has that shape already");
  }
  return {};
}

// MXNet's where is NumPy's, which fuses, unless its condition chooses rows.
Rewrite elements_chosen(const Use& use) {
  if (!is_op(use.node, "where_rows") || use.graph.shape(use.node.inputs[0]) != use.node.shapes[0]) {
    return {};
  }
  Rewrite r;
  r.kind = Rewrite::node;
  r.replacement = use.node;
  r.replacement.op = get_op("where");
  r.replacement.attrs = Attrs(r.replacement.op);
  r.rule = "where_rows(c, x, y) -> where(c, x, y)";
  r.why = "the condition is of x's shape: it chooses elements, not rows";
  return r;
}

Rewrite outside_training(const Use& use) {
  const Node& n = use.node;
  if (!n.op->training_only || use.training || n.inputs.empty() || !use.same_type(0)) return {};
  if (n.op->attr_index("mode") >= 0 && n.attrs.has("mode") && n.attrs.string("mode") == "always") {
    return {};
  }
  const std::string name = n.op->name;
  return to_input(use, 0, name + "(x) -> x", name + " does nothing outside training");
}

}  // namespace

Rewrite find_rewrite(const Use& use) {
  if (use.node.kind != NodeKind::op || use.node.inputs.empty() || !use.node.shapes[0].known()) {
    return {};
  }
  Rewrite r = outside_training(use);
  if (r.kind != Rewrite::none || use.node.op->random) return r;
  ElemInstr instr;
  if (instruction_of(use.graph, use.node, &instr)) {
    for (auto rule : {neutral_element, repeated_unary, useless_cast, equal_operands}) {
      r = rule(use, instr);
      if (r.kind != Rewrite::none) return r;
    }
    return r;
  }
  for (auto rule : {transposes, reshapes, same_shape, elements_chosen}) {
    r = rule(use);
    if (r.kind != Rewrite::none) return r;
  }
  return r;
}

}  // namespace hybrid
