#include "graph/elem_program.h"

#include <algorithm>

#include "core/error.h"

namespace hybrid {

ElemProgram elem_program(const OpDef& op, const Attrs& attrs, const std::vector<DType>& inputs) {
  ElemProgram program;
  program.inputs = inputs;
  op.elementwise(attrs, inputs, &program.instrs);
  require(!program.instrs.empty(), op.name, ": no elementwise code for these inputs");
  program.outputs.push_back(static_cast<int16_t>(program.instrs.size() - 1));
  return program;
}

int append_instructions(const Node& member, const std::vector<ElemOperand>& operands,
                        const std::vector<DType>& dtypes, ElemProgram* program) {
  std::vector<ElemInstr> code;
  member.op->elementwise(member.attrs, dtypes, &code);
  const auto base = static_cast<int16_t>(program->instrs.size());
  for (ElemInstr instr : code) {
    for (ElemOperand* o : {&instr.a, &instr.b, &instr.c}) {
      if (o->kind == ElemOperand::input) {
        *o = operands.at(o->index);
      } else if (o->kind == ElemOperand::temp) {
        o->index = static_cast<int16_t>(o->index + base);
      }
    }
    program->instrs.push_back(instr);
  }
  require(program->instrs.size() < 32000, member.op->name, ": a kernel of too many instructions");
  return static_cast<int>(program->instrs.size()) - 1;
}

ElemProgram elem_program(const Graph& graph, const Node& fused) {
  ElemProgram program;
  for (const Entry& e : fused.inputs) program.inputs.push_back(graph.dtype(e));
  struct Made {
    NodeId node;
    int16_t temp;
  };
  std::vector<Made> made;
  // What a product computes is one more input.
  const bool product = fused.kernel == KernelKind::product;
  if (product) program.inputs.push_back(fused.members[0].dtypes.at(0));
  const auto operand_of = [&](const Entry& e) {
    if (product && e.node == fused.members[0].id) {
      return ElemOperand{ElemOperand::input, static_cast<int16_t>(fused.inputs.size())};
    }
    for (const Made& m : made) {
      if (m.node == e.node) return ElemOperand{ElemOperand::temp, m.temp};
    }
    const auto found = std::find(fused.inputs.begin(), fused.inputs.end(), e);
    require(found != fused.inputs.end(), "fused node ", fused.id, ": a member reads node ", e.node,
            ", which is neither a member before it nor an input");
    return ElemOperand{ElemOperand::input, static_cast<int16_t>(found - fused.inputs.begin())};
  };
  const auto dtype_of = [&](const ElemOperand& o) {
    return o.kind == ElemOperand::temp ? program.instrs[o.index].out_dtype
                                       : program.inputs[o.index];
  };
  for (const Node& member : fused.members) {
    if (member.op->elementwise == nullptr) continue;  // comes before, or after
    std::vector<ElemOperand> operands;
    std::vector<DType> dtypes;
    for (const Entry& e : member.inputs) {
      operands.push_back(operand_of(e));
      dtypes.push_back(dtype_of(operands.back()));
    }
    const int result = append_instructions(member, operands, dtypes, &program);
    made.push_back({member.id, static_cast<int16_t>(result)});
  }
  for (Entry e : fused.member_outputs) {
    if (fused.kernel == KernelKind::write) e = fused.members.back().inputs[1];
    const ElemOperand o = operand_of(e);
    require(o.kind == ElemOperand::temp, "fused node ", fused.id, ": an output is not a member");
    program.outputs.push_back(o.index);
  }
  return program;
}

}  // namespace hybrid
