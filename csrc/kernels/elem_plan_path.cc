// Instructions that follow each other become a path: what is between them stays in registers.
#include "kernels/elem_plan.h"

namespace hybrid {
namespace {

bool has_path(const ElemInstr& q) {
  if ((q.dtype != DType::float32 && q.dtype != DType::float64) || q.out_dtype != q.dtype) {
    return false;
  }
  switch (q.code) {
    case ElemCode::add:
    case ElemCode::sub:
    case ElemCode::mul:
    case ElemCode::div:
    case ElemCode::neg:
    case ElemCode::abs:
    case ElemCode::square:
    case ElemCode::sqrt:
    case ElemCode::rsqrt:
    case ElemCode::reciprocal:
      return true;
    default:
      return false;
  }
}

bool is_temp(const ElemOperand& operand, int index) {
  return operand.kind == ElemOperand::temp && operand.index == index;
}

PathCode unary_code(ElemCode code) {
  switch (code) {
    case ElemCode::neg:
      return PathCode::negative;
    case ElemCode::abs:
      return PathCode::absolute;
    case ElemCode::square:
      return PathCode::square;
    default:
      return PathCode::sqrt;
  }
}

// What there is is the first operand or the second one, and of two NaNs it is kept or not.
PathCode binary_code(ElemCode code, bool first, bool kept) {
  switch (code) {
    case ElemCode::add:
      return kept ? PathCode::add : PathCode::add_to;
    case ElemCode::mul:
      return kept ? PathCode::mul : PathCode::mul_by;
    case ElemCode::sub:
      return first ? PathCode::sub : PathCode::sub_from;
    default:
      return first ? PathCode::div : PathCode::div_by;
  }
}

}  // namespace

int ElemPlan::path_end(const ElemProgram& program, int begin) const {
  const int count = static_cast<int>(program.instrs.size());
  int end = begin + 1;
  for (; end < count; ++end) {
    const ElemInstr &last = program.instrs[end - 1], &next = program.instrs[end];
    const bool first = is_temp(next.a, end - 1), second = is_temp(next.b, end - 1);
    const bool is_output = direct_slot_[end - 1] >= 0;
    if (first == second || is_output || last_use_[end - 1] != end) break;
    if (!has_path(last) || !has_path(next) || last.dtype != next.dtype) break;
  }
  return end;
}

void ElemPlan::add_to_path(PathCode code, int32_t slot) {
  const bool moves = slot >= 0 && slots_[slot].kind != ElemSlot::one;
  path_steps_.push_back({code, nullptr, moves ? 1 : 0});
  path_slots_.push_back(slot);
}

void ElemPlan::add_path(const ElemProgram& program, int begin, int end) {
  const DType dtype = program.instrs[begin].dtype;
  ElemStep step;
  step.path_begin = static_cast<int32_t>(path_steps_.size());
  for (int i = begin; i < end; ++i) {
    const ElemInstr q = cheaper(program.instrs[i]);
    const auto is_one = [this](int32_t slot) { return slots_[slot].kind == ElemSlot::one; };
    // -1: what there is.
    const bool goes_on = i > begin;
    int32_t a = -1, b = -1;
    if (!goes_on || !is_temp(q.a, i - 1)) a = place(q.a, q, dtype, program);
    if (is_unary(q.code)) {
      if (!goes_on) add_to_path(PathCode::begin, a);
      if (q.code == ElemCode::reciprocal || q.code == ElemCode::rsqrt) {
        if (q.code == ElemCode::rsqrt) add_to_path(PathCode::sqrt);
        add_to_path(PathCode::div_by, constant(dtype, 1, 1));
      } else {
        add_to_path(unary_code(q.code));
      }
    } else {
      if (!goes_on || !is_temp(q.b, i - 1)) b = place(q.b, q, dtype, program);
      // Of two NaNs the blocks keep the second operand's, or that of the one that is repeated.
      const bool keeps_first = a >= 0 && is_one(a) && !(b >= 0 && is_one(b));
      if (!goes_on) add_to_path(PathCode::begin, a);
      const bool first = !goes_on || a < 0;
      add_to_path(binary_code(q.code, first, first == keeps_first), first ? b : a);
    }
    for (const ElemOperand* o : {&q.a, &q.b}) {
      if (!goes_on || !is_temp(*o, i - 1)) release(*o, i);
    }
  }
  step.path_end = static_cast<int32_t>(path_steps_.size());
  step.out = result_slot(end - 1, dtype);
  step.check = FloatCheck::met;  // single operations: they meet what they should
  steps_.push_back(step);
  made(end - 1, step.out);
}

void ElemPlan::run_path(const ElemStep& step, PathStep* steps, char* const* at, int64_t n) const {
  for (int32_t k = step.path_begin; k < step.path_end; ++k) {
    if (path_slots_[k] >= 0) steps[k].data = at[path_slots_[k]];
  }
  const PathStep* const first = steps + step.path_begin;
  const int count = step.path_end - step.path_begin;
  if (slots_[step.out].item == sizeof(float)) {
    elem_path().f32(first, count, reinterpret_cast<float*>(at[step.out]), 1, n);
  } else {
    elem_path().f64(first, count, reinterpret_cast<double*>(at[step.out]), 1, n);
  }
}

}  // namespace hybrid
