#include "ops/half.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "kernels/device_kernels.h"
#include "kernels/elem_table.h"
#include "kernels/layout.h"

namespace hybrid {

namespace {

DType computed_in(DType dtype) { return is_half(dtype) ? DType::float32 : dtype; }

ElemInstr conversion(const ElemOperand& from, DType dtype, DType to) {
  ElemInstr q;
  q.code = ElemCode::cast;
  q.a = from;
  q.dtype = dtype;
  q.out_dtype = to;
  return q;
}

bool only_moves(const std::vector<ElemInstr>& code) {
  return code.size() == 1 && (code[0].code == ElemCode::cast || code[0].code == ElemCode::copy);
}

// The operator's own code on converted inputs; its last result is converted back.
void elementwise_code(const Attrs& attrs, const std::vector<DType>& in,
                      std::vector<ElemInstr>* out) {
  const OpDef& op = *attrs.op();
  std::vector<ElemInstr> own;
  op.own_elementwise(attrs, in, &own);
  const auto uses_half = [](const ElemInstr& q) {
    return is_half(q.dtype) || is_half(q.out_dtype);
  };
  if (only_moves(own) || std::none_of(own.begin(), own.end(), uses_half)) {
    out->insert(out->end(), own.begin(), own.end());
    return;
  }
  const auto first = static_cast<int16_t>(out->size());
  std::vector<int16_t> converted(in.size(), -1);
  for (size_t i = 0; i < in.size(); ++i) {
    if (!is_half(in[i])) continue;
    converted[i] = static_cast<int16_t>(out->size());
    const ElemOperand input{ElemOperand::input, static_cast<int16_t>(i)};
    out->push_back(conversion(input, in[i], DType::float32));
  }
  const auto moved = static_cast<int16_t>(static_cast<int16_t>(out->size()) - first);
  const DType result = own.back().out_dtype;
  for (ElemInstr q : own) {
    for (ElemOperand* o : {&q.a, &q.b, &q.c}) {
      if (o->kind == ElemOperand::temp) {
        o->index = static_cast<int16_t>(o->index + moved);
      } else if (o->kind == ElemOperand::input && converted[static_cast<size_t>(o->index)] >= 0) {
        *o = {ElemOperand::temp, converted[static_cast<size_t>(o->index)]};
      }
    }
    q.dtype = computed_in(q.dtype);
    q.out_dtype = computed_in(q.out_dtype);
    out->push_back(q);
  }
  if (is_half(result)) {
    const ElemOperand last{ElemOperand::temp, static_cast<int16_t>(out->size() - 1)};
    out->push_back(conversion(last, DType::float32, result));
  }
}

void convert(const TensorView& from, const TensorView& to, Resources& resources) {
  ElemProgram program;
  program.inputs = {from.dtype};
  program.instrs = {conversion({ElemOperand::input, 0}, from.dtype, to.dtype)};
  program.outputs = {0};
  run_elementwise(program, &from, &to, resources);
}

// float32 arrays in the place of halves, for one run of a kernel.
struct Wide {
  std::vector<TensorView> views;
  std::vector<std::unique_ptr<float[]>> held;

  Wide(const TensorView* given, int count) : views(given, given + count) {
    for (TensorView& v : views) {
      if (!is_half(v.dtype)) continue;
      held.emplace_back(new float[static_cast<size_t>(v.shape.size()) + 1]);
      v.data = held.back().get();
      v.dtype = DType::float32;
      v.strides = contiguous_strides(v.shape);
    }
  }
};

bool any_half(const TensorView* views, int count) {
  return std::any_of(views, views + count, [](const TensorView& v) { return is_half(v.dtype); });
}

void kernel(KernelContext& c) {
  const OpDef& op = *c.attrs.op();
  if (!any_half(c.in, c.num_in) && !any_half(c.out, c.num_out)) return op.own_cpu(c);
  only_on_host(c.resources, "halves");
  Wide in(c.in, c.num_in), out(c.out, c.num_out);
  for (int i = 0; i < c.num_in; ++i) {
    if (is_half(c.in[i].dtype)) convert(c.in[i], in.views[static_cast<size_t>(i)], c.resources);
  }
  Attrs attrs = c.attrs;
  for (const AttrDef& a : op.attrs) {
    const AttrValue& value = attrs.at(a.name);
    const int64_t* flag = std::get_if<int64_t>(&value);
    if (a.type == AttrType::dtype && flag && is_half(static_cast<DType>(*flag))) {
      attrs.set(a.name, static_cast<int64_t>(DType::float32));
    }
  }
  KernelContext wide{attrs,     in.views.data(), c.num_in,   out.views.data(),
                     c.num_out, c.key,           c.resources};
  op.own_cpu(wide);
  for (int i = 0; i < c.num_out; ++i) {
    if (is_half(c.out[i].dtype)) convert(out.views[static_cast<size_t>(i)], c.out[i], c.resources);
  }
}

}  // namespace

void compute_halves(OpDef* def) {
  def->own_elementwise = def->elementwise;
  def->own_cpu = def->cpu;
  if (def->elementwise) def->elementwise = elementwise_code;
  if (def->cpu) def->cpu = kernel;
}

}  // namespace hybrid
