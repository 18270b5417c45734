// run_elementwise: small single operations at once, everything else by a plan over blocks.
#include "kernels/elementwise.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/error.h"
#include "engine/float_flags.h"
#include "kernels/device_kernels.h"
#include "kernels/elem_plan.h"

namespace hybrid {
namespace {

constexpr int64_t kDirectElements = 4096;
constexpr double kSerialNs = 60000;  // not worth waking anybody
constexpr double kChunkNs = 40000;
constexpr int64_t kChunkStep = 8192;  // chunks are whole blocks of any element size

struct DirectOperand {
  const void* data = nullptr;
  bool one = false;
};

// False: not a plain stream, a repeated element or a number.
bool direct_operand(const ElemProgram& program, const ElemOperand& o, const ElemInstr& q,
                    const TensorView* inputs, const Shape& shape, void* number,
                    DirectOperand* operand) {
  if (o.kind == ElemOperand::input) {
    if (o.index < 0 || o.index >= static_cast<int>(program.inputs.size())) return false;
    const TensorView& v = inputs[o.index];
    if (v.dtype != q.dtype || program.inputs[o.index] != q.dtype) return false;
    operand->data = v.data;
    if (is_flat(shape, v.strides)) return true;
    operand->one = true;
    for (int64_t stride : v.strides) operand->one = operand->one && stride == 0;
    return operand->one;
  }
  if (o.kind != ElemOperand::immediate) return false;
  operand->data = number;
  operand->one = true;
  switch (q.dtype) {
    case DType::float32: {
      const float x = static_cast<float>(q.imm);
      std::memcpy(number, &x, sizeof x);
      return true;
    }
    case DType::float64:
      std::memcpy(number, &q.imm, sizeof q.imm);
      return true;
    case DType::int64:
      std::memcpy(number, &q.imm_int, sizeof q.imm_int);
      return true;
    case DType::int32: {
      const int32_t x = static_cast<int32_t>(q.imm_int);
      std::memcpy(number, &x, sizeof x);
      return true;
    }
    default:  // the rarer types are planned
      return false;
  }
}

// One unary or binary instruction over few elements: nothing is planned.
bool run_direct(const ElemProgram& program, const TensorView* inputs, const TensorView& out,
                int64_t n) {
  const ElemInstr& q = program.instrs[0];
  if (program.instrs.size() != 1 || program.outputs.size() != 1 || program.outputs[0] != 0 ||
      q.code >= ElemCode::cast || !is_flat(out.shape, out.strides)) {
    return false;
  }
  const int type = elem_type(q.dtype);
  if (type < 0 || out.dtype != q.out_dtype || q.out_dtype != elem_result(q.code, q.dtype)) {
    return false;
  }
  uint64_t number = 0;
  DirectOperand a, b;
  if (!direct_operand(program, q.a, q, inputs, out.shape, &number, &a)) return false;
  Repeat repeat = Repeat::none;
  if (is_unary(q.code)) {
    if (a.one && n > 1) return false;
  } else {
    if (!direct_operand(program, q.b, q, inputs, out.shape, &number, &b)) return false;
    if (a.one && b.one) return false;
    repeat = a.one ? Repeat::left : b.one ? Repeat::right : Repeat::none;
  }
  const BlockFn fn = elem_table().code[static_cast<int>(q.code)][type][static_cast<int>(repeat)];
  if (!fn) return false;
  const uint32_t floats = engine::float_flags();
  fn(a.data, b.data, nullptr, out.data, n);
  const FloatCheck check = float_check(q.code, q.dtype);
  if (check != FloatCheck::none) {
    settle_floats(check, {a.data, b.data, out.data, a.one, b.one, n}, floats);
  }
  return true;
}

}  // namespace

void run_elementwise(const ElemProgram& program, const TensorView* inputs,
                     const TensorView* outputs, Resources& resources) {
  require(!program.instrs.empty() && !program.outputs.empty(),
          "elementwise: a program needs instructions and outputs");
  if (DeviceKernels* const device = resources.device()) {
    return device->elementwise(program, inputs, outputs);
  }
  const int64_t n = outputs[0].shape.size();
  if (n == 0) return;
  if (n <= kDirectElements && run_direct(program, inputs, outputs[0], n)) return;
  // On the heap: a library loaded at run time gets little static thread-local memory.
  thread_local const std::unique_ptr<ElemPlan> owner(new ElemPlan());
  ElemPlan& plan = *owner;
  plan.build(program, inputs, outputs);
  const double ns = plan.cost_ns() * static_cast<double>(n);
  if (ns < kSerialNs) return plan.run(0, n);
  const ElemPlan& shared = plan;
  const double per_step = plan.cost_ns() * static_cast<double>(kChunkStep);
  const int64_t grain =
      kChunkStep * std::max<int64_t>(1, static_cast<int64_t>(kChunkNs / per_step));
  resources.parallel(n, grain, [&shared](int64_t begin, int64_t end) { shared.run(begin, end); });
}

}  // namespace hybrid
