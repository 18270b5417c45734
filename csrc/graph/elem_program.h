// Elementwise code as programs for the interpreter: one operator, or a fused node's whole chain.
#pragma once
#include <vector>

#include "graph/graph.h"

namespace hybrid {

ElemProgram elem_program(const OpDef& op, const Attrs& attrs, const std::vector<DType>& inputs);
// The members' instructions in order; inputs and outputs are those of the node.
ElemProgram elem_program(const Graph& graph, const Node& fused);

// Adds the elementwise code of operator node `member`, given its operands and their dtypes; the
// number of the instruction with its result.
int append_instructions(const Node& member, const std::vector<ElemOperand>& operands,
                        const std::vector<DType>& dtypes, ElemProgram* program);

}  // namespace hybrid
