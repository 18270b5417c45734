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

TensorView view_of(const NDArray& array);
// `view` with the rank of `shape`, strides 0 where it repeats. Throws Error naming `op`.
TensorView broadcast_view(const TensorView& view, const Shape& shape, const char* op);
// Merges neighbouring dimensions that every view walks through evenly (all have one shape).
void collapse_dimensions(std::vector<TensorView>* views);

}  // namespace hybrid
