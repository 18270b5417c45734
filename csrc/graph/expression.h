// One operator use as a Python-like expression, given the texts of its inputs.
#pragma once
#include <string>
#include <vector>

#include "graph/graph.h"

namespace hybrid {

struct Expression {
  std::string text;
  bool infix = false;  // needs parentheses inside another infix expression
};

// `args`: one per input. Operators whose elementwise code is a single arithmetic instruction are
// written infix, whatever they are called; others as calls with the attributes that are not
// default.
Expression op_expression(const Node& node, const std::vector<DType>& in_dtypes,
                         const std::vector<Expression>& args);
// The instruction of an operator whose elementwise code is exactly one; false for all others.
bool single_instruction(const OpDef& op, const Attrs& attrs, std::vector<DType> in_dtypes,
                        ElemInstr* out);

}  // namespace hybrid
