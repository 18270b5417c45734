#include "ops/half.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_set>

#include "kernels/device_kernels.h"
#include "kernels/elem_table.h"
#include "kernels/layout.h"

namespace hybrid {

namespace {

std::unordered_set<std::string>& cutting() {
  static auto* names = new std::unordered_set<std::string>;
  return *names;
}

// Which dtypes of a use are converted, and what integers become.
struct Conversion {
  bool integers;
  DType wide;
  bool concerns(DType d) const { return is_half(d) || (integers && is_integer(d)); }
  DType to(DType d) const { return is_half(d) ? DType::float32 : concerns(d) ? wide : d; }
};

Conversion conversion_of(const OpDef& op, DType first, DType wide) {
  return {is_integer(first) && cuts_integers(op), wide};
}

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
  const Conversion rule = conversion_of(op, in.empty() ? DType::unknown : in[0], DType::float32);
  std::vector<DType> given = in;
  if (rule.integers) {
    for (DType& d : given) d = rule.to(d);
  }
  std::vector<ElemInstr> own;
  op.own_elementwise(attrs, given, &own);
  const auto uses_half = [](const ElemInstr& q) {
    return is_half(q.dtype) || is_half(q.out_dtype);
  };
  const bool plain = only_moves(own) || std::none_of(own.begin(), own.end(), uses_half);
  if (plain && !rule.integers) {
    out->insert(out->end(), own.begin(), own.end());
    return;
  }
  const auto first = static_cast<int16_t>(out->size());
  std::vector<int16_t> converted(in.size(), -1);
  for (size_t i = 0; i < in.size(); ++i) {
    if (!rule.concerns(in[i])) continue;
    converted[i] = static_cast<int16_t>(out->size());
    const ElemOperand input{ElemOperand::input, static_cast<int16_t>(i)};
    out->push_back(conversion(input, in[i], rule.to(in[i])));
  }
  const auto moved = static_cast<int16_t>(static_cast<int16_t>(out->size()) - first);
  const DType result = rule.integers ? in[0] : own.back().out_dtype;
  for (ElemInstr q : own) {
    for (ElemOperand* o : {&q.a, &q.b, &q.c}) {
      if (o->kind == ElemOperand::temp) {
        o->index = static_cast<int16_t>(o->index + moved);
      } else if (o->kind == ElemOperand::input && converted[static_cast<size_t>(o->index)] >= 0) {
        *o = {ElemOperand::temp, converted[static_cast<size_t>(o->index)]};
      }
    }
    q.dtype = rule.to(q.dtype);
    q.out_dtype = rule.to(q.out_dtype);
    out->push_back(q);
  }
  if (rule.concerns(result)) {
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

// Arrays of floats in the place of others, for one run of a kernel.
struct Wide {
  std::vector<TensorView> views;
  std::vector<std::unique_ptr<double[]>> held;

  Wide(const TensorView* given, int count, const Conversion& rule) : views(given, given + count) {
    for (TensorView& v : views) {
      if (!rule.concerns(v.dtype)) continue;
      held.emplace_back(new double[static_cast<size_t>(v.shape.size()) + 1]);
      v.data = held.back().get();
      v.dtype = rule.to(v.dtype);
      v.strides = contiguous_strides(v.shape);
    }
  }
};

bool concerns_any(const Conversion& rule, const TensorView* views, int count) {
  return std::any_of(views, views + count,
                     [&](const TensorView& v) { return rule.concerns(v.dtype); });
}

void kernel(KernelContext& c) {
  const OpDef& op = *c.attrs.op();
  const Conversion rule =
      conversion_of(op, c.num_in > 0 ? c.in[0].dtype : DType::unknown, DType::float64);
  if (!concerns_any(rule, c.in, c.num_in) && !concerns_any(rule, c.out, c.num_out)) {
    return op.own_cpu(c);
  }
  only_on_host(c.resources, "halves");
  Wide in(c.in, c.num_in, rule), out(c.out, c.num_out, rule);
  for (int i = 0; i < c.num_in; ++i) {
    if (rule.concerns(c.in[i].dtype))
      convert(c.in[i], in.views[static_cast<size_t>(i)], c.resources);
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
    if (rule.concerns(c.out[i].dtype))
      convert(out.views[static_cast<size_t>(i)], c.out[i], c.resources);
  }
}

}  // namespace

void compute_halves(OpDef* def) {
  def->own_elementwise = def->elementwise;
  def->own_cpu = def->cpu;
  if (def->elementwise) def->elementwise = elementwise_code;
  if (def->cpu) def->cpu = kernel;
}

void cut_integers(OpDef* def) {
  def->dtypes |= kInts;
  cutting().insert(def->name);
}

bool cuts_integers(const OpDef& op) { return cutting().count(op.name) != 0; }

}  // namespace hybrid
